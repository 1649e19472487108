export type SlotLimits = { readonly maxTotal: number; readonly maxPerKey: number }

/** What of one key runs, when it last had a turn, and what starts those that wait, in the order they came. */
type Lane = { running: number; lastTurn: number; readonly waiting: (() => void)[] }

/** Lets a bounded number of tasks run at once, in total and of one key. A task whose key is at its limit holds up none
 *  of another key, and where there is room for one more, keys take turns. */
export class Slots {
  readonly #limits: SlotLimits
  readonly #lanes = new Map<string, Lane>()
  #total = 0
  #turns = 0

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
    const lane = { running: 0, lastTurn: 0, waiting: [] }
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
    this.#turns += 1
    lane.lastTurn = this.#turns
  }

  #give(key: string, lane: Lane): void {
    this.#total -= 1
    lane.running -= 1
    if (lane.running === 0 && lane.waiting.length === 0) this.#lanes.delete(key)
  }

  /** One task has ended, so at most one can start: of the key that has waited longest for a turn. It takes its slot
   *  here, before anyone else can. */
  #startNext(): void {
    let next: Lane | undefined
    for (const lane of this.#lanes.values()) {
      if (lane.waiting.length === 0 || !this.#hasRoom(lane)) continue
      if (next === undefined || lane.lastTurn < next.lastTurn) next = lane
    }
    if (next === undefined) return
    this.#take(next)
    next.waiting.shift()?.()
  }
}
