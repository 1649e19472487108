/** A map of bounded size: once it is full, the least recently used entry is dropped. */
export class LruMap<K, V> {
  readonly #maxSize: number
  // A Map keeps the order of insertion; every use inserts an entry again, so the first is the least recently used.
  readonly #values = new Map<K, V>()

  constructor(maxSize: number) {
    this.#maxSize = maxSize
  }

  get size(): number {
    return this.#values.size
  }

  get(key: K): V | undefined {
    const value = this.#values.get(key)
    if (value === undefined) return undefined
    this.#values.delete(key)
    this.#values.set(key, value)
    return value
  }

  set(key: K, value: V): void {
    this.#values.delete(key)
    this.#values.set(key, value)
    if (this.#values.size <= this.#maxSize) return
    for (const stalest of this.#values.keys()) {
      this.#values.delete(stalest)
      return
    }
  }

  delete(key: K): void {
    this.#values.delete(key)
  }
}
