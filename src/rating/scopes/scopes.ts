import type { Instant, ScopeState } from '../../model/rating.ts'
import { everything } from '../../store/indexes.ts'
import type { Store } from '../../store/store.ts'
import { scopeKey } from '../data-point.ts'
import { allTime, type Period } from '../period.ts'
import { newStamp } from '../rows.ts'
import type { PointStore } from '../segments/point-store.ts'
import type { Removal } from '../segments/removals.ts'
import { ratedUntil } from './catch-up.ts'
import {
  dnsCollector,
  dnsFetcher,
  matchesScope,
  removalFrom,
  resetScope,
  type ScopeFilter,
  type ScopeReset,
} from './scope-state.ts'

export type ScopesOptions = {
  readonly store: Store
  readonly points: Pick<PointStore, 'write'>
  readonly periodSeconds: number
  readonly onRemovalFailed: (error: unknown) => void
}

/** How far each scope has been rated, and setting them back.
 *
 *  A reset has two halves. The first is the scopes' states, all in one transaction: with that it is accepted.
 *  The second takes their points away, in the background. A state that names where to resume says that
 *  nothing from there on is to be kept, so what a crash cuts off between the halves is made up for by
 *  `finishResets`, however often that is done. */
export class Scopes {
  readonly #store: Store
  readonly #points: ScopesOptions['points']
  readonly #periodSeconds: number
  readonly #onRemovalFailed: ScopesOptions['onRemovalFailed']
  readonly #resetting = new Set<Promise<number>>()
  readonly #removing = new Set<Promise<void>>()

  constructor({ store, points, periodSeconds, onRemovalFailed }: ScopesOptions) {
    this.#store = store
    this.#points = points
    this.#periodSeconds = periodSeconds
    this.#onRemovalFailed = onRemovalFailed
  }

  /** The states that match, by creation. */
  list(filter: ScopeFilter): readonly ScopeState[] {
    const states = this.#store.list('scopeStates', 'all', everything)
    return [...states].filter(state => matchesScope(state, filter))
  }

  /** Whether there is a reset whose points are not even asked to go yet. Who stores points meanwhile may have
   *  them taken away although it has seen the new state. */
  get isResetting(): boolean {
    return this.#resetting.size > 0
  }

  /** Sets the scopes that match back, or forward, to an instant. Resolves when that is durable, with their
   *  number; their points go in the background. */
  reset(filter: ScopeFilter, instant: Instant): Promise<number> {
    return this.#noteReset(this.#reset(state => matchesScope(state, filter), instant))
  }

  /** Sets back what our own collector has rated from an instant on, because it is metered again from there on.
   *  Resolves when that is durable. Scopes that people have set forward stay where they are. */
  async takeBack(from: Instant): Promise<void> {
    const isAhead = (state: ScopeState) =>
      state.collector === dnsCollector &&
      state.resumeFrom === null &&
      ratedUntil(state, { periodSeconds: this.#periodSeconds }) > from
    await this.#noteReset(this.#reset(isAhead, from))
  }

  /** Sets back what our own collector has rated of some projects from an instant on, because more was used from there on
   *  than was known. Resolves when that is durable. A scope that is set to a time to come stays there. */
  async rateAgain(projectIds: ReadonlySet<string>, from: Instant): Promise<void> {
    const isRated = (state: ScopeState, now: Instant) =>
      state.collector === dnsCollector &&
      projectIds.has(state.scopeId) &&
      (state.resumeFrom ?? now) <= now &&
      ratedUntil(state, { periodSeconds: this.#periodSeconds }) > from
    await this.#noteReset(this.#reset(isRated, from))
  }

  #noteReset(reset: Promise<number>): Promise<number> {
    const resetting = reset.finally(() => this.#resetting.delete(resetting))
    this.#resetting.add(resetting)
    return resetting
  }

  async #reset(
    isMeant: (state: ScopeState, now: Instant) => boolean,
    instant: Instant,
  ): Promise<number> {
    const schedule = { periodSeconds: this.#periodSeconds }
    const resets = await this.#store.commit(tx => {
      const states = [...tx.list('scopeStates', 'all', everything)]
      const now = Math.floor(tx.atMicros / 1e6)
      const meant = states.filter(state => isMeant(state, now))
      return meant.map((state): ScopeReset => {
        const reset = resetScope(state, instant, schedule)
        const marks = { version: state.version + 1, updatedAt: tx.atMicros }
        tx.put('scopeStates', { ...state, ...reset.changes, ...marks })
        return reset
      })
    })
    this.#remove(resets.map(reset => reset.removal))
    return resets.length
  }

  /** Makes sure that projects that have used something in a period are rated from there on. A scope of our own
   *  collector stays the one it is by whatever other names: two of them would rate the same usage. */
  async open(projectIds: ReadonlySet<string>, { begin }: Period): Promise<void> {
    await this.#store.commit(tx => {
      for (const scopeId of projectIds) {
        const states = [...tx.list('scopeStates', 'byScope', scopeId)]
        if (states.some(state => state.collector === dnsCollector)) continue
        tx.put('scopeStates', {
          ...newStamp(tx),
          scopeId,
          scopeKey,
          collector: dnsCollector,
          fetcher: dnsFetcher,
          lastProcessed: null,
          resumeFrom: begin,
          isActive: true,
          activationToggled: null,
        })
      }
    })
  }

  /** Takes away what resets before this start should have: for the start, before anything is rated. */
  async finishResets(): Promise<void> {
    this.#remove(
      this.list({}).flatMap(state =>
        state.resumeFrom === null
          ? []
          : [removalFrom(state, { begin: state.resumeFrom, end: allTime.end })],
      ),
    )
    await this.settled()
  }

  /** Resolves when no scope is being reset and no points are being taken away any more. */
  async settled(): Promise<void> {
    await Promise.allSettled(this.#resetting)
    await Promise.all(this.#removing)
  }

  /** The store of points writes in the order it is asked to: what is rated after a reset stays. */
  #remove(removals: readonly Removal[]): void {
    if (removals.length === 0) return
    const removing = this.#points
      .write({ origin: '', removals, points: [] })
      .then(() => undefined, this.#onRemovalFailed)
      .finally(() => this.#removing.delete(removing))
    this.#removing.add(removing)
  }
}
