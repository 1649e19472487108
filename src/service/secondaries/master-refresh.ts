import { actingAs } from '../../actor.ts'
import type { Bulk } from '../../bulk/bulk.ts'
import type { TransferReading } from '../../bulk/read-transfer.ts'
import { WorkerDiedError } from '../../bulk/worker-pool.ts'
import type { Clock } from '../../clock.ts'
import type { Cluster } from '../../cluster/cluster.ts'
import { types } from '../../dns/codes.ts'
import { lowerCaseName, parseName } from '../../dns/name.ts'
import { HeldOctets, type OctetBounds } from '../../held-octets.ts'
import { parseMaster } from '../../model/masters.ts'
import {
  knownSerial,
  type RefreshBounds,
  type RefreshFailure,
  type RefreshOutcome,
} from '../../model/refresh.ts'
import { namerOf, type Zone } from '../../model/zone.ts'
import { Semaphore, type SemaphoreLimits } from '../../semaphore.ts'
import type { Store } from '../../store/store.ts'
import type {
  SerialRequest,
  TransferQuota,
  TransferRequest,
  TransferResult,
} from '../../zone/transfer-in.ts'
import type { SerialVerdict, TransferFailure } from '../../zone/transfer-response.ts'
import { transferKeyOf } from '../rules/transfer-policy.ts'
import { compareMasters, type MasterComparison } from './master-comparison.ts'
import { type MasterFailure, ownFailure, refreshFailure } from './refresh-failure.ts'
import {
  type Contact,
  findUnchanged,
  installCopy,
  installDifference,
  type MomentAt,
  noteCurrent,
  noteFailure,
} from './secondary-rows.ts'
import { ceilingOctets, transferQuotaOf } from './transfer-limits.ts'

// One refresh of a SECONDARY zone: its masters are asked, and what they send is written. A failure changes only the zone's
// row: the stored copy is served until it expires.

/** Asks one master. No call rejects for what a master does or fails to do; `signal` ends a call early. */
export type TransferClient = {
  /** Asks for the serial of a zone. */
  askSerial(request: SerialRequest, signal: AbortSignal): Promise<SerialVerdict>
  /** Requests a zone if it is newer than the stored copy. */
  transfer(request: TransferRequest, signal: AbortSignal): Promise<TransferResult>
}

export type RefreshOptions = {
  readonly store: Store
  readonly clock: Clock
  /** The node with the duty makes the transfers; other nodes pass requests on to it. */
  readonly cluster: Pick<Cluster, 'duty' | 'wantTransfer'>
  readonly client: TransferClient
  /** Reads the transfers. */
  readonly bulk: Bulk
  /** In [0, 1). */
  readonly random: () => number
  readonly onEvent: (event: SecondaryEvent) => void
  /** Concurrent refreshes of each project, and in all. */
  readonly limits?: SemaphoreLimits
  /** Of the running transfers of a project, and of all together. */
  readonly maxHeldOctets?: OctetBounds
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

/** Refreshes zones, a limited number at once for each project and in all. */
export class MasterRefresh {
  readonly #options: RefreshOptions
  readonly #momentAt: MomentAt
  readonly #byProject: Semaphore
  /** For each project separately: a project need not wait for requests of others to the same host. */
  readonly #byHost = new Semaphore(hostLimits)
  readonly #ceiling: HeldOctets
  readonly #stragglersMs: number
  readonly #stop: AbortSignal

  /** @param stop ends running refreshes */
  constructor(options: RefreshOptions, bounds: RefreshBounds, stop: AbortSignal) {
    const { limits = defaultLimits, maxHeldOctets = ceilingOctets, random } = options
    const { stragglersMs = defaultStragglersMs } = options
    this.#options = options
    this.#momentAt = atMicros => ({ atMicros, random: random(), bounds })
    this.#byProject = new Semaphore(limits)
    this.#ceiling = new HeldOctets(maxHeldOctets)
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
        ? // An only master is asked for the zone at once, and gives its serial with it.
          { newer: zone.masters, isCurrent: false, failures: [] }
        : await this.#compareMasters(zone, known)
    const { newer, isCurrent, expireSeconds, failures } = comparison
    for (const master of newer) {
      const failure = await this.#transfer(zone, master, { known, elsewhere: allOf(failures) })
      if (failure === undefined || !this.#isWanted(zone)) return
      failures.push({ master, failure })
      // The other masters would send as much.
      if (failure.kind === 'over-quota') break
    }
    if (!this.#isWanted(zone)) return
    if (newer.length > 0 || !isCurrent) {
      await this.#noteFailure(zone, refreshFailure(failures), isCurrent && { expireSeconds })
    } else {
      const contact = { elsewhere: allOf(failures), expireSeconds, momentAt: this.#momentAt }
      await noteCurrent(this.#options.store, zone, contact)
    }
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
    master: string,
    {
      known,
      elsewhere,
    }: {
      /** The serial that the master's must be newer than. */
      readonly known: number | undefined
      readonly elsewhere: Elsewhere
    },
  ): Promise<TransferFailure | undefined> {
    const outcome = await this.#withMaster(zone, master, async request => {
      const wanted = { ...request, knownSerial: known }
      const outcome = await this.#fetch(zone, wanted, { master, elsewhere })
      // Masters that do not know IXFR say so in many ways (RFC 1995 section 4).
      return outcome.kind === 'useless' && this.#isWanted(zone)
        ? this.#fetch(zone, { ...wanted, isWhole: true }, { master, elsewhere })
        : outcome
    })
    return outcome.kind === 'kept' ? undefined : outcome.failure
  }

  /** Makes a transfer and writes its result. */
  async #fetch(
    zone: Zone,
    request: Omit<TransferRequest, 'quota' | 'hold'>,
    { master, elsewhere }: { readonly master: string; readonly elsewhere: Elsewhere },
  ): Promise<Fetched> {
    const held = this.#ceiling.open(zone.projectId)
    const quota = transferQuotaOf(this.#options.store, zone)
    try {
      const result = await this.#options.client.transfer(
        { ...request, quota, hold: held.hold },
        this.#stop,
      )
      const reading = await this.#read(result, zone)
      if (reading.kind === 'failed') return isOfChanges(result) ? useless(reading.failure) : reading
      if (result.kind === 'failed') return result
      if (!this.#isWanted(zone)) return kept
      const { expireSeconds } = result
      const contact = { elsewhere, expireSeconds, momentAt: this.#momentAt }
      return await this.#keep(zone, reading, { master, quota, contact })
    } finally {
      held.release()
    }
  }

  async #read(result: TransferResult, { projectId }: Zone): Promise<TransferReading> {
    if (result.kind !== 'received') return result
    try {
      return await this.#options.bulk.readTransfer(result.transfer, projectId)
    } catch (error) {
      if (!(error instanceof WorkerDiedError)) throw error
      const reason = `the copy could not be read: ${error.message}`
      return { kind: 'failed', failure: { kind: 'no-room', reason } }
    }
  }

  /** A change of the zone meanwhile has set its own time for the next refresh. */
  #isWanted(zone: Zone): boolean {
    const isOurs = !this.#stop.aborted && this.#options.cluster.duty.isHeld
    return isOurs && findUnchanged(this.#options.store, zone) !== undefined
  }

  async #keep(
    zone: Zone,
    reading: Exclude<TransferReading, { readonly kind: 'failed' }>,
    {
      master,
      quota,
      contact,
    }: {
      readonly master: string
      readonly quota: TransferQuota
      readonly contact: Contact
    },
  ): Promise<Fetched> {
    const { store, bulk, onEvent } = this.#options
    if (reading.kind === 'current') {
      await noteCurrent(store, zone, contact)
      return kept
    }
    const changeCount = await actingAs({ road: 'transfer', address: master }, () =>
      reading.kind === 'read'
        ? installCopy(store, zone, { copy: reading.copy, bulk, ...contact })
        : installDifference(store, zone, { difference: reading.difference, quota, ...contact }),
    )
    if (changeCount === 'unfit') {
      const reason = 'what has changed does not fit the copy at hand'
      return useless({ kind: 'not-a-transfer', reason })
    }
    if (changeCount !== undefined) {
      const content = reading.kind === 'read' ? 'zone' : 'difference'
      const { soa, outsideCount } = reading.kind === 'read' ? reading.copy : reading.difference
      const what = { master, serial: soa.serial, content, changeCount, outsideCount } as const
      onEvent({ kind: 'transferred', zone: zone.name, ...what })
    }
    return kept
  }

  /** @param confirmation of a master that has the serial of the copy, if any does */
  async #noteFailure(
    zone: Zone,
    failure: RefreshFailure,
    confirmation: RefreshOutcome | false = false,
  ): Promise<void> {
    const { store, onEvent } = this.#options
    await noteFailure(store, zone, { failure, confirmation, momentAt: this.#momentAt })
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

/** Why other masters gave nothing; undefined where none was asked in vain. */
type Elsewhere = RefreshFailure | undefined

function allOf(failures: readonly MasterFailure[]): Elsewhere {
  return failures.length === 0 ? undefined : refreshFailure(failures)
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
