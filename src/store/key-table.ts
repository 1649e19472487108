import { randomInt } from 'node:crypto'

// A hash table from a key to an entry that knows its own key. A Map would hold every key as a string of its
// own, which for a million record sets is most of what an index weighs; here a slot is a reference and a hash,
// and the key is asked of the entry when two have to be told apart. It grows bucket by bucket (extendible
// hashing), so no insert ever has to move all entries.

const minSlots = 8
/** A bucket that would need more slots splits in two instead. */
const maxSlots = 1024
/** The share of its slots that a bucket fills at most. */
const maxLoad = 0.75
/** Bits of the hash that choose a bucket at most; the slot goes by the ten above. */
const maxDepth = 20

/** Unpredictable, so that nobody can choose names that fall on one another. */
const hashSeed = randomInt(2 ** 32 - 1)

type Bucket<Entry> = {
  /** How many low bits of the hash all entries in here share. */
  readonly depth: number
  size: number
  hashes: Int32Array
  entries: (Entry | undefined)[]
}

/** Entries by a key that each of them yields. */
export class KeyTable<Entry extends object> {
  readonly #keyOf: (entry: Entry) => string | undefined
  /** By the low `#depth` bits of the hash; a bucket of lesser depth stands here several times. */
  #buckets: Bucket<Entry>[] = []
  #depth = 0
  #size = 0

  /** `keyOf` must yield the same key for an entry as long as it is in here. */
  constructor(keyOf: (entry: Entry) => string | undefined) {
    this.#keyOf = keyOf
  }

  get size(): number {
    return this.#size
  }

  get(key: string): Entry | undefined {
    if (this.#size === 0) return undefined
    const hash = hashOf(key)
    const bucket = this.#bucketOf(hash)
    return bucket?.entries[this.#slotOf(bucket, hash, key)]
  }

  /** Inserts, or replaces the entry that has the key. */
  set(key: string, entry: Entry): void {
    const hash = hashOf(key)
    const bucket = this.#bucketOf(hash) ?? this.#firstBucket()
    const slot = this.#slotOf(bucket, hash, key)
    if (bucket.entries[slot] === undefined) this.#insert(bucket, { slot, hash, entry })
    else bucket.entries[slot] = entry
  }

  /** Inserts, unless an entry has the key: then that one is returned. */
  add(key: string, entry: Entry): Entry | undefined {
    const hash = hashOf(key)
    const bucket = this.#bucketOf(hash) ?? this.#firstBucket()
    const slot = this.#slotOf(bucket, hash, key)
    const holder = bucket.entries[slot]
    if (holder === undefined) this.#insert(bucket, { slot, hash, entry })
    return holder
  }

  /** Returns whether there was an entry. */
  delete(key: string): boolean {
    const hash = hashOf(key)
    const bucket = this.#bucketOf(hash)
    if (bucket === undefined) return false
    const slot = this.#slotOf(bucket, hash, key)
    if (bucket.entries[slot] === undefined) return false
    closeGap(bucket, slot)
    bucket.size -= 1
    this.#size -= 1
    return true
  }

  /** All entries, in no promised order. The table must not change meanwhile. */
  *values(): Generator<Entry> {
    for (const [index, bucket] of this.#buckets.entries()) {
      // Of the places a bucket stands in, the lowest is the one of its own bits alone.
      if (index >>> bucket.depth !== 0) continue
      for (const entry of bucket.entries) if (entry !== undefined) yield entry
    }
  }

  #insert(
    bucket: Bucket<Entry>,
    { slot, hash, entry }: { readonly slot: number; readonly hash: number; readonly entry: Entry },
  ): void {
    bucket.hashes[slot] = hash
    bucket.entries[slot] = entry
    bucket.size += 1
    this.#size += 1
    if (bucket.size > bucket.entries.length * maxLoad) this.#enlarge(bucket, hash)
  }

  #firstBucket(): Bucket<Entry> {
    const bucket = newBucket<Entry>(0, minSlots)
    this.#buckets = [bucket]
    return bucket
  }

  #bucketOf(hash: number): Bucket<Entry> | undefined {
    return this.#buckets[hash & (this.#buckets.length - 1)]
  }

  /** The slot that holds a key, or the free one where it would go. */
  #slotOf({ hashes, entries }: Bucket<Entry>, hash: number, key: string): number {
    const mask = entries.length - 1
    for (let slot = firstSlot(hash, mask); ; slot = (slot + 1) & mask) {
      const entry = entries[slot]
      if (entry === undefined) return slot
      if (hashes[slot] === hash && this.#keyOf(entry) === key) return slot
    }
  }

  /** Gives a bucket more slots, or splits it when it has as many as one may have. */
  #enlarge(bucket: Bucket<Entry>, hash: number): void {
    if (bucket.entries.length < maxSlots || bucket.depth === maxDepth) {
      const { hashes, entries } = bucket
      bucket.hashes = new Int32Array(entries.length * 2)
      bucket.entries = emptySlots(entries.length * 2)
      moveEntries({ hashes, entries }, () => bucket)
      return
    }
    if (bucket.depth === this.#depth) {
      this.#buckets = this.#buckets.concat(this.#buckets)
      this.#depth += 1
    }
    const bit = 1 << bucket.depth
    const halves = [0, 1].map(() => newBucket<Entry>(bucket.depth + 1, maxSlots))
    const [low, high] = halves as [Bucket<Entry>, Bucket<Entry>]
    moveEntries(bucket, entryHash => {
      const half = (entryHash & bit) === 0 ? low : high
      half.size += 1
      return half
    })
    for (let at = hash & (bit - 1); at < this.#buckets.length; at += bit) {
      this.#buckets[at] = (at & bit) === 0 ? low : high
    }
  }
}

function newBucket<Entry>(depth: number, slotCount: number): Bucket<Entry> {
  const hashes = new Int32Array(slotCount)
  return { depth, size: 0, hashes, entries: emptySlots(slotCount) }
}

function emptySlots<Entry>(slotCount: number): (Entry | undefined)[] {
  return new Array<Entry | undefined>(slotCount).fill(undefined)
}

function firstSlot(hash: number, mask: number): number {
  return (hash >>> 22) & mask
}

function moveEntries<Entry>(
  from: Pick<Bucket<Entry>, 'hashes' | 'entries'>,
  bucketFor: (hash: number) => Bucket<Entry>,
): void {
  for (let i = 0; i < from.entries.length; i += 1) {
    const entry = from.entries[i]
    if (entry === undefined) continue
    const hash = from.hashes[i] ?? 0
    const { hashes, entries } = bucketFor(hash)
    const mask = entries.length - 1
    let slot = firstSlot(hash, mask)
    while (entries[slot] !== undefined) slot = (slot + 1) & mask
    hashes[slot] = hash
    entries[slot] = entry
  }
}

/** Empties a slot and moves up those behind it that could no longer be found across the gap. */
function closeGap<Entry>({ hashes, entries }: Bucket<Entry>, gap: number): void {
  const mask = entries.length - 1
  let free = gap
  for (let slot = (gap + 1) & mask; entries[slot] !== undefined; slot = (slot + 1) & mask) {
    const hash = hashes[slot] ?? 0
    const distance = (slot - firstSlot(hash, mask)) & mask
    if (distance < ((slot - free) & mask)) continue
    entries[free] = entries[slot]
    hashes[free] = hash
    free = slot
  }
  entries[free] = undefined
}

/** 32 bits of all characters: FNV-1a, mixed at the end so that the high bits depend on all of them too. */
function hashOf(key: string): number {
  let hash = hashSeed
  for (let i = 0; i < key.length; i += 1) hash = Math.imul(hash ^ key.charCodeAt(i), 0x0100_0193)
  hash = Math.imul(hash ^ (hash >>> 16), 0x85eb_ca6b)
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2_ae35)
  return hash ^ (hash >>> 16)
}
