import type { Services as ApiServices } from '../api/services.ts'
import type { Bulk } from '../bulk/bulk.ts'
import type { TransferReason } from '../cluster/cluster.ts'
import type { KeySealing } from '../dnssec/sealed-key.ts'
import type { Pool } from '../model/pool.ts'
import type { Zone } from '../model/zone.ts'
import type { ZoneImport } from '../model/zone-import.ts'
import type { Publisher } from '../publish/publisher.ts'
import type { Busiest } from '../querylog/busiest.ts'
import { ChangeSets } from '../service/changes/change-sets.ts'
import { UpdatePolicies } from '../service/changes/update-policies.ts'
import { Dnssec } from '../service/dnssec/dnssec.ts'
import { DnssecKeys } from '../service/dnssec/dnssec-keys.ts'
import { DnssecPolicies } from '../service/dnssec/policies.ts'
import { DeletedZones } from '../service/history/deleted-zones.ts'
import { History } from '../service/history/history.ts'
import { PastZones } from '../service/history/past-zones.ts'
import { Retention } from '../service/history/retention.ts'
import { Undo } from '../service/history/undo.ts'
import { Diagnostics } from '../service/operations/diagnostics.ts'
import type { QueryLogRules } from '../service/operations/query-log-rules.ts'
import { Reports } from '../service/operations/reports.ts'
import { type ServicePart, ServiceStatuses } from '../service/operations/service-statuses.ts'
import { defaultPoolKeys } from '../service/pools/default-pool-keys.ts'
import { FloatingIps } from '../service/pools/floating-ips.ts'
import { Pools } from '../service/pools/pools.ts'
import { Servers } from '../service/pools/servers.ts'
import { TsigKeys } from '../service/pools/tsig-keys.ts'
import type { Aliases } from '../service/recordsets/aliases.ts'
import { Records } from '../service/recordsets/records.ts'
import { Recordsets } from '../service/recordsets/recordsets.ts'
import { Blacklists } from '../service/rules/blacklists.ts'
import { Quotas } from '../service/rules/quotas.ts'
import type { ZoneAnswers } from '../service/rules/targets.ts'
import { Tlds } from '../service/rules/tlds.ts'
import type { ExternalTargets } from '../service/targets/external-targets.ts'
import { poolTargets } from '../service/targets/pool-targets.ts'
import { ZoneServers } from '../service/targets/zone-servers.ts'
import { ZoneSync } from '../service/targets/zone-sync.ts'
import { ZoneExports } from '../service/zone-files/zone-exports.ts'
import { ZoneImports } from '../service/zone-files/zone-imports.ts'
import { AbandonedZones } from '../service/zones/abandoned-zones.ts'
import { ApexRewrites } from '../service/zones/apex-rewrites.ts'
import { ZoneRemoval } from '../service/zones/zone-removal.ts'
import { ZoneShares } from '../service/zones/zone-shares.ts'
import { ZoneTransferAccepts } from '../service/zones/zone-transfer-accepts.ts'
import { ZoneTransferRequests } from '../service/zones/zone-transfer-requests.ts'
import { Zones } from '../service/zones/zones.ts'
import type { PoolServers } from '../transport/pool-servers.ts'
import type { CommonParts } from './options.ts'
import type { Outbound } from './outbound.ts'

// The composition root's part for the management of zones: the services and their parts.

/** The services behind the API, and their background work. */
export type Services = ApiServices & {
  readonly rewrites: ApexRewrites
  readonly removal: ZoneRemoval
}

/** The parts of this server that services work with. */
export type ServiceParts = Pick<CommonParts, 'store' | 'cluster' | 'clock'> & {
  /** Reads zone files. */
  readonly bulk: Bulk
  readonly sealing: KeySealing
  readonly publisher: Publisher
  readonly servers: PoolServers
  readonly externalTargets: ExternalTargets
  /** Keeps the addresses of ALIAS recordsets. */
  readonly aliases: Aliases
  readonly busiest: Busiest
  readonly queryLogRules: QueryLogRules
  /** Counts of the answers for a zone. */
  readonly answersOf: (zone: Zone) => ZoneAnswers
  readonly serviceParts: () => readonly ServicePart[]
}

export type ServiceOptions = ServiceParts &
  Omit<Outbound, 'reaches' | 'transferClient'> & {
    readonly minTtlSeconds: number
    /** Whether all projects are in the store; if not, another identity service has them. */
    readonly knowsProjects: boolean
    /** The name of this machine. */
    readonly hostname: string
    /** Called with a zone to be fetched from its masters now. */
    readonly onTransferWanted: (zone: Zone, reason?: TransferReason) => void
    /** Called with background work that failed and will be retried. */
    readonly onRemovalFailed: (zone: Zone, error: unknown) => void
    readonly onRewriteFailed: (pool: Pool, error: unknown) => void
    readonly onSigningFailed: (zoneId: string, error: unknown) => void
    /** Called with the cause when an import fails; the import itself only shows that it has failed. */
    readonly onImportFailed: (row: ZoneImport, error: unknown) => void
  }

/** Opens the services; from now on a zone is removed once the external targets have released it. */
export function openServices(options: ServiceOptions): Services {
  const { store, externalTargets } = options
  const targets = poolTargets({ ...options, inProcess: options.publisher })
  const removal = new ZoneRemoval({ store, targets })
  externalTargets.onReleased = zone => void removal.remove(zone)
  const changeSets = new ChangeSets(options)
  const zones = new Zones({ ...options, targets, removal, changeSets })
  const rewrites = new ApexRewrites(store)
  const pools = new Pools({ ...options, rewrites })
  const tsigKeys = new TsigKeys(store)
  const updatePolicies = new UpdatePolicies(store)
  const zoneShares = new ZoneShares(options)
  const signing = signingServices(options)
  return {
    ...olderServices(options, { pools, tsigKeys }),
    reports: new Reports(options),
    abandonedZones: new AbandonedZones(store),
    removal,
    rewrites,
    pools,
    cluster: options.cluster,
    serviceStatuses: new ServiceStatuses({ ...options, parts: options.serviceParts }),
    zones,
    recordsets: new Recordsets({ ...options, targets }),
    changeSets,
    ...pastServices(
      options,
      { changeSets, dnssec: signing.dnssec },
      { zones, updatePolicies, zoneShares },
    ),
    busiest: options.busiest,
    queryLogRules: options.queryLogRules,
    zoneServers: new ZoneServers({ ...options, ask: options.askServer }),
    updatePolicies,
    ...signing,
    blacklists: new Blacklists(store),
    tlds: new Tlds(store),
    tsigKeys,
    quotas: new Quotas(options),
    zoneShares,
    zoneTransferRequests: new ZoneTransferRequests(store),
    zoneTransferAccepts: new ZoneTransferAccepts(store),
    floatingIps: new FloatingIps({ ...options, targets }),
    zoneExports: new ZoneExports(store),
    zoneImports: new ZoneImports({
      ...options,
      zones,
      removal,
      node: options.cluster.node,
      onFailed: options.onImportFailed,
    }),
  }
}

/** The services that read the log, and restore earlier states. */
function pastServices(
  { store, clock, knowsProjects }: ServiceOptions,
  { changeSets, dnssec }: Pick<Services, 'changeSets' | 'dnssec'>,
  settings: Pick<Services, 'zones' | 'updatePolicies' | 'zoneShares'>,
): Pick<Services, 'history' | 'pastZones' | 'undo' | 'deletedZones'> {
  const retention = new Retention({ store, clock })
  const deletedZones = new DeletedZones({
    ...{ store, zones: settings.zones, knowsProjects, retention },
    restoreKeys: (tx, zone, keys) => dnssec.restoreKeys(tx, zone, keys),
  })
  const history = new History({ store, deletedZones, retention })
  return {
    history,
    deletedZones,
    pastZones: new PastZones({ store, history, retention }),
    undo: new Undo({ store, changeSets, retention, settings }),
  }
}

function signingServices(
  options: ServiceOptions,
): Pick<Services, 'dnssec' | 'dnssecKeys' | 'dnssecPolicies'> {
  const { store, clock, onSigningFailed: onFailed } = options
  const { duty } = options.cluster
  const { signed } = options.publisher
  const nowMillis = () => clock.nowMillis()
  return {
    dnssec: new Dnssec({ ...options, duty, signed, nowMillis, onFailed }),
    dnssecKeys: new DnssecKeys({ ...options, keyOf: row => signed.keyOf(row) }),
    dnssecPolicies: new DnssecPolicies(store),
  }
}

/** The services that only the older group of the API needs. */
function olderServices(
  options: ServiceOptions,
  { pools, tsigKeys }: { readonly pools: Pools; readonly tsigKeys: TsigKeys },
) {
  const { store, publisher, serviceParts: parts, externalTargetClient: client } = options
  return {
    nameServers: new Servers(pools),
    defaultPoolKeys: defaultPoolKeys(store, tsigKeys),
    records: new Records(options),
    zoneSync: new ZoneSync({ ...options, inProcess: publisher }),
    diagnostics: new Diagnostics({ ...options, parts, client }),
  }
}
