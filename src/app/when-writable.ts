import { setTimeout as delay } from 'node:timers/promises'
import { isRefusedForNow, StoreUnavailableError } from '../store/store.ts'

/** How long, and how often, a start tries what it cannot go on without. */
const startMs = 60_000
const pauseMs = 100

/** Does what a start cannot go on without, as soon as the log that several nodes share takes it; gives up after a minute. */
export async function insist<T>(work: () => Promise<T>): Promise<T> {
  const deadline = performance.now() + startMs
  for (;;) {
    try {
      return await work()
    } catch (error) {
      if (!(error instanceof StoreUnavailableError) || performance.now() > deadline) throw error
      await delay(pauseMs)
    }
  }
}

/** The writes of a start. Where the store takes no changes, the start continues without them, and they are done when it takes
 *  changes again. */
export class WhenWritable {
  readonly #postponed: (() => Promise<void>)[] = []

  /** Runs a write now, or postpones it where the store takes no changes. */
  async attempt(work: () => Promise<void>): Promise<void> {
    try {
      await work()
    } catch (error) {
      if (!isRefusedForNow(error)) throw error
      this.#postponed.push(work)
    }
  }

  /** Retries the postponed writes. After one that fails for another reason, the others are left for the next call. */
  async resume(): Promise<void> {
    for (let count = this.#postponed.length; count > 0; count -= 1) {
      const work = this.#postponed.shift()
      if (work !== undefined) await this.attempt(work)
    }
  }
}
