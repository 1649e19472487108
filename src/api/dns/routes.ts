import type { Cluster } from '../../cluster/cluster.ts'
import type { Busiest } from '../../querylog/busiest.ts'
import type { ChangeSets } from '../../service/changes/change-sets.ts'
import type { UpdatePolicies } from '../../service/changes/update-policies.ts'
import type { Dnssec } from '../../service/dnssec/dnssec.ts'
import type { DnssecKeys } from '../../service/dnssec/dnssec-keys.ts'
import type { DnssecPolicies } from '../../service/dnssec/policies.ts'
import type { DeletedZones } from '../../service/history/deleted-zones.ts'
import type { History } from '../../service/history/history.ts'
import type { PastZones } from '../../service/history/past-zones.ts'
import type { Undo } from '../../service/history/undo.ts'
import type { QueryLogRules } from '../../service/operations/query-log-rules.ts'
import type { ServiceStatuses } from '../../service/operations/service-statuses.ts'
import type { FloatingIps } from '../../service/pools/floating-ips.ts'
import type { Pools } from '../../service/pools/pools.ts'
import type { TsigKeys } from '../../service/pools/tsig-keys.ts'
import type { Recordsets } from '../../service/recordsets/recordsets.ts'
import type { Blacklists } from '../../service/rules/blacklists.ts'
import type { Quotas } from '../../service/rules/quotas.ts'
import type { Tlds } from '../../service/rules/tlds.ts'
import type { ZoneServers } from '../../service/targets/zone-servers.ts'
import type { ZoneExports } from '../../service/zone-files/zone-exports.ts'
import type { ZoneImports } from '../../service/zone-files/zone-imports.ts'
import type { ZoneShares } from '../../service/zones/zone-shares.ts'
import type { ZoneStatistics } from '../../service/zones/zone-statistics.ts'
import type { ZoneTransferAccepts } from '../../service/zones/zone-transfer-accepts.ts'
import type { ZoneTransferRequests } from '../../service/zones/zone-transfer-requests.ts'
import type { Zones } from '../../service/zones/zones.ts'
import type { Route } from '../route.ts'
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
import { exportTaskRoutes, zoneExportRoutes } from './zone-exports.ts'
import { zoneImportRoutes } from './zone-imports.ts'
import { zoneServerRoutes } from './zone-servers.ts'
import { zoneShareRoutes } from './zone-shares.ts'
import { zoneStatisticsRoutes } from './zone-statistics.ts'
import { zonePromotionRoute, zoneTaskRoutes } from './zone-tasks.ts'
import { zoneTransferAcceptRoutes } from './zone-transfer-accepts.ts'
import { zoneTransferRequestRoutes } from './zone-transfer-requests.ts'
import { zoneRoutes } from './zones.ts'

export type DnsServices = {
  readonly zones: Zones
  readonly recordsets: Recordsets
  readonly changeSets: ChangeSets
  readonly history: History
  readonly undo: Undo
  readonly deletedZones: DeletedZones
  readonly zoneStatistics: ZoneStatistics
  readonly zoneServers: ZoneServers
  readonly pastZones: PastZones
  readonly busiest: Busiest
  readonly queryLogRules: QueryLogRules
  readonly updatePolicies: UpdatePolicies
  readonly dnssec: Dnssec
  readonly dnssecKeys: DnssecKeys
  readonly dnssecPolicies: DnssecPolicies
  readonly zoneShares: ZoneShares
  readonly blacklists: Blacklists
  readonly tlds: Tlds
  readonly tsigKeys: TsigKeys
  readonly quotas: Quotas
  readonly zoneTransferRequests: ZoneTransferRequests
  readonly zoneTransferAccepts: ZoneTransferAccepts
  readonly floatingIps: FloatingIps
  readonly zoneExports: ZoneExports
  readonly zoneImports: ZoneImports
  readonly pools: Pools
  readonly serviceStatuses: ServiceStatuses
  readonly cluster: Pick<Cluster, 'nodes' | 'remove'>
}

/** All of the v2 DNS group, to be mounted under `/v2` in the plain dialect, or elsewhere in another. */
export function dnsRoutes(services: DnsServices): readonly Route[] {
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
export function plainOnlyRoutes(services: DnsServices): readonly Route[] {
  return [
    ...zoneTransferAcceptRoutes(services.zoneTransferAccepts, 'transfer_accept'),
    zonePromotionRoute(services.zones),
    ...zoneChangeRoutes(services),
    ...historyRoutes(services),
    ...deletedZoneRoutes(services),
    ...zoneStatisticsRoutes(services.zoneStatistics),
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

/** Undocumented paths that openstacksdk uses. */
export function designateOnlyRoutes({ zoneExports, zoneImports }: DnsServices): readonly Route[] {
  return [...exportTaskRoutes(zoneExports, 'export'), ...zoneImportRoutes(zoneImports, 'import')]
}
