import { designate, plain } from '../dialect.ts'
import type { Route } from '../route.ts'
import type { Mount } from '../route-table.ts'
import { designateVersions, versionRoutes } from '../versions.ts'
import { type DnsServices, dnsRoutes, plainOnlyRoutes } from './routes.ts'

/** The DNS group in both dialects, over the same services: the specification's at `/v2`, and Designate's at
 *  `/dns`, where the catalog sends clients. `others` are told in both. */
export function dnsMounts(services: DnsServices, others: readonly Route[] = []): readonly Mount[] {
  const routes = [...dnsRoutes(services), ...others]
  return [
    {
      base: '/v2',
      dialect: plain,
      routes: [...routes, ...plainOnlyRoutes(services)],
      hidesUnknown: true,
    },
    { base: '/dns/v2', dialect: designate, routes, hidesUnknown: true },
    { base: '/dns', dialect: designate, routes: versionRoutes(designateVersions) },
  ]
}
