import { comparePlaces, type Place } from './ordered-rows.ts'

// How the record sets of a large zone are spread over documents: each shard holds a stretch of creation order.
// New record sets are at the end of it, so however a zone grows, what it has already filled is not written
// again. A shard that has grown too long is replaced by new ones; its number is never used a second time, so a
// file never comes to hold another stretch than the one it was made for.

/** Where a shard begins, as its zone's document has it: strictly behind `after`, the first one at the very
 *  beginning. It ends where the next one begins. */
export type ShardStart = { readonly number: number; readonly after: Place | null }

/** A shard in memory. */
export type Shard = ShardStart & {
  /** Whether it has changed since it was last written. */
  isDirty: boolean
}

/** The shards of one zone, in order; at least one. */
export class ZoneShards {
  readonly shards: readonly Shard[]

  constructor(shards: readonly Shard[]) {
    this.shards = shards
  }

  get starts(): readonly ShardStart[] {
    return this.shards.map(({ number, after }) => ({ number, after }))
  }

  /** The shard whose stretch a place is in. */
  shardOf(place: Place): Shard | undefined {
    let low = 0
    let high = this.shards.length - 1
    while (low < high) {
      const middle = (low + high + 1) >>> 1
      const after = this.shards[middle]?.after ?? null
      if (after === null || comparePlaces(after, place) < 0) low = middle
      else high = middle - 1
    }
    return this.shards[low]
  }

  /** Where a shard's stretch ends; undefined for the last one. */
  endOf(shard: Shard): Place | undefined {
    return this.shards[this.shards.indexOf(shard) + 1]?.after ?? undefined
  }

  setDirty(): void {
    for (const shard of this.shards) shard.isDirty = true
  }
}
