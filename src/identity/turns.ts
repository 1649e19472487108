import { tooManyRequests } from './too-many-requests.ts'

export type TurnLimits = { readonly maxRunning: number; readonly maxWaiting: number }

/** Runs tasks a few at a time, in the order they come, and lets only so many wait. */
export class Turns {
  readonly #limits: TurnLimits
  readonly #waiting: (() => void)[] = []
  #runningCount = 0

  constructor(limits: TurnLimits) {
    this.#limits = limits
  }

  /** @throws ApiError too_many_requests: too many are waiting already */
  async run<T>(task: () => Promise<T>): Promise<T> {
    if (this.#runningCount >= this.#limits.maxRunning) {
      if (this.#waiting.length >= this.#limits.maxWaiting)
        throw tooManyRequests('Too many logins at once', 1)
      await new Promise<void>(resolve => this.#waiting.push(resolve))
    } else {
      this.#runningCount++
    }
    try {
      return await task()
    } finally {
      // Hands the turn on, or gives it back.
      const next = this.#waiting.shift()
      if (next === undefined) this.#runningCount--
      else next()
    }
  }
}
