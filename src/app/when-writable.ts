import { StoreReadOnlyError } from '../store/store.ts'

/** What a start has to write. On a disk that takes no writes the start goes on without it, and it is done when the disk
 *  takes them again. */
export class WhenWritable {
  readonly #postponed: (() => Promise<void>)[] = []

  /** Does something now, or postpones it where the store takes no changes. */
  async attempt(work: () => Promise<void>): Promise<void> {
    try {
      await work()
    } catch (error) {
      if (!(error instanceof StoreReadOnlyError)) throw error
      this.#postponed.push(work)
    }
  }

  /** Tries what was postponed once more. */
  async resume(): Promise<void> {
    for (const work of this.#postponed.splice(0)) await this.attempt(work)
  }
}
