import type { Cluster } from '../cluster/cluster.ts'
import type { Busiest } from '../querylog/busiest.ts'
import type { ChangeSets } from '../service/changes/change-sets.ts'
import type { UpdatePolicies } from '../service/changes/update-policies.ts'
import type { Dnssec } from '../service/dnssec/dnssec.ts'
import type { DnssecKeys } from '../service/dnssec/dnssec-keys.ts'
import type { DnssecPolicies } from '../service/dnssec/policies.ts'
import type { DeletedZones } from '../service/history/deleted-zones.ts'
import type { History } from '../service/history/history.ts'
import type { PastZones } from '../service/history/past-zones.ts'
import type { Undo } from '../service/history/undo.ts'
import type { Diagnostics } from '../service/operations/diagnostics.ts'
import type { QueryLogRules } from '../service/operations/query-log-rules.ts'
import type { Reports } from '../service/operations/reports.ts'
import type { ServiceStatuses } from '../service/operations/service-statuses.ts'
import type { DefaultPoolKeys } from '../service/pools/default-pool-keys.ts'
import type { FloatingIps } from '../service/pools/floating-ips.ts'
import type { Pools } from '../service/pools/pools.ts'
import type { Servers } from '../service/pools/servers.ts'
import type { TsigKeys } from '../service/pools/tsig-keys.ts'
import type { Records } from '../service/recordsets/records.ts'
import type { Recordsets } from '../service/recordsets/recordsets.ts'
import type { Blacklists } from '../service/rules/blacklists.ts'
import type { Quotas } from '../service/rules/quotas.ts'
import type { Tlds } from '../service/rules/tlds.ts'
import type { ZoneServers } from '../service/targets/zone-servers.ts'
import type { ZoneSync } from '../service/targets/zone-sync.ts'
import type { ZoneExports } from '../service/zone-files/zone-exports.ts'
import type { ZoneImports } from '../service/zone-files/zone-imports.ts'
import type { AbandonedZones } from '../service/zones/abandoned-zones.ts'
import type { ZoneShares } from '../service/zones/zone-shares.ts'
import type { ZoneTransferAccepts } from '../service/zones/zone-transfer-accepts.ts'
import type { ZoneTransferRequests } from '../service/zones/zone-transfer-requests.ts'
import type { Zones } from '../service/zones/zones.ts'

/** The services behind the API, of which each group of it calls some. */
export type Services = {
  readonly zones: Zones
  readonly recordsets: Recordsets
  readonly changeSets: ChangeSets
  readonly history: History
  readonly undo: Undo
  readonly deletedZones: DeletedZones
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
  readonly zoneSync: ZoneSync
  readonly abandonedZones: AbandonedZones
  readonly records: Records
  readonly reports: Reports
  readonly diagnostics: Diagnostics
  /** The default pool's. */
  readonly nameServers: Servers
  readonly defaultPoolKeys: DefaultPoolKeys
}
