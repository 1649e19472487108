import type { Caller } from '../../identity/caller.ts'
import { withFinalDot } from '../../model/zone-name.ts'
import type { Zones } from '../../service/zones/zones.ts'
import { designate, plain } from '../dialect.ts'
import type { Route } from '../route.ts'
import type { Mount, PathParameters } from '../route-table.ts'
import { designateVersions, versionRoutes } from '../versions.ts'
import { type DnsServices, designateOnlyRoutes, dnsRoutes, plainOnlyRoutes } from './routes.ts'

/** The DNS group in both dialects, over the same services: the specification's at `/v2`, and Designate's at
 *  `/dns`, where the catalog sends clients. `others` are documented in both. */
export function dnsMounts(services: DnsServices, others: readonly Route[] = []): readonly Mount[] {
  const routes = [...dnsRoutes(services), ...others]
  return [
    {
      base: '/v2',
      dialect: plain,
      routes: [...routes, ...plainOnlyRoutes(services)],
      hidesUnknown: true,
      resolveNames: (caller, parameters) => withZoneId(services.zones, caller, parameters),
    },
    {
      base: '/dns/v2',
      dialect: designate,
      routes: [...routes, ...designateOnlyRoutes(services)],
      hidesUnknown: true,
    },
    { base: '/dns', dialect: designate, routes: versionRoutes(designateVersions) },
  ]
}

/** A parameter with a dot, where a zone's id is expected, is the name of a zone. */
function withZoneId(zones: Zones, caller: Caller, parameters: PathParameters): PathParameters {
  const { zone_id: text } = parameters
  if (text === undefined || !text.includes('.')) return parameters
  return { ...parameters, zone_id: zones.idOf(caller, withFinalDot(text)) }
}
