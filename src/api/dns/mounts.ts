import type { Caller } from '../../identity/caller.ts'
import { withFinalDot } from '../../model/zone-name.ts'
import type { Zones } from '../../service/zones/zones.ts'
import { designate, plain } from '../dialect.ts'
import type { Route } from '../route.ts'
import type { Mount, PathParameters } from '../route-table.ts'
import type { Services } from '../services.ts'
import { designateVersions, versionRoutes } from '../versions.ts'
import { blacklistRoutes } from './blacklists.ts'
import { deletedZoneRoutes } from './deleted-zones.ts'
import { dnssecRoutes } from './dnssec.ts'
import { dnssecKeyRoutes } from './dnssec-keys.ts'
import { dnssecPolicyRoutes } from './dnssec-policies.ts'
import { floatingIpRoutes } from './floating-ips.ts'
import { historyRoutes } from './history.ts'
import { nodeRoutes } from './nodes.ts'
import { pastZoneRoutes } from './past-zones.ts'
import { poolRoutes } from './pools.ts'
import { queryLogRuleRoutes } from './query-log-rules.ts'
import { quotaRoutes } from './quotas.ts'
import { recordsetRoutes } from './recordsets.ts'
import { serviceStatusRoutes } from './service-statuses.ts'
import { tldRoutes } from './tlds.ts'
import { topRoutes } from './top.ts'
import { tsigKeyRoutes, tsigKeyUsesRoute } from './tsig-keys.ts'
import { updatePolicyRoutes } from './update-policies.ts'
import { zoneChangeRoutes } from './zone-changes.ts'
import { zoneExportRoutes } from './zone-exports.ts'
import { zoneImportRoutes } from './zone-imports.ts'
import { zoneServerRoutes } from './zone-servers.ts'
import { zoneShareRoutes } from './zone-shares.ts'
import { zoneStatisticsRoutes } from './zone-statistics.ts'
import { zonePromotionRoute, zoneTaskRoutes } from './zone-tasks.ts'
import { zoneTransferAcceptRoutes } from './zone-transfer-accepts.ts'
import { zoneTransferRequestRoutes } from './zone-transfer-requests.ts'
import { zoneRoutes } from './zones.ts'

/** The DNS group in both dialects, over the same services: the specification's at `/v2`, and Designate's at
 *  `/dns`, where the catalog sends clients. `others` are documented in both. */
export function dnsMounts(services: Services, others: readonly Route[] = []): readonly Mount[] {
  const documented = [...dnsRoutes(services), ...others]
  // Old clients write it in the singular.
  const old = respelt(documented, '/service_statuses', '/service_status')
  const routes = [...documented, ...old]
  return [
    {
      base: '/v2',
      dialect: plain,
      routes: [
        ...routes,
        // The specification writes it both ways.
        ...respelt(routes, '/zones/tasks/transfer_accepts', '/zones/tasks/transfer_accept'),
        ...plainOnlyRoutes(services),
      ],
      hidesUnknown: true,
      resolveNames: (caller, parameters) => withZoneId(services.zones, caller, parameters),
    },
    {
      base: '/dns/v2',
      dialect: designate,
      routes: [
        ...routes,
        // Undocumented paths that openstacksdk uses.
        ...respelt(routes, '/zones/tasks/exports', '/zones/tasks/export'),
        ...respelt(routes, '/zones/tasks/imports', '/zones/tasks/import'),
      ],
      hidesUnknown: true,
    },
    { base: '/dns', dialect: designate, routes: versionRoutes(designateVersions) },
  ]
}

/** All of the v2 DNS group, to be mounted under `/v2` in the plain dialect, or elsewhere in another. */
function dnsRoutes(services: Services): readonly Route[] {
  return [
    ...zoneRoutes(services),
    ...zoneTaskRoutes(services.zones),
    ...recordsetRoutes(services.recordsets),
    ...blacklistRoutes(services.blacklists),
    ...tldRoutes(services.tlds),
    ...tsigKeyRoutes(services.tsigKeys),
    ...quotaRoutes(services.quotas),
    ...zoneShareRoutes(services.zoneShares),
    ...zoneTransferRequestRoutes(services.zoneTransferRequests),
    ...zoneTransferAcceptRoutes(services.zoneTransferAccepts),
    ...floatingIpRoutes(services.floatingIps),
    ...zoneExportRoutes(services.zoneExports),
    ...zoneImportRoutes(services.zoneImports),
    ...poolRoutes(services.pools),
    ...serviceStatusRoutes(services.serviceStatuses),
  ]
}

/** Additional routes that Designate answers with 404. */
function plainOnlyRoutes(services: Services): readonly Route[] {
  return [
    zonePromotionRoute(services.zones),
    ...zoneChangeRoutes(services),
    ...historyRoutes(services),
    ...deletedZoneRoutes(services),
    ...zoneStatisticsRoutes(services.zones),
    ...zoneServerRoutes(services.zoneServers),
    ...pastZoneRoutes(services.pastZones),
    ...topRoutes(services.busiest),
    ...queryLogRuleRoutes(services.queryLogRules),
    ...nodeRoutes(services.cluster),
    tsigKeyUsesRoute(services.tsigKeys),
    ...updatePolicyRoutes(services),
    ...dnssecRoutes(services),
    ...dnssecKeyRoutes(services.dnssecKeys),
    ...dnssecPolicyRoutes(services.dnssecPolicies),
  ]
}

/** The routes at a path and below it, at another path. */
function respelt(routes: readonly Route[], from: string, to: string): readonly Route[] {
  return routes
    .filter(({ path }) => path === from || path.startsWith(`${from}/`))
    .map(route => ({ ...route, path: to + route.path.slice(from.length) }))
}

/** A parameter with a dot, where a zone's id is expected, is the name of a zone. */
function withZoneId(zones: Zones, caller: Caller, parameters: PathParameters): PathParameters {
  const { zone_id: text } = parameters
  if (text === undefined || !text.includes('.')) return parameters
  return { ...parameters, zone_id: zones.idOf(caller, withFinalDot(text)) }
}
