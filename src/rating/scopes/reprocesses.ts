import type { Reprocess } from '../../model/rating.ts'
import { everything } from '../../store/indexes.ts'
import type { Store } from '../../store/store.ts'
import { newStamp } from '../rows.ts'
import { nextReprocessPeriod, type ReprocessRequest, scopesToReprocess } from './reprocess.ts'

export type ReprocessesOptions = { readonly store: Store; readonly periodSeconds: number }

/** Orders to rate what was rated again, by the rules there are when that is done. The rater works on them. */
export class Reprocesses {
  readonly #options: ReprocessesOptions
  /** Told of new orders, so that work on them begins at once; what is missed, a job takes up. */
  onScheduled: (() => void) | undefined

  constructor(options: ReprocessesOptions) {
    this.#options = options
  }

  /** All orders, also those done, by creation; of some scopes, or of all. */
  list(scopeIds: readonly string[] = []): readonly Reprocess[] {
    const orders = this.#options.store.list('reprocesses', 'all', everything)
    return [...orders].filter(({ scopeId }) => scopeIds.length === 0 || scopeIds.includes(scopeId))
  }

  /** Those with something left to do, by creation. */
  unfinished(): readonly Reprocess[] {
    const { periodSeconds } = this.#options
    return this.list().filter(order => nextReprocessPeriod(order, periodSeconds) !== undefined)
  }

  /** Takes an order: one row for each of its scopes. Resolves when it is durable; it is worked on after that.
   *  @throws ApiError bad_request */
  async schedule(request: ReprocessRequest): Promise<readonly Reprocess[]> {
    const { store, periodSeconds } = this.#options
    const { reason, start, end } = request
    const orders = await store.commit(tx => {
      const states = [...tx.list('scopeStates', 'all', everything)]
      const reprocesses = [...tx.list('reprocesses', 'all', everything)]
      const scopeIds = scopesToReprocess(request, { states, reprocesses, periodSeconds })
      return scopeIds.map(scopeId => {
        const order: Reprocess = { ...newStamp(tx), scopeId, reason, start, end, current: null }
        tx.put('reprocesses', order)
        return order
      })
    })
    this.onScheduled?.()
    return orders
  }
}
