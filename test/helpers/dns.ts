import { parseName } from '../../src/dns/name.ts'
import type { Caller, RoleName } from '../../src/identity/caller.ts'
import { withImpliedRoles } from '../../src/identity/policy.ts'
import { defaultPoolId } from '../../src/model/pool.ts'
import { listenAddressesOf } from '../../src/model/pool-attributes.ts'
import type { Zone } from '../../src/model/zone.ts'
import type { ZoneDraft } from '../../src/model/zone-draft.ts'
import { processQuery } from '../../src/nameserver/process-query.ts'
import { Publisher, type PublishProblem, type Target } from '../../src/publish.ts'
import { ApexRewrites } from '../../src/service/apex-rewrites.ts'
import { Blacklists } from '../../src/service/blacklists.ts'
import { Consistency } from '../../src/service/consistency/consistency.ts'
import { DefaultPoolKeys } from '../../src/service/default-pool-keys.ts'
import { Diagnostics } from '../../src/service/diagnostics.ts'
import { FloatingIps } from '../../src/service/floating-ips.ts'
import type { OutsideClient } from '../../src/service/outside-client.ts'
import { OutsideServers } from '../../src/service/outside-servers.ts'
import { PoolTargets } from '../../src/service/pool-targets.ts'
import { ensureDefaultPool, Pools } from '../../src/service/pools.ts'
import { Quotas } from '../../src/service/quotas.ts'
import { Records } from '../../src/service/records.ts'
import { Recordsets } from '../../src/service/recordsets.ts'
import { Reports } from '../../src/service/reports.ts'
import { rowPages } from '../../src/service/row-pages.ts'
import { Servers } from '../../src/service/servers.ts'
import { type ServicePart, ServiceStatuses } from '../../src/service/service-statuses.ts'
import { Tlds } from '../../src/service/tlds.ts'
import { TsigKeys } from '../../src/service/tsig-keys.ts'
import { ZoneExports } from '../../src/service/zone-exports.ts'
import { ZoneImports } from '../../src/service/zone-imports.ts'
import { ZoneRemoval } from '../../src/service/zone-removal.ts'
import { ZoneShares } from '../../src/service/zone-shares.ts'
import { ZoneSync } from '../../src/service/zone-sync.ts'
import { ZoneTransferAccepts } from '../../src/service/zone-transfer-accepts.ts'
import { ZoneTransferRequests } from '../../src/service/zone-transfer-requests.ts'
import { Zones } from '../../src/service/zones.ts'
import { everything } from '../../src/store/indexes.ts'
import { openMemoryStore } from '../../src/store/memory-store.ts'
import type { Store } from '../../src/store/store.ts'
import { Listeners } from '../../src/transport/listeners.ts'
import { PoolServers } from '../../src/transport/pool-servers.ts'
import type { TableZone } from '../../src/zone/table/table-zone.ts'
import type { TargetZones } from '../../src/zone/table/target-zones.ts'
import type { ZoneTable } from '../../src/zone/table/zone-table.ts'
import { type FakeClock, fakeClock } from './clock.ts'
import { openTable } from './zone-table.ts'

// The management plane as app.ts wires it, on a memory store, with one target that nobody queries.

export type TestDns = {
  readonly store: Store
  readonly clock: FakeClock
  readonly targets: readonly Target[]
  /** The first target's zones. */
  readonly served: TargetZones
  readonly table: ZoneTable
  readonly consistency: Consistency
  readonly publisher: Publisher
  readonly removal: ZoneRemoval
  readonly zones: Zones
  readonly recordsets: Recordsets
  readonly records: Records
  readonly blacklists: Blacklists
  readonly tlds: Tlds
  readonly tsigKeys: TsigKeys
  readonly quotas: Quotas
  readonly reports: Reports
  readonly zoneShares: ZoneShares
  readonly zoneTransferRequests: ZoneTransferRequests
  readonly zoneTransferAccepts: ZoneTransferAccepts
  readonly servers: TestPoolServers
  readonly outside: OutsideServers
  /** Zones and servers elsewhere that did not acknowledge a NOTIFY. */
  readonly unacknowledged: string[]
  readonly pools: Pools
  /** The default pool's. */
  readonly nameServers: Servers
  readonly defaultPoolKeys: DefaultPoolKeys
  readonly zoneSync: ZoneSync
  readonly diagnostics: Diagnostics
  readonly rewrites: ApexRewrites
  readonly serviceStatuses: ServiceStatuses
  /** What the service statuses are made of. */
  readonly serviceParts: ServicePart[]
  readonly floatingIps: FloatingIps
  readonly zoneExports: ZoneExports
  readonly zoneImports: ZoneImports
  /** What the publisher has complained of. */
  readonly problems: PublishProblem[]
  /** Zones whose masters were told of. */
  readonly mastersSet: Zone[]
}

const noQuotas = { zones: -1, zoneRecordsets: -1, zoneRecords: -1, recordsetRecords: -1 }
/** Projects that tests fill without minding quotas; any other has the default ones. */
const roomyProjects = ['one', 'two', 'alpha', 'beta']

export type TestPoolServers = PoolServers<TableZone, TargetZones>

export type TestDnsOptions = {
  readonly store?: Store
  readonly targetNames?: readonly string[]
  readonly minTtlSeconds?: number
  /** The name servers elsewhere; they do not answer when not given. */
  readonly outsideClient?: OutsideClient
}

export async function openDns(options: TestDnsOptions = {}): Promise<TestDns> {
  const clock = fakeClock()
  const store = options.store ?? openMemoryStore({ clock })
  const table = openTable()
  const served = table.addTarget()
  const [first = 'resolver', ...others] = options.targetNames ?? []
  const targets = [
    { name: first, zones: served },
    ...others.map(name => ({ name, zones: table.addTarget() })),
  ]
  const parts: ServicePart[] = []
  const unacknowledged: string[] = []
  const problems: PublishProblem[] = []
  const mastersSet: Zone[] = []
  const { outsideClient = silentClient } = options
  const servers = openPoolServers(store, { table, shared: served })
  const outside = new OutsideServers({
    store,
    client: outsideClient,
    pause: async () => undefined,
    onUnacknowledged: (zone, server) => unacknowledged.push(`${zone.name} ${server}`),
    onBroken: (_zone, error) => {
      throw error
    },
  })
  const targetsOf = (poolId: string): readonly Target[] =>
    poolId === defaultPoolId ? targets : [{ name: 'resolver', zones: servers.zonesOf(poolId) }]
  const publisher = new Publisher({
    store,
    table,
    targetsOf,
    onProblem: problem => problems.push(problem),
    onPublished: commit => outside.commitPublished(commit),
  })
  await ensureDefaultPool(store)
  await publisher.start()
  const inProcess = publisher
  const poolTargets = new PoolTargets({ inProcess, servers, outside })
  const removal = new ZoneRemoval({ store, targets: poolTargets })
  const rewrites = new ApexRewrites(store)
  outside.onReleased = zone => void removal.remove(zone)
  const { minTtlSeconds = 0 } = options
  const zones = new Zones({
    store,
    targets: poolTargets,
    removal,
    minTtlSeconds,
    onTransferWanted: zone => mastersSet.push(zone),
    onRemovalFailed: (_zone, error) => {
      throw error
    },
  })
  const recordsets = new Recordsets({ store, targets: poolTargets, minTtlSeconds })
  const quotas = new Quotas({ store, minTtlSeconds })
  for (const projectId of roomyProjects) await quotas.set(projectId, noQuotas)
  const tsigKeys = new TsigKeys(store)
  const pools = new Pools({
    store,
    servers,
    rewrites,
    onChanged: pool => void outside.poolChanged(pool),
    onRewriteFailed: (_pool, error) => {
      throw error
    },
  })
  const statusOptions = { hostname: 'ns.example', parts: () => parts }
  return {
    store,
    clock,
    targets,
    served,
    table,
    consistency: new Consistency({ store, table, targetsOf, isMoving: id => servers.isMoving(id) }),
    publisher,
    removal,
    zones,
    recordsets,
    records: new Records({ store, minTtlSeconds }),
    blacklists: new Blacklists(store),
    tlds: new Tlds(store),
    tsigKeys,
    quotas,
    reports: new Reports({ store, outside }),
    zoneShares: new ZoneShares(store),
    zoneTransferRequests: new ZoneTransferRequests(store),
    zoneTransferAccepts: new ZoneTransferAccepts(store),
    servers,
    outside,
    unacknowledged,
    rewrites,
    pools,
    nameServers: new Servers(pools),
    defaultPoolKeys: new DefaultPoolKeys({ store, tsigKeys }),
    zoneSync: new ZoneSync({ store, inProcess, outside }),
    diagnostics: new Diagnostics({ ...statusOptions, store, client: outsideClient }),
    serviceStatuses: new ServiceStatuses({ ...statusOptions, clock }),
    serviceParts: parts,
    floatingIps: new FloatingIps({ store, targets: poolTargets, minTtlSeconds }),
    zoneExports: new ZoneExports(store),
    zoneImports: new ZoneImports({
      store,
      minTtlSeconds,
      zones,
      removal,
      onFailed: (_row, error) => {
        throw error
      },
    }),
    problems,
    mastersSet,
  }
}

const silentClient: OutsideClient = {
  probe: async () => ({ kind: 'failed', reason: 'no answer' }),
  notify: async () => false,
}

function openPoolServers(
  store: Store,
  { table, shared }: { table: ZoneTable; shared: TargetZones },
): TestPoolServers {
  const servers: TestPoolServers = new PoolServers({
    shared,
    createZones: () => table.addTarget(),
    openListeners: (zones, address) =>
      Listeners.open({
        addresses: [address],
        answer: (request, transport, buffer) => processQuery(request, { zones, transport, buffer }),
        report: error => {
          throw error
        },
      }),
    *apexesOf(poolId) {
      for (const zones of rowPages(store, 'zones', { index: 'byPool', key: poolId })) {
        yield zones.map(({ name }) => parseName(name))
      }
    },
  })
  for (const pool of store.list('pools', 'all', everything)) {
    servers.add(pool.id, listenAddressesOf(pool))
  }
  return servers
}

export function callerOf(projectId: string, role: RoleName = 'member'): Caller {
  return {
    userId: `user-of-${projectId}`,
    userName: `user-of-${projectId}`,
    projectId,
    roles: withImpliedRoles([role]),
    hasAllProjects: false,
    mayEditManagedRecords: false,
    wantsHardDelete: false,
    wantsDeleteShares: false,
  }
}

export function primary(name: string, changes: Partial<ZoneDraft> = {}): ZoneDraft {
  return {
    name,
    type: 'PRIMARY',
    email: 'ops@example.com',
    ttlSeconds: null,
    description: null,
    masters: [],
    attributes: {},
    ...changes,
  }
}

export function secondary(name: string, changes: Partial<ZoneDraft> = {}): ZoneDraft {
  return primary(name, { type: 'SECONDARY', email: null, masters: ['192.0.2.53'], ...changes })
}

/** A record set of records that do not matter. */
export function addresses(name: string, ...records: string[]) {
  const values = records.length === 0 ? ['192.0.2.1'] : records
  return { name, type: 'A', ttlSeconds: null, description: null, records: values }
}

/** Asks a list for all it has. */
export const everyRow = {
  limit: 1_000_000,
  marker: undefined,
  isDescending: false,
  sortBy: undefined,
  matches: undefined,
  name: undefined,
}
