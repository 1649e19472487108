/** The keys of the latest batches: what is sent again after a lost answer comes within them. */
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
