export type SlotLimits = { readonly maxTotal: number; readonly maxPerKey: number }

type Waiting = { readonly key: string; readonly start: () => void }

/** Lets a bounded number of tasks run at once, in total and of one key, in the order they came. A task whose
 *  key is at its limit holds up none of another key. */
export class Slots {
  readonly #limits: SlotLimits
  readonly #waiting: Waiting[] = []
  readonly #countByKey = new Map<string, number>()
  #total = 0

  constructor(limits: SlotLimits) {
    this.#limits = limits
  }

  /** Runs `task` when there is room for it. */
  async run<T>(key: string, task: () => Promise<T>): Promise<T> {
    if (!this.#hasRoom(key)) {
      await new Promise<void>(start => this.#waiting.push({ key, start }))
    } else this.#take(key)
    try {
      return await task()
    } finally {
      this.#give(key)
      this.#startNext()
    }
  }

  #hasRoom(key: string): boolean {
    const { maxTotal, maxPerKey } = this.#limits
    return this.#total < maxTotal && (this.#countByKey.get(key) ?? 0) < maxPerKey
  }

  #take(key: string): void {
    this.#total += 1
    this.#countByKey.set(key, (this.#countByKey.get(key) ?? 0) + 1)
  }

  #give(key: string): void {
    this.#total -= 1
    const count = (this.#countByKey.get(key) ?? 0) - 1
    if (count > 0) this.#countByKey.set(key, count)
    else this.#countByKey.delete(key)
  }

  /** One task has ended, so at most one can start. It takes its slot here, before anyone else can. */
  #startNext(): void {
    const at = this.#waiting.findIndex(({ key }) => this.#hasRoom(key))
    const [next] = at < 0 ? [] : this.#waiting.splice(at, 1)
    if (next === undefined) return
    this.#take(next.key)
    next.start()
  }
}
