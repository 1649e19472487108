export type SlotLimits = { readonly maxTotal: number; readonly maxPerKey: number }

/** What of one key runs, and what starts those that wait, in the order they came. */
type Lane = { running: number; readonly waiting: (() => void)[] }

/** Lets a bounded number of tasks run at once, in total and of one key. A task whose key is at its limit holds up none
 *  of another key, and where there is room for one more, keys take turns. */
export class Slots {
  readonly #limits: SlotLimits
  /** In the order of their turns. */
  readonly #lanes = new Map<string, Lane>()
  #total = 0

  constructor(limits: SlotLimits) {
    this.#limits = limits
  }

  /** Runs `task` when there is room for it. */
  async run<T>(key: string, task: () => Promise<T>): Promise<T> {
    const lane = this.#laneOf(key)
    if (this.#hasRoom(lane)) this.#take(lane)
    else await new Promise<void>(start => lane.waiting.push(start))
    try {
      return await task()
    } finally {
      this.#give(key, lane)
      this.#startNext()
    }
  }

  #laneOf(key: string): Lane {
    const known = this.#lanes.get(key)
    if (known !== undefined) return known
    const lane = { running: 0, waiting: [] }
    this.#lanes.set(key, lane)
    return lane
  }

  #hasRoom({ running }: Lane): boolean {
    const { maxTotal, maxPerKey } = this.#limits
    return this.#total < maxTotal && running < maxPerKey
  }

  #take(lane: Lane): void {
    this.#total += 1
    lane.running += 1
  }

  #give(key: string, lane: Lane): void {
    this.#total -= 1
    lane.running -= 1
    if (lane.running === 0 && lane.waiting.length === 0) this.#lanes.delete(key)
  }

  /** One task has ended, so at most one can start. It takes its slot here, before anyone else can. */
  #startNext(): void {
    for (const [key, lane] of this.#lanes) {
      if (lane.waiting.length === 0 || !this.#hasRoom(lane)) continue
      this.#take(lane)
      this.#lanes.delete(key)
      this.#lanes.set(key, lane)
      lane.waiting.shift()?.()
      return
    }
  }
}
