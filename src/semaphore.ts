export type SemaphoreLimits = {
  readonly maxRunning: number
  /** Of one key; no limit per key if left out. */
  readonly maxRunningPerKey?: number
  /** Any number if left out. */
  readonly maxWaiting?: number
  /** Of one key. */
  readonly maxWaitingPerKey?: number
}

/** Tasks of one key: how many run, when the last one started, and the functions that start the waiting ones, in order of arrival. */
type Lane = { running: number; lastStart: number; readonly waiting: (() => void)[] }

/** Bounds the number of tasks that run at once, in total and per key. A task whose key is at its limit does not hold up
 *  tasks of other keys; when a place becomes free, keys take turns. */
export class Semaphore {
  readonly #limits: Required<SemaphoreLimits>
  readonly #lanes = new Map<string | undefined, Lane>()
  #runningCount = 0
  #waitingCount = 0
  #starts = 0

  constructor(limits: SemaphoreLimits) {
    const unlimited = Number.POSITIVE_INFINITY
    this.#limits = {
      maxRunningPerKey: unlimited,
      maxWaiting: unlimited,
      maxWaitingPerKey: unlimited,
      ...limits,
    }
  }

  /** Whether a task of the key would start at once or may wait. Without a key only the total limits the waiting tasks. */
  accepts(key: string | undefined): boolean {
    const { running, waiting } = this.#lanes.get(key) ?? { running: 0, waiting: [] }
    if (this.#hasRoom(running)) return true
    const { maxWaiting, maxWaitingPerKey } = this.#limits
    if (this.#waitingCount >= maxWaiting) return false
    return key === undefined || waiting.length < maxWaitingPerKey
  }

  /** Runs `task` as soon as the limits allow. `accepts` says beforehand whether it should wait for that. */
  async run<T>(key: string | undefined, task: () => Promise<T>): Promise<T> {
    const lane = this.#laneOf(key)
    if (this.#hasRoom(lane.running)) this.#acquire(lane)
    else await this.#wait(lane)
    try {
      return await task()
    } finally {
      this.#release(key, lane)
      this.#startNext()
    }
  }

  #laneOf(key: string | undefined): Lane {
    const known = this.#lanes.get(key)
    if (known !== undefined) return known
    const lane = { running: 0, lastStart: 0, waiting: [] }
    this.#lanes.set(key, lane)
    return lane
  }

  #hasRoom(runningOfKey: number): boolean {
    const { maxRunning, maxRunningPerKey } = this.#limits
    return this.#runningCount < maxRunning && runningOfKey < maxRunningPerKey
  }

  #wait(lane: Lane): Promise<void> {
    this.#waitingCount += 1
    return new Promise(start => lane.waiting.push(start))
  }

  #acquire(lane: Lane): void {
    this.#runningCount += 1
    lane.running += 1
    this.#starts += 1
    lane.lastStart = this.#starts
  }

  #release(key: string | undefined, lane: Lane): void {
    this.#runningCount -= 1
    lane.running -= 1
    if (lane.running === 0 && lane.waiting.length === 0) this.#lanes.delete(key)
  }

  /** One task has ended, so at most one can start: of the key whose last start is longest ago. It acquires here, before
   *  another task can. */
  #startNext(): void {
    let next: Lane | undefined
    for (const lane of this.#lanes.values()) {
      if (lane.waiting.length === 0 || !this.#hasRoom(lane.running)) continue
      if (next === undefined || lane.lastStart < next.lastStart) next = lane
    }
    if (next === undefined) return
    this.#acquire(next)
    this.#waitingCount -= 1
    next.waiting.shift()?.()
  }
}
