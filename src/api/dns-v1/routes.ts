import type { Zones } from '../../service/zones.ts'
import type { Route } from '../route.ts'
import { domainRoutes } from './domains.ts'

export type DnsV1Services = {
  readonly zones: Zones
}

export type DnsV1Options = {
  /** Extensions that are on; the calls of all others are 404. */
  readonly extensions: readonly string[]
}

/** All of the older group, to be mounted under `/v1`. */
export function dnsV1Routes(services: DnsV1Services, _options: DnsV1Options): readonly Route[] {
  return [...domainRoutes(services.zones)]
}
