import type { Instant, ScopeState } from '../../model/rating.ts'
import { changedRow, newStamp } from '../../model/stamped.ts'
import { everything } from '../../store/indexes.ts'
import type { Store } from '../../store/store.ts'
import { scopeKey } from '../data-point.ts'
import { allTime, type Period } from '../period.ts'
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

type ScopesOptions = {
  readonly store: Store
  readonly points: Pick<PointStore, 'write'>
  readonly onRemovalFailed: (error: unknown) => void
}

/** Keeps how far each scope has been rated, and resets scopes.
 *
 *  A reset has two halves. The first changes the states of the scopes, all in one transaction, which accepts the reset.
 *  The second removes their points, in the background. A state with `resumeFrom` says that no points from there on are
 *  to be kept, so after a crash between the halves `finishResets` completes the reset; it may run any number of
 *  times. */
export class Scopes {
  readonly #options: ScopesOptions
  readonly #resetting = new Set<Promise<number>>()
  readonly #removing = new Set<Promise<void>>()

  constructor(options: ScopesOptions) {
    this.#options = options
  }

  /** The states that match, by creation. */
  list(filter: ScopeFilter): readonly ScopeState[] {
    const states = this.#options.store.list('scopeStates', 'all', everything)
    return [...states].filter(state => matchesScope(state, filter))
  }

  /** Whether there is a reset whose removal of points is not queued yet. Points that are stored meanwhile may be
   *  removed although their writer has seen the new state. */
  get isResetting(): boolean {
    return this.#resetting.size > 0
  }

  /** Sets the scopes that match back, or forward, to an instant. Resolves when that is durable, with their
   *  number; their points are removed in the background. */
  reset(filter: ScopeFilter, instant: Instant): Promise<number> {
    return this.#noteReset(this.#reset(state => matchesScope(state, filter), instant))
  }

  /** Sets back the scopes of our own collector that are rated beyond an instant, because usage is metered again from
   *  there on. Resolves when that is durable. Scopes that were set forward by hand stay where they are. */
  async takeBack(from: Instant): Promise<void> {
    const isAhead = (state: ScopeState) =>
      state.collector === dnsCollector && state.resumeFrom === null && ratedUntil(state) > from
    await this.#noteReset(this.#reset(isAhead, from))
  }

  /** Sets back the scopes of our own collector for some projects that are rated beyond an instant, because more was used
   *  from there on than was known. Resolves when that is durable. A scope that is set to a future time stays there. */
  async rateAgain(projectIds: ReadonlySet<string>, from: Instant): Promise<void> {
    const isRated = (state: ScopeState, now: Instant) =>
      state.collector === dnsCollector &&
      projectIds.has(state.scopeId) &&
      (state.resumeFrom ?? now) <= now &&
      ratedUntil(state) > from
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
    const resets = await this.#options.store.commit(tx => {
      const states = [...tx.list('scopeStates', 'all', everything)]
      const now = Math.floor(tx.atMicros / 1e6)
      const meant = states.filter(state => isMeant(state, now))
      return meant.map((state): ScopeReset => {
        const reset = resetScope(state, instant)
        tx.put('scopeStates', changedRow<ScopeState>(tx, state, reset.changes))
        return reset
      })
    })
    this.#remove(resets.map(reset => reset.removal))
    return resets.length
  }

  /** Makes sure that projects with usage in a period are rated from its begin on. A project that has a scope of our own
   *  collector, whatever its other names, gets no second one: both would rate the same usage. */
  async open(projectIds: ReadonlySet<string>, { begin }: Period): Promise<void> {
    await this.#options.store.commit(tx => {
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

  /** Removes the points that resets before this start should have removed. Called at the start, before anything is rated. */
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

  /** Resolves when no scope is being reset and no points are being removed any more. */
  async settled(): Promise<void> {
    await Promise.allSettled(this.#resetting)
    await Promise.all(this.#removing)
  }

  /** The point store writes in the order of the calls, so points that are rated after a reset stay. */
  #remove(removals: readonly Removal[]): void {
    if (removals.length === 0) return
    const removing = this.#options.points
      .write({ origin: '', removals, points: [] })
      .then(() => undefined, this.#options.onRemovalFailed)
      .finally(() => this.#removing.delete(removing))
    this.#removing.add(removing)
  }
}
