import { actingAs } from '../../actor.ts'
import type { Bulk } from '../../bulk/bulk.ts'
import type { PackedCopy, TransferReading } from '../../bulk/read-transfer.ts'
import { WorkerDiedError } from '../../bulk/worker-pool.ts'
import type { Clock } from '../../clock.ts'
import { alone, type Cluster } from '../../cluster/cluster.ts'
import { types } from '../../dns/codes.ts'
import { lowerCaseName, parseName } from '../../dns/name.ts'
import { parseMaster } from '../../model/masters.ts'
import { knownSerial, type RefreshBounds, type RefreshFailure } from '../../model/refresh.ts'
import { namerOf, type Zone } from '../../model/zone.ts'
import { Semaphore, type SemaphoreLimits } from '../../semaphore.ts'
import type { Store } from '../../store/store.ts'
import type { ReceivedDifference } from '../../zone/difference-in.ts'
import type {
  SerialRequest,
  TransferQuota,
  TransferRequest,
  TransferResult,
} from '../../zone/transfer-in.ts'
import type { TransferFailure } from '../../zone/transfer-response.ts'
import { transferKeyOf } from '../rules/transfer-policy.ts'
import { compareMasters, type MasterComparison } from './master-comparison.ts'
import { type MasterFailure, ownFailure, refreshFailure } from './refresh-failure.ts'
import {
  findUnchanged,
  installCopy,
  installDifference,
  type MomentAt,
  noteCurrent,
  noteFailure,
} from './secondary-rows.ts'
import type { TransferClient } from './transfer-client.ts'
import { ceilingOctets, TransferCeiling, transferQuotaOf } from './transfer-limits.ts'

// One refresh of a SECONDARY zone: its masters are asked, and what they send is written. A failure changes only the zone's
// row: the stored copy is served until it expires.

export type RefreshOptions = {
  readonly store: Store
  readonly clock: Clock
  /** The node with the duty makes the transfers; other nodes pass requests on to it. */
  readonly cluster?: Pick<Cluster, 'duty' | 'wantTransfer'>
  readonly client: TransferClient
  /** Reads the transfers. */
  readonly bulk: Bulk
  /** In [0, 1). */
  readonly random: () => number
  readonly onEvent: (event: SecondaryEvent) => void
  /** Concurrent refreshes of each project, and in all. */
  readonly limits?: SemaphoreLimits
  /** Of all running transfers together. */
  readonly maxHeldOctets?: number
  readonly stragglersMs?: number
}

/** What a watcher of secondary zones should know. */
export type SecondaryEvent =
  | {
      readonly kind: 'transferred'
      readonly zone: string
      readonly master: string
      readonly serial: number
      /** Whether the master has sent the zone or a difference. */
      readonly content: 'zone' | 'difference'
      readonly changeCount: number
      /** Records in the transfer that do not belong to the zone. */
      readonly outsideCount: number
    }
  | {
      readonly kind: 'failed'
      readonly zone: string
      readonly reason: string
      /** Consecutive failures, this one included. */
      readonly failureCount: number
      /** Whether the last attempt failed for the same reason. */
      readonly isRepeated: boolean
    }
  | {
      readonly kind: 'expired'
      readonly zone: string
      /** Why the last attempt failed; null if there was none. */
      readonly reason: string | null
    }
  /** An error of this server, not of a master. */
  | { readonly kind: 'broken'; readonly zone: string; readonly error: unknown }

/** A project with slow masters holds up only its own zones; concurrent transfers fit the ceiling because of quotas. Few
 *  requests to one master leave room for its other secondaries. */
const defaultLimits: SemaphoreLimits = { maxRunning: 64, maxRunningPerKey: 8 }
const hostLimits: SemaphoreLimits = {
  maxRunning: Number.POSITIVE_INFINITY,
  maxRunningPerKey: 2,
}

/** How much longer than the first master the others may take to give their serial. */
const defaultStragglersMs = 3_000
const straggled: TransferFailure = {
  kind: 'silent',
  reason: 'no answer for long after another master',
}

/** The result of a refresh. */
type Answered = {
  readonly master?: string
  readonly copy?: PackedCopy | undefined
  /** For how long the copy is valid, where its master says so. */
  readonly expireSeconds?: number | undefined
  /** Failures of other masters. */
  readonly failures: readonly MasterFailure[]
}

/** Refreshes zones, a limited number at once for each project and in all. */
export class MasterRefresh {
  readonly #options: RefreshOptions
  readonly #cluster: Pick<Cluster, 'duty' | 'wantTransfer'>
  readonly #momentAt: MomentAt
  readonly #byProject: Semaphore
  /** For each project separately: a project need not wait for requests of others to the same host. */
  readonly #byHost = new Semaphore(hostLimits)
  readonly #ceiling: TransferCeiling
  readonly #stragglersMs: number
  readonly #stop: AbortSignal

  /** @param stop ends running refreshes */
  constructor(options: RefreshOptions, bounds: RefreshBounds, stop: AbortSignal) {
    const { limits = defaultLimits, maxHeldOctets = ceilingOctets, random } = options
    const { stragglersMs = defaultStragglersMs } = options
    this.#options = options
    this.#cluster = options.cluster ?? alone
    this.#momentAt = atMicros => ({ atMicros, random: random(), bounds })
    this.#byProject = new Semaphore(limits)
    this.#ceiling = new TransferCeiling(maxHeldOctets)
    this.#stragglersMs = stragglersMs
    this.#stop = stop
  }

  /** Asks the zone's masters once, writes what they say, and reports it.
   *  @param isWhole whether their zone is taken even if its serial is not newer
   *  @throws Error the store refuses, or an error of this server */
  async refresh(zone: Zone, { isWhole = false }: { isWhole?: boolean } = {}): Promise<void> {
    const known = isWhole ? undefined : knownSerial(zone)
    const comparison =
      zone.masters.length === 1
        ? notCompared(zone.masters)
        : await this.#compareMasters(zone, known)
    const { newer, isCurrent, expireSeconds, failures } = comparison
    for (const master of newer) {
      const failure = await this.#transfer(zone, { master, known, elsewhere: failures })
      if (failure === undefined || !this.#isWanted(zone)) return
      failures.push({ master, failure })
      // The other masters would send as much.
      if (failure.kind === 'over-quota') break
    }
    if (!this.#isWanted(zone)) return
    if (newer.length === 0 && isCurrent) await this.#keep(zone, { expireSeconds, failures })
    else await this.#noteFailure(zone, refreshFailure(failures))
  }

  /** Asks all masters for their serial. Once one has answered, the others get a little more time. */
  async #compareMasters(zone: Zone, known: number | undefined): Promise<MasterComparison> {
    const stragglers = new AbortController()
    const signal = AbortSignal.any([stragglers.signal, this.#stop])
    let timer: NodeJS.Timeout | undefined
    const ask = async (master: string) => {
      const verdict = await this.#withMaster(zone, master, request =>
        this.#options.client.askSerial(request, signal),
      )
      if (verdict.kind === 'serial') {
        timer ??= setTimeout(() => stragglers.abort(), this.#stragglersMs)
      } else if (stragglers.signal.aborted) {
        return { master, verdict: { kind: 'failed' as const, failure: straggled } }
      }
      return { master, verdict }
    }
    try {
      return compareMasters(known, await Promise.all(zone.masters.map(ask)))
    } finally {
      clearTimeout(timer)
    }
  }

  /** Makes a request to a master once it is the zone's turn. */
  async #withMaster<Result>(
    zone: Zone,
    text: string,
    use: (request: SerialRequest) => Promise<Result>,
  ): Promise<Result | NotAsked> {
    const master = parseMaster(text)
    if (master === undefined) return notAsked('not a host[:port]')
    const { projectId } = zone
    const inTurn = async () => {
      // It may have waited for long.
      if (!this.#isWanted(zone)) return notAsked('not wanted any more')
      const { key, problem } = transferKeyOf(this.#options.store, zone)
      if (problem !== undefined) return notAsked(problem)
      return use({
        key,
        zone: lowerCaseName(parseName(zone.name)),
        master,
        namedBy: namerOf(zone),
      })
    }
    return this.#byHost.run(`${projectId} ${master.host.toLowerCase()}`, () =>
      this.#byProject.run(projectId, inTurn),
    )
  }

  /** Returns why this master gave nothing; undefined where it has answered. The turn lasts until the copy is written, since the
   *  copy is in memory until then. */
  async #transfer(
    zone: Zone,
    {
      master,
      known,
      elsewhere,
    }: {
      readonly master: string
      /** The serial that the master's must be newer than. */
      readonly known: number | undefined
      /** Failures of other masters. */
      readonly elsewhere: readonly MasterFailure[]
    },
  ): Promise<TransferFailure | undefined> {
    const outcome = await this.#withMaster(zone, master, async request => {
      const wanted = { ...request, knownSerial: known }
      const answered = { master, failures: elsewhere }
      const outcome = await this.#fetch(zone, wanted, answered)
      // Masters that do not know IXFR say so in many ways (RFC 1995 section 4).
      return outcome.kind === 'useless' && this.#isWanted(zone)
        ? this.#fetch(zone, { ...wanted, isWhole: true }, answered)
        : outcome
    })
    return outcome.kind === 'kept' ? undefined : outcome.failure
  }

  /** Makes a transfer and writes its result. */
  async #fetch(zone: Zone, request: TransferRequest, answered: Answered): Promise<Fetched> {
    const held = this.#ceiling.open()
    const quota = transferQuotaOf(this.#options.store, zone)
    try {
      const result = await this.#options.client.transfer(
        { ...request, quota, hold: held.hold },
        this.#stop,
      )
      const reading = await this.#read(result)
      if (reading.kind === 'failed') return isOfChanges(result) ? useless(reading.failure) : reading
      if (result.kind === 'failed') return result
      if (!this.#isWanted(zone)) return kept
      const { expireSeconds } = result
      if (reading.kind === 'difference') {
        return this.#keepDifference(zone, { ...answered, ...reading, expireSeconds, quota })
      }
      const copy = reading.kind === 'read' ? reading.copy : undefined
      await this.#keep(zone, { ...answered, copy, expireSeconds })
      return kept
    } finally {
      held.release()
    }
  }

  async #read(result: TransferResult): Promise<TransferReading> {
    if (result.kind !== 'received') return result
    try {
      return await this.#options.bulk.readTransfer(result.transfer)
    } catch (error) {
      if (!(error instanceof WorkerDiedError)) throw error
      const reason = `the copy could not be read: ${error.message}`
      return { kind: 'failed', failure: { kind: 'no-room', reason } }
    }
  }

  /** A change of the zone meanwhile has set its own time for the next refresh. */
  #isWanted(zone: Zone): boolean {
    const isOurs = !this.#stop.aborted && this.#cluster.duty.isHeld
    return isOurs && findUnchanged(this.#options.store, zone) !== undefined
  }

  /** Without a copy, the stored one is current. */
  async #keep(zone: Zone, { master = '', copy, expireSeconds, failures }: Answered): Promise<void> {
    const { store, bulk } = this.#options
    const elsewhere = failures.length === 0 ? undefined : refreshFailure(failures)
    const contact = { elsewhere, expireSeconds, momentAt: this.#momentAt }
    if (copy === undefined) {
      await noteCurrent(store, zone, contact)
      return
    }
    const parts = { copy, bulk, ...contact }
    const changeCount = await actingAs({ road: 'transfer', address: master }, () =>
      installCopy(store, zone, parts),
    )
    if (changeCount === undefined) return
    this.#reportTransfer(zone, master, { ...copy, content: 'zone', changeCount })
  }

  async #keepDifference(
    zone: Zone,
    {
      master = '',
      failures,
      ...parts
    }: Answered & { readonly difference: ReceivedDifference; readonly quota: TransferQuota },
  ): Promise<Fetched> {
    const { store } = this.#options
    const elsewhere = failures.length === 0 ? undefined : refreshFailure(failures)
    const momentAt = this.#momentAt
    const changeCount = await actingAs({ road: 'transfer', address: master }, () =>
      installDifference(store, zone, { ...parts, elsewhere, momentAt }),
    )
    if (changeCount === 'unfit') {
      const reason = 'what has changed does not fit the copy at hand'
      return useless({ kind: 'not-a-transfer', reason })
    }
    if (changeCount !== undefined) {
      this.#reportTransfer(zone, master, {
        ...parts.difference,
        content: 'difference',
        changeCount,
      })
    }
    return kept
  }

  #reportTransfer(
    { name }: Zone,
    master: string,
    {
      soa,
      content,
      changeCount,
      outsideCount,
    }: Pick<PackedCopy, 'soa' | 'outsideCount'> & {
      readonly content: 'zone' | 'difference'
      readonly changeCount: number
    },
  ): void {
    const { serial } = soa
    const what = { master, serial, content, changeCount, outsideCount }
    this.#options.onEvent({ kind: 'transferred', zone: name, ...what })
  }

  async #noteFailure(zone: Zone, failure: RefreshFailure): Promise<void> {
    const { store, onEvent } = this.#options
    await noteFailure(store, zone, { failure, momentAt: this.#momentAt })
    const { reason } = failure
    const { failureCount: earlierCount = 0, failure: earlier } = zone.transfer ?? {}
    const isRepeated = earlierCount > 0 && earlier === reason
    onEvent({ kind: 'failed', zone: zone.name, reason, failureCount: earlierCount + 1, isRepeated })
  }

  /** Notes an error of this server, if the store accepts it. */
  async noteBroken(zone: Zone): Promise<void> {
    try {
      await this.#noteFailure(zone, ownFailure('an internal error'))
    } catch {
      // The store refuses; the error itself has been reported, and nothing is due while the store is read-only.
    }
  }
}
/** An only master is asked for the zone at once, and gives its serial with it. */
function notCompared(newer: readonly string[]): MasterComparison {
  return { newer, isCurrent: false, failures: [] }
}

type Kept = { readonly kind: 'kept' }
const kept: Kept = { kind: 'kept' }

function isOfChanges(result: TransferResult): boolean {
  if (result.kind === 'received') return result.transfer.type === types.IXFR
  return result.kind === 'failed' && result.isOfChanges === true
}

/** The difference has not come, or does not fit the stored copy; a transfer of the whole zone may still succeed. */
type Useless = { readonly kind: 'useless'; readonly failure: TransferFailure }

function useless(failure: TransferFailure): Useless {
  return { kind: 'useless', failure }
}

type Fetched = Kept | Useless | NotAsked

type NotAsked = { readonly kind: 'failed'; readonly failure: TransferFailure }

function notAsked(reason: string): NotAsked {
  return { kind: 'failed', failure: { kind: 'unreachable', reason } }
}
