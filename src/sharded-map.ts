import { finishHash, hashStep } from './hash.ts'

const shardCount = 64
/** Enough to tell keys apart that have a UUID in them. */
const hashedCharacters = 32

/** A map of texts that is made for a hundred thousand of them. A Map that is full moves all its entries at once, for ten
 *  milliseconds then, and those that have the same keys do so in the same turn; here only a shard's are moved. */
export class ShardedMap<V> {
  readonly #shards: Map<string, V>[] = []

  get(key: string): V | undefined {
    return this.shardOf(key).get(key)
  }

  has(key: string): boolean {
    return this.shardOf(key).has(key)
  }

  set(key: string, value: V): void {
    this.shardOf(key).set(key, value)
  }

  delete(key: string): void {
    this.shardOf(key).delete(key)
  }

  /** The part that a key is in, if it is in the map: whoever reads and writes a value hashes the key once by this. */
  shardOf(key: string): Map<string, V> {
    let hash = 0
    const step = Math.ceil(key.length / hashedCharacters)
    for (let i = key.length - 1; i >= 0; i -= step) hash = hashStep(hash, key.charCodeAt(i))
    const shard = finishHash(hash) & (shardCount - 1)
    this.#shards[shard] ??= new Map()
    return this.#shards[shard]
  }

  /** In no guaranteed order, like the values. */
  keys(): string[] {
    return this.#shards.flatMap(shard => [...shard.keys()])
  }

  values(): V[] {
    return this.#shards.flatMap(shard => [...shard.values()])
  }
}
