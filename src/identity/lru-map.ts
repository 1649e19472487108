/** A map of bounded size: once it is full, what was asked for longest ago is forgotten first. */
export class LruMap<K, V> {
  readonly #maxSize: number
  // A Map keeps the order of insertion; whatever is used is inserted anew, so the first is the stalest.
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
