import type { Instant, Reprocess } from '../../model/rating.ts'
import { newStamp } from '../../model/stamped.ts'
import { everything } from '../../store/indexes.ts'
import type { Store } from '../../store/store.ts'
import { daySeconds } from '../period.ts'
import { nextReprocessPeriod, type ReprocessRequest, scopesToReprocess } from './reprocess.ts'

/** For how long orders are listed once they are done. */
const doneKeptSeconds = 92 * daySeconds

/** Orders to rate periods again, by the rules in force at the time of that. The rater carries them out. */
export class Reprocesses {
  readonly #store: Store
  /** Called when there are new orders, so that work on them begins at once; a job takes up those that are missed. */
  onScheduled: (() => void) | undefined

  constructor(store: Store) {
    this.#store = store
  }

  /** All orders, including those done recently, by creation; of some scopes, or of all. */
  list(scopeIds: readonly string[] = []): readonly Reprocess[] {
    const orders = this.#store.list('reprocesses', 'all', everything)
    return [...orders].filter(({ scopeId }) => scopeIds.length === 0 || scopeIds.includes(scopeId))
  }

  /** The unfinished orders, by creation. */
  unfinished(): readonly Reprocess[] {
    return this.list().filter(isUnfinished)
  }

  /** Deletes the orders that were done a quarter of a year ago. */
  async forgetDone(now: Instant): Promise<void> {
    const beforeMicros = (now - doneKeptSeconds) * 1e6
    const isOld = (order: Reprocess) =>
      (order.updatedAt ?? order.createdAt) < beforeMicros && !isUnfinished(order)
    if (!this.list().some(isOld)) return
    await this.#store.commit(tx => {
      for (const order of [...tx.list('reprocesses', 'all', everything)])
        if (isOld(order)) tx.delete('reprocesses', order.id)
    })
  }

  /** Accepts an order: one row for each of its scopes. Resolves when it is durable; work on it begins after that.
   *  @throws ApiError bad_request */
  async schedule(request: ReprocessRequest): Promise<readonly Reprocess[]> {
    const { reason, start, end } = request
    const orders = await this.#store.commit(tx => {
      const states = [...tx.list('scopeStates', 'all', everything)]
      const reprocesses = [...tx.list('reprocesses', 'all', everything)]
      const scopeIds = scopesToReprocess(request, { states, reprocesses })
      return scopeIds.map(scopeId =>
        tx.put('reprocesses', { ...newStamp(tx), scopeId, reason, start, end, current: null }),
      )
    })
    this.onScheduled?.()
    return orders
  }
}

function isUnfinished(order: Reprocess): boolean {
  return nextReprocessPeriod(order) !== undefined
}
