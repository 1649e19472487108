import { StoreReadOnlyError, StoreUnavailableError } from '../store/store.ts'

/** What a start has to write. Where the store takes no changes the start goes on without it, and it is done when the store
 *  takes them again. */
export class WhenWritable {
  readonly #postponed: (() => Promise<void>)[] = []

  /** Does something now, or postpones it where the store takes no changes. */
  async attempt(work: () => Promise<void>): Promise<void> {
    try {
      await work()
    } catch (error) {
      const isForNow = error instanceof StoreReadOnlyError || error instanceof StoreUnavailableError
      if (!isForNow) throw error
      this.#postponed.push(work)
    }
  }

  /** Tries what was postponed once more. */
  async resume(): Promise<void> {
    for (const work of this.#postponed.splice(0)) await this.attempt(work)
  }
}
