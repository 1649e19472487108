/** A map of bounded size that owners share: once it is full, the one with most entries loses its oldest. However many entries one
 *  owner has, others keep theirs. */
export class SharedMemo<V> {
  readonly #maxSize: number
  // A Map keeps the order of insertion.
  readonly #valuesByOwner = new Map<string, Map<string, V>>()
  #size = 0

  constructor(maxSize: number) {
    this.#maxSize = maxSize
  }

  get(owner: string, key: string): V | undefined {
    return this.#valuesByOwner.get(owner)?.get(key)
  }

  /** The entry is the newest, whether or not there was one. */
  set(owner: string, key: string, value: V): void {
    const own = this.#valuesByOwner.get(owner) ?? new Map<string, V>()
    this.#valuesByOwner.set(owner, own)
    if (!own.delete(key)) this.#size += 1
    own.set(key, value)
    if (this.#size > this.#maxSize) this.#dropOldest(owner, own)
  }

  #dropOldest(owner: string, own: Map<string, V>): void {
    const share = this.#maxSize / this.#valuesByOwner.size
    // One that has more than its share loses its own, so that a flood does not look at all owners again and again.
    const [loser, values] = own.size > 1 && own.size > share ? [owner, own] : this.#largest()
    for (const oldest of values.keys()) {
      values.delete(oldest)
      this.#size -= 1
      break
    }
    if (values.size === 0) this.#valuesByOwner.delete(loser)
  }

  #largest(): readonly [string, Map<string, V>] {
    let largest: readonly [string, Map<string, V>] = ['', new Map()]
    for (const entry of this.#valuesByOwner) if (entry[1].size > largest[1].size) largest = entry
    return largest
  }
}
