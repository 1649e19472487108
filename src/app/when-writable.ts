import { StoreReadOnlyError, StoreUnavailableError } from '../store/store.ts'

/** The writes of a start. Where the store takes no changes, the start continues without them, and they are done when it takes
 *  changes again. */
export class WhenWritable {
  readonly #postponed: (() => Promise<void>)[] = []

  /** Runs a write now, or postpones it where the store takes no changes. */
  async attempt(work: () => Promise<void>): Promise<void> {
    try {
      await work()
    } catch (error) {
      const isForNow = error instanceof StoreReadOnlyError || error instanceof StoreUnavailableError
      if (!isForNow) throw error
      this.#postponed.push(work)
    }
  }

  /** Retries the postponed writes. */
  async resume(): Promise<void> {
    for (const work of this.#postponed.splice(0)) await this.attempt(work)
  }
}
