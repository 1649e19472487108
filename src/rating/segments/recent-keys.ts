/** The keys of the latest batches, many enough to recognize a batch that is sent again after a lost answer. */
export class RecentKeys {
  readonly #keys: Set<string>
  readonly #limit: number

  constructor(keys: Iterable<string> = [], limit = 10_000) {
    this.#keys = new Set(keys)
    this.#limit = limit
  }

  has(key: string): boolean {
    return this.#keys.has(key)
  }

  add(key: string): void {
    this.#keys.add(key)
    const [oldest] = this.#keys
    if (this.#keys.size > this.#limit && oldest !== undefined) this.#keys.delete(oldest)
  }

  /** The keys, oldest first. */
  toArray(): readonly string[] {
    return [...this.#keys]
  }
}
