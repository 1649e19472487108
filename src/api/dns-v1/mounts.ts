import { type Dialect, designateV1, v1 } from '../dialect.ts'
import type { Route } from '../route.ts'
import type { Mount } from '../route-table.ts'
import type { Services } from '../services.ts'
import { domainRoutes } from './domains.ts'
import { type ExtensionName, extensionRoutes } from './extensions.ts'
import { limitRoutes } from './limits.ts'
import { recordRoutes } from './records.ts'
import { schemaRoutes } from './schemas.ts'
import { serverRoutes } from './servers.ts'
import { tsigKeyRoutes } from './tsig-keys.ts'

type DnsV1Options = {
  /** Extensions that are on; the calls of all others are 404. */
  readonly extensions: readonly ExtensionName[]
}

/** Collections whose paths the specification writes without a prefix. */
const unprefixed = ['/domains', '/servers']

/** The older group as the specification has it, under `/v1`, and its domains and servers without a prefix as well;
 *  and as Designate had it, under `/dns/v1`. */
export function dnsV1Mounts(services: Services, options: DnsV1Options): readonly Mount[] {
  const routes = dnsV1Routes(services, { ...options, dialect: v1 })
  const below = (base: string): Mount => ({
    base,
    dialect: v1,
    hidesUnknown: true,
    routes: routes
      .filter(({ path }) => path === base || path.startsWith(`${base}/`))
      .map(route => ({ ...route, path: route.path.slice(base.length) || '/' })),
  })
  const literal = dnsV1Routes(services, { ...options, dialect: designateV1 })
  return [
    { base: '/v1', dialect: v1, routes, hidesUnknown: true },
    ...unprefixed.map(below),
    { base: '/dns/v1', dialect: designateV1, routes: literal, hidesUnknown: true },
  ]
}

/** All of the older group, in the dialect given. */
function dnsV1Routes(
  services: Services,
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
