import { openServices, type Services } from '../../src/app/services.ts'
import { openZoneAnswers } from '../../src/app/zone-answers.ts'
import { Backups } from '../../src/backup/backups.ts'
import { Bulk } from '../../src/bulk/bulk.ts'
import type { TransferReason } from '../../src/cluster/cluster.ts'
import { alone } from '../../src/cluster/cluster.ts'
import { soleDuty } from '../../src/cluster/duty.ts'
import { parseName } from '../../src/dns/name.ts'
import type { OnDemandKeys } from '../../src/dnssec/on-demand.ts'
import { KeySealing } from '../../src/dnssec/sealed-key.ts'
import { signBatch } from '../../src/dnssec/sign-batch.ts'
import type { Caller, RoleName } from '../../src/identity/caller.ts'
import { withImpliedRoles } from '../../src/identity/policy.ts'
import { OutboundAddresses } from '../../src/model/outbound-address.ts'
import { defaultPoolId } from '../../src/model/pool.ts'
import { listenAddressesOf } from '../../src/model/pool-attributes.ts'
import type { Zone } from '../../src/model/zone.ts'
import type { ZoneDraft } from '../../src/model/zone-draft.ts'
import { openResponder } from '../../src/nameserver/responder.ts'
import type { PublishProblem } from '../../src/publish/publish-problems.ts'
import { Publisher, type PublisherOptions, type Target } from '../../src/publish/publisher.ts'
import { ZoneKeys } from '../../src/publish/zone-keys.ts'
import { Busiest } from '../../src/querylog/busiest.ts'
import { Consistency } from '../../src/service/consistency/consistency.ts'
import type { AskParent, NotifyParent } from '../../src/service/dnssec/parent-check.ts'
import { QueryLogRules } from '../../src/service/operations/query-log-rules.ts'
import type { ServicePart } from '../../src/service/operations/service-statuses.ts'
import { ensureDefaultPool } from '../../src/service/pools/pools.ts'
import { Aliases, type ResolveAddresses } from '../../src/service/recordsets/aliases.ts'
import { Quotas } from '../../src/service/rules/quotas.ts'
import type { ZoneAnswers } from '../../src/service/rules/targets.ts'
import type { ExternalTargetClient } from '../../src/service/targets/external-target-client.ts'
import { ExternalTargets } from '../../src/service/targets/external-targets.ts'
import { HostAddresses } from '../../src/service/targets/host-addresses.ts'
import { servedZonePages } from '../../src/service/zones/abandoned-zones.ts'
import { everything } from '../../src/store/indexes.ts'
import type { Commit, Store } from '../../src/store/store.ts'
import { answerFrom } from '../../src/transport/answer.ts'
import { Listeners } from '../../src/transport/listeners.ts'
import { PoolServers } from '../../src/transport/pool-servers.ts'
import type { TargetZones } from '../../src/zone/table/target-zones.ts'
import type { ZoneTable } from '../../src/zone/table/zone-table.ts'
import { type FakeClock, fakeClock } from './clock.ts'
import { openMemoryStore } from './memory-store.ts'
import { openTable } from './zone-table.ts'

// The management plane with the app's own services, on a memory store, with one target that nobody queries.

export type TestDns = Services & {
  readonly store: Store
  readonly clock: FakeClock
  readonly targets: readonly Target[]
  /** The first target's zones. */
  readonly served: TargetZones
  readonly table: ZoneTable
  readonly consistency: Consistency
  readonly backups: Backups
  readonly publisher: Publisher
  readonly servers: PoolServers
  readonly externalTargets: ExternalTargets
  readonly aliases: Aliases
  readonly answersOf: (zone: Zone) => ZoneAnswers
  /** Zones and servers elsewhere that did not acknowledge a NOTIFY. */
  readonly unacknowledged: string[]
  /** The parts of the service statuses. */
  readonly serviceParts: ServicePart[]
  /** The problems that the publisher has reported. */
  readonly problems: PublishProblem[]
  /** Zones whose masters were told of. */
  readonly mastersSet: Zone[]
  readonly transferReasons: (TransferReason | undefined)[]
}

const noQuotas = { zones: -1, zoneRecordsets: -1, zoneRecords: -1, recordsetRecords: -1 }
/** Projects without quotas, for tests that fill them; any other has the default quotas. */
const roomyProjects = ['one', 'two', 'alpha', 'beta']

export type TestDnsOptions = {
  readonly store?: Store
  /** That of the store. */
  readonly clock?: FakeClock
  readonly targetNames?: readonly string[]
  /** Memory of the zone table, at most. */
  readonly tableOctets?: number
  readonly minTtlSeconds?: number
  /** The worker for whole zones; by default, it works at once, in this thread. */
  readonly bulk?: Bulk
  /** The resolver of the addresses that aliases lead to; none by default. */
  readonly resolve?: ResolveAddresses
  /** Whether projects must be in the store; by default, any project id is accepted. */
  readonly knowsProjects?: boolean
  /** The external name servers; by default, they do not answer. */
  readonly externalTargetClient?: ExternalTargetClient
  readonly onPublished?: (commit: Commit) => void
  /** The signer of whole zones; by default, it signs at once. */
  readonly signBatch?: PublisherOptions['signBatch']
  /** Zones are signed before they are served when not given. */
  readonly onDemandKeys?: OnDemandKeys | undefined
  /** The DS that parents of zones have; unknown by default. */
  readonly askParent?: AskParent
  readonly notifyParent?: NotifyParent
}

export async function openDns(options: TestDnsOptions = {}): Promise<TestDns> {
  const clock = options.clock ?? fakeClock()
  const store = options.store ?? openMemoryStore({ clock })
  const table = openTable(options.tableOctets ? { reserveOctets: options.tableOctets } : {})
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
  const transferReasons: (TransferReason | undefined)[] = []
  const { externalTargetClient = silentClient } = options
  const servers = openPoolServers(store, { table, shared: served })
  const externalTargets = new ExternalTargets({
    duty: soleDuty,
    store,
    client: externalTargetClient,
    hosts: new HostAddresses({ resolveHost: async () => [] }),
    pause: async () => undefined,
    onUnacknowledged: (zone, server, reason) =>
      unacknowledged.push(`${zone.name} ${server}: ${reason}`),
    onBroken: (_zone, error) => {
      throw error
    },
  })
  const targetsOf = (poolId: string): readonly Target[] =>
    poolId === defaultPoolId ? targets : [{ name: 'resolver', zones: servers.zonesOf(poolId) }]
  const sealing = new KeySealing('a secret')
  const followers: ((commit: Commit) => void)[] = []
  const publisher = new Publisher({
    store,
    table,
    targetsOf,
    zoneKeys: new ZoneKeys({ store, sealing, nowMillis: () => clock.nowMillis() }),
    signBatch: options.signBatch ?? (async batch => signBatch(batch)),
    ...(options.onDemandKeys && { onDemandKeys: options.onDemandKeys }),
    onProblem: problem => problems.push(problem),
    onPublished: commit => {
      externalTargets.commitPublished(commit)
      aliases.commitPublished(commit)
      for (const follow of followers) follow(commit)
      options.onPublished?.(commit)
    },
  })
  const aliases = new Aliases({
    duty: soleDuty,
    store,
    clock,
    resolve: options.resolve,
    onFailed: () => undefined,
  })
  await ensureDefaultPool(store)
  await publisher.start()
  const onFailed = (_row: unknown, error: unknown) => {
    throw error
  }
  const answersOf = openZoneAnswers({ table, zonesOf: id => servers.zonesOf(id), clock })
  const busiest = new Busiest({
    clock,
    zoneOf: () => undefined,
    hidesHosts: false,
    takeNoted: () => undefined,
  })
  const services = openServices({
    store,
    cluster: alone,
    bulk: options.bulk ?? new Bulk({ maxThreads: 0 }),
    clock,
    sealing,
    minTtlSeconds: options.minTtlSeconds ?? 0,
    knowsProjects: options.knowsProjects ?? false,
    outboundAddresses: new OutboundAddresses({ allowed: [], ownAddresses: () => ['203.0.113.53'] }),
    hosts: new HostAddresses({ resolveHost: async () => [] }),
    askServer: async () => ({ reason: 'nobody is asked here' }),
    hostname: 'ns.example',
    publisher,
    servers,
    externalTargets,
    aliases,
    queryLogRules: new QueryLogRules(store, clock, true),
    externalTargetClient,
    askParent: options.askParent ?? (async () => ({ parent: null, servers: [] })),
    notifyParent: options.notifyParent ?? (async () => []),
    serviceParts: () => parts,
    answersOf,
    busiest,
    onTransferWanted: (zone, reason) => {
      mastersSet.push(zone)
      transferReasons.push(reason)
    },
    onRemovalFailed: onFailed,
    onRewriteFailed: onFailed,
    onSigningFailed: onFailed,
    onImportFailed: onFailed,
  })
  // Projects need not be there for that.
  const anyQuotas = new Quotas({ store, knowsProjects: false })
  for (const projectId of roomyProjects) await anyQuotas.set(projectId, noQuotas)
  followers.push(commit => services.dnssec.commitPublished(commit))
  return {
    ...services,
    store,
    clock,
    targets,
    served,
    table,
    consistency: new Consistency({
      store,
      table,
      targetsOf,
      isMoving: id => servers.isMoving(id),
      isPublishing: id => publisher.isPublishing(id),
    }),
    backups: new Backups({ directory: '/', parts: [], clock, version: 'test' }),
    publisher,
    servers,
    externalTargets,
    aliases,
    answersOf,
    unacknowledged,
    serviceParts: parts,
    problems,
    mastersSet,
    transferReasons,
  }
}

const silentClient: ExternalTargetClient = {
  probe: async () => ({ kind: 'failed', reason: 'no answer' }),
  notify: async () => 'no answer',
}

function openPoolServers(
  store: Store,
  { table, shared }: { table: ZoneTable; shared: TargetZones },
): PoolServers {
  const servers: PoolServers = new PoolServers({
    shared,
    createZones: () => table.addTarget(),
    openListeners: (zones, address) =>
      Listeners.open({
        addresses: [address],
        answer: answerFrom(openResponder(table.readers.open(zones).handle)),
        report: error => {
          throw error
        },
      }),
    *apexesOf(poolId) {
      for (const zones of servedZonePages(store, poolId)) {
        yield zones.map(({ name }) => parseName(name))
      }
    },
  })
  for (const pool of store.list('pools', 'all', everything)) {
    servers.add(pool.id, listenAddressesOf(pool))
  }
  return servers
}

/** A zone file as it arrives. */
export function piecesOf(text: string): readonly Uint8Array[] {
  return [new TextEncoder().encode(text)]
}

export function callerOf(projectId: string, role: RoleName = 'member'): Caller {
  return {
    userId: `user-of-${projectId}`,
    userName: `user-of-${projectId}`,
    projectId,
    roles: withImpliedRoles([role]),
    hasAllProjects: false,
    mayEditManagedRecords: false,
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

/** A recordset of records that do not matter. */
export function addresses(name: string, ...records: string[]) {
  const values = records.length === 0 ? ['192.0.2.1'] : records
  return { name, type: 'A', ttlSeconds: null, description: null, records: values }
}

/** Returns all entries of a list. */
export const everyRow = {
  limit: 1_000_000,
  marker: undefined,
  isDescending: false,
  sortBy: undefined,
  matches: undefined,
  name: undefined,
}
