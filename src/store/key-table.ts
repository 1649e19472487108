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

  /** All entries, in no promised order. While the table changes, what `walk` says. */
  *values(): Generator<Entry> {
    for (const step of this.walk()) yield* step.entries
  }

  /** Walks over all entries in steps of up to a thousand, between which the table may change: what is new is given
   *  out or not, what stays is given out once. `isPassed` tells of any key whether an entry of it, if there was
   *  one, was in a step so far. */
  *walk(): Generator<KeyStep<Entry>> {
    const passed = new PassedHashes()
    const isPassed = (key: string): boolean => passed.has(hashOf(key))
    for (let index = 0; index < this.#buckets.length; index += 1) {
      const bucket = this.#buckets[index]
      // A bucket stands in several places, and one that splits puts a half into a place further on.
      if (bucket === undefined || passed.has(index)) continue
      passed.add(bucket.depth, index)
      const entries = bucket.entries.filter(entry => entry !== undefined)
      if (entries.length > 0) yield { entries, isPassed }
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

/** Some entries of a walk, and how far it has come with them. */
export type KeyStep<Entry> = {
  readonly entries: readonly Entry[]
  readonly isPassed: (key: string) => boolean
}

/** Hashes that end in any of some runs of bits: those of the buckets that a walk has been to. */
class PassedHashes {
  /** Each run behind a leading one, which tells how long it is. */
  readonly #runs = new Set<number>()

  add(depth: number, bits: number): void {
    const marker = 1 << depth
    this.#runs.add(marker | (bits & (marker - 1)))
  }

  has(hash: number): boolean {
    for (let depth = 0; depth <= maxDepth; depth += 1) {
      const marker = 1 << depth
      if (this.#runs.has(marker | (hash & (marker - 1)))) return true
    }
    return false
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
