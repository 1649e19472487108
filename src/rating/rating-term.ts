import { ratingTermId } from '../model/rating.ts'
import { newStamp, updatedRow } from '../model/stamped.ts'
import { type Store, StoreUnavailableError, type Transaction } from '../store/store.ts'

/** The time for which one of several nodes rates. It begins with a commit of its epoch: what an earlier holder of the duty has
 *  rated was recorded before that, and is taken into account, or is never recorded. */
export class RatingTerm {
  readonly #store: Store
  readonly #epoch: number

  /** @param epoch of the duty */
  constructor(store: Store, epoch: number) {
    this.#store = store
    this.#epoch = epoch
  }

  /** Idempotent.
   *  @throws StoreUnavailableError a later term has begun */
  async begin(): Promise<void> {
    await this.#store.commit(tx => {
      const row = tx.get('secrets', ratingTermId)
      const value = String(this.#epoch)
      if (row === undefined) tx.put('secrets', { ...newStamp(tx, ratingTermId), value })
      else if (Number(row.value) > this.#epoch) throw over()
      else tx.put('secrets', updatedRow(tx, row, { value }))
    })
  }

  /** @throws StoreUnavailableError a later term has begun */
  require(tx: Transaction): void {
    if (tx.get('secrets', ratingTermId)?.value !== String(this.#epoch)) throw over()
  }
}

function over(): StoreUnavailableError {
  return new StoreUnavailableError('Usage is rated at another node')
}
