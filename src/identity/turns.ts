import { tooManyRequests } from './too-many-requests.ts'

export type TurnLimits = {
  readonly maxRunning: number
  readonly maxWaiting: number
  /** Of one key. */
  readonly maxWaitingPerKey: number
}

/** Runs tasks a few at a time, in the order they come, and lets only so many wait. */
export class Turns {
  readonly #limits: TurnLimits
  readonly #waiting: { readonly key: string | undefined; readonly start: () => void }[] = []
  #runningCount = 0

  constructor(limits: TurnLimits) {
    this.#limits = limits
  }

  /** @param key who it is for; undefined: the server itself, or one who need not be held back
   *  @throws ApiError too_many_requests: too many are waiting already, in total or of the key */
  async run<T>(key: string | undefined, task: () => Promise<T>): Promise<T> {
    if (this.#runningCount >= this.#limits.maxRunning) {
      if (!this.#mayWait(key)) throw tooManyRequests('Too many logins at once', 1)
      await new Promise<void>(start => this.#waiting.push({ key, start }))
    } else {
      this.#runningCount++
    }
    try {
      return await task()
    } finally {
      // Hands the turn on, or gives it back.
      const next = this.#waiting.shift()
      if (next === undefined) this.#runningCount--
      else next.start()
    }
  }

  #mayWait(key: string | undefined): boolean {
    const { maxWaiting, maxWaitingPerKey } = this.#limits
    if (this.#waiting.length >= maxWaiting) return false
    if (key === undefined) return true
    return this.#waiting.filter(waiting => waiting.key === key).length < maxWaitingPerKey
  }
}
