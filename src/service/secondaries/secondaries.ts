import { actingAs } from '../../actor.ts'
import { stronger, type TransferReason } from '../../cluster/cluster.ts'
import {
  defaultRefreshBounds,
  firstRefreshAt,
  isExpiryDue,
  isHeldBack,
  isRefreshDue,
  type RefreshBounds,
} from '../../model/refresh.ts'
import { isInUse, type Zone } from '../../model/zone.ts'
import { everything } from '../../store/indexes.ts'
import { MasterRefresh, type RefreshOptions } from './master-refresh.ts'
import { markExpired } from './secondary-rows.ts'

// Decides when SECONDARY zones are refreshed. Every wait is in the zone's row (model/refresh.ts), so it survives a restart; only
// the first refresh after one, which makes up for missed NOTIFYs, is decided here.

export type SecondariesOptions = RefreshOptions & { readonly bounds?: RefreshBounds }

type Run = {
  /** Why they are asked once more after the running refresh. */
  next: TransferReason | undefined
  readonly done: Promise<void>
}

/** One refresh at a time for each zone. */
export class Secondaries {
  readonly #options: SecondariesOptions
  readonly #bounds: RefreshBounds
  readonly #refresh: MasterRefresh
  readonly #runs = new Map<string, Run>()
  /** When each copy that has not been refreshed since the start is so at the latest, in microseconds. */
  #firstDueAt: Map<string, number> | undefined
  readonly #stop = new AbortController()

  constructor(options: SecondariesOptions) {
    const { bounds = defaultRefreshBounds } = options
    this.#options = options
    this.#bounds = bounds
    this.#refresh = new MasterRefresh(options, bounds, this.#stop.signal)
  }

  /** Starts all due refreshes without waiting for them, and marks the copies that have become too old to serve.
   *  O(secondary zones). */
  async refreshDue(): Promise<void> {
    const { store, clock, onEvent } = this.#options
    // A copy that cannot be stored need not be fetched.
    if (store.readOnlyReason !== undefined || this.#isStopped) return
    const atMicros = clock.nowMillis() * 1000
    const bounds = this.#bounds
    this.#firstDueAt ??= this.#firstTimes(atMicros)
    const expiring: string[] = []
    for (const zone of store.list('zones', 'secondaries', everything)) {
      if (isExpiryDue(zone, { atMicros, bounds })) expiring.push(zone.id)
      if (this.#runs.has(zone.id)) continue
      const isFirstDue = (this.#firstDueAt.get(zone.id) ?? Number.POSITIVE_INFINITY) <= atMicros
      if (isFirstDue || isRefreshDue(zone, { atMicros, bounds })) void this.#start(zone.id)
    }
    if (expiring.length === 0) return
    for (const expired of await markExpired(store, expiring, bounds))
      onEvent({ kind: 'expired', ...expired })
  }

  /** Asks the zone's masters now; resolves when that has succeeded or failed, and never rejects. A running refresh is repeated,
   *  since the reason to ask may be newer than its answer. A node without the duty passes the request on.
   *  @param reason a NOTIFY is ignored while the masters are held back for having wasted time */
  refreshNow(zoneId: string, reason: TransferReason = 'wanted'): Promise<void> {
    if (this.#isStopped) return Promise.resolve()
    if (!this.#options.cluster.duty.isHeld) {
      this.#options.cluster.wantTransfer(zoneId, reason)
      return Promise.resolve()
    }
    const run = this.#runs.get(zoneId)
    if (run === undefined) return this.#start(zoneId, reason)
    run.next = stronger(run.next, reason)
    return run.done
  }

  /** Resolves when no refresh is running any more. */
  async settled(): Promise<void> {
    await Promise.all([...this.#runs.values()].map(run => run.done))
  }

  /** Ends all transfers and resolves once no more writes happen. Idempotent. */
  async close(): Promise<void> {
    this.#stop.abort()
    await this.settled()
  }

  get #isStopped(): boolean {
    return this.#stop.signal.aborted
  }

  #firstTimes(atMicros: number): Map<string, number> {
    const { store, random } = this.#options
    const times = new Map<string, number>()
    for (const zone of store.list('zones', 'secondaries', everything)) {
      const moment = { atMicros, random: random(), bounds: this.#bounds }
      if (zone.transferredAt !== null) times.set(zone.id, firstRefreshAt(zone, moment))
    }
    return times
  }

  #start(zoneId: string, reason: TransferReason = 'wanted'): Promise<void> {
    this.#firstDueAt?.delete(zoneId)
    const run: Run = {
      next: reason,
      // Deferred until the run is registered.
      done: Promise.resolve().then(() =>
        actingAs({ road: 'transfer' }, () => this.#runUntilSettled(zoneId, run)),
      ),
    }
    this.#runs.set(zoneId, run)
    return run.done
  }

  async #runUntilSettled(zoneId: string, run: Run): Promise<void> {
    while (run.next !== undefined && !this.#isStopped) {
      const reason = run.next
      run.next = undefined
      const zone = this.#options.store.get('zones', zoneId)
      if (zone?.type !== 'SECONDARY' || zone.masters.length === 0 || !isInUse(zone)) continue
      if (reason === 'notified' && this.#isHeldBack(zone)) continue
      try {
        await this.#refresh.refresh(zone, { isWhole: reason === 'whole' })
      } catch (error) {
        this.#options.onEvent({ kind: 'broken', zone: zone.name, error })
        await this.#refresh.noteBroken(zone)
      }
    }
    this.#runs.delete(zoneId)
  }

  #isHeldBack(zone: Zone): boolean {
    const atMicros = this.#options.clock.nowMillis() * 1000
    return isHeldBack(zone, { atMicros, bounds: this.#bounds })
  }
}
