import type { DefaultPoolKeys } from '../../service/pools/default-pool-keys.ts'
import type { Servers } from '../../service/pools/servers.ts'
import type { Dialect } from '../dialect.ts'
import type { Route } from '../route.ts'
import { domainRoutes } from './domains.ts'
import { type ExtensionName, type ExtensionServices, extensionRoutes } from './extensions.ts'
import { limitRoutes } from './limits.ts'
import { recordRoutes } from './records.ts'
import { schemaRoutes } from './schemas.ts'
import { serverRoutes } from './servers.ts'
import { tsigKeyRoutes } from './tsig-keys.ts'

export type DnsV1Services = ExtensionServices & {
  /** The default pool's. */
  readonly nameServers: Servers
  readonly defaultPoolKeys: DefaultPoolKeys
}

export type DnsV1Options = {
  /** Extensions that are on; the calls of all others are 404. */
  readonly extensions: readonly ExtensionName[]
}

/** All of the older group, to be mounted under `/v1` and served in the dialect given. */
export function dnsV1Routes(
  services: DnsV1Services,
  options: DnsV1Options & { readonly dialect: Dialect },
): readonly Route[] {
  return [
    ...domainRoutes(services.zones),
    ...recordRoutes(services.records),
    ...serverRoutes(services.nameServers),
    ...limitRoutes(services.quotas),
    ...tsigKeyRoutes(services.defaultPoolKeys),
    ...schemaRoutes(),
    ...extensionRoutes(services, options),
  ]
}
