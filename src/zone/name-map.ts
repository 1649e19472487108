import type { Name } from '../dns/name.ts'

// One large Map pauses for a tenth of a second each time it doubles. This map consists of many small ones, so a zone of
// a million names can be built beside other work. For lookups alone a plain Map is quicker.

/** A power of two. */
const shardCount = 1024
/** Enough to tell siblings apart, which differ in their first label. */
const hashedCharacters = 24

/** A map from lower-case names that grows without long pauses. */
export class NameMap<V> {
  /** Made as they are needed: most zones are small. */
  readonly #shards: Map<Name, V>[] = []

  get(name: Name): V | undefined {
    return this.#shards[shardOf(name)]?.get(name)
  }

  set(name: Name, value: V): this {
    const shard = shardOf(name)
    const names = this.#shards[shard] ?? new Map<Name, V>()
    this.#shards[shard] = names.set(name, value)
    return this
  }

  /** In no promised order. */
  *values(): Generator<V> {
    for (const shard of this.#shards) if (shard !== undefined) yield* shard.values()
  }
}

function shardOf(name: Name): number {
  let hash = name.length
  const end = Math.min(name.length, hashedCharacters)
  for (let i = 0; i < end; i += 1) hash = Math.imul(hash, 31) + name.charCodeAt(i)
  // The lower bits alone would depend on the last characters only.
  return (hash ^ (hash >>> 15)) & (shardCount - 1)
}
