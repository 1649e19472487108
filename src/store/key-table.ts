import { randomInt } from 'node:crypto'
import { finishHash, hashStep } from '../hash.ts'

// A hash table from a key to a number that knows its key: that of a row, or of a group of rows. A Map would hold
// every key as a string of its own, which for a million record sets is most of what an index weighs; here a slot is
// a number and a hash, outside V8's heap, and the key is asked for when two have to be distinguished. It grows bucket
// by bucket (extendible hashing), so no insert ever has to move all entries.

const minSlots = 8
/** From here on a bucket grows in steps of it, so that few of its slots are for nothing. */
const slotStep = 256
/** A bucket that would need more slots splits in two instead. */
const maxSlots = 1024
/** The share of its slots that a bucket fills at most. */
const maxLoad = 0.75
/** Bits of the hash that choose a bucket at most; the slot goes by the ten above. */
const maxDepth = 20

/** What the hash of a key begins with: unpredictable, so that nobody can choose names that fall on one another. */
export const hashStart = randomInt(2 ** 32 - 1)

type Bucket = {
  /** How many low bits of the hash all entries in here share. */
  readonly depth: number
  size: number
  /** By slot the hash and the entry behind it, 0 where the slot is free. */
  slots: Int32Array
}

/** Entries, numbers of 32 bits other than 0, by a key that can be derived from each of them. */
export class KeyTable {
  readonly #keyOf: (entry: number) => string | undefined
  readonly #hashOf: (key: string) => number
  /** By the low `#depth` bits of the hash; a bucket of lesser depth stands here several times. */
  #buckets: Bucket[] = []
  #depth = 0
  #size = 0

  /** `keyOf` must yield the same key for an entry as long as it is in here.
   *  @param hashOf spreads keys over 32 bits, in a way that nobody can foresee */
  constructor(
    keyOf: (entry: number) => string | undefined,
    hashOf: (key: string) => number = hashOfText,
  ) {
    this.#keyOf = keyOf
    this.#hashOf = hashOf
  }

  get size(): number {
    return this.#size
  }

  get(key: string): number | undefined {
    if (this.#size === 0) return undefined
    const hash = this.#hashOf(key)
    const bucket = this.#bucketOf(hash)
    return bucket && entryAt(bucket, this.#slotOf(bucket, hash, key))
  }

  /** Inserts, or replaces the entry that has the key. */
  set(key: string, entry: number): void {
    const hash = this.#hashOf(key)
    const bucket = this.#bucketOf(hash) ?? this.#firstBucket()
    const slot = this.#slotOf(bucket, hash, key)
    if (entryAt(bucket, slot) === undefined) this.#insert(bucket, { slot, hash, entry })
    else bucket.slots[2 * slot + 1] = entry
  }

  /** Inserts, unless an entry has the key: then that one is returned. */
  add(key: string, entry: number): number | undefined {
    const hash = this.#hashOf(key)
    const bucket = this.#bucketOf(hash) ?? this.#firstBucket()
    const slot = this.#slotOf(bucket, hash, key)
    const holder = entryAt(bucket, slot)
    if (holder === undefined) this.#insert(bucket, { slot, hash, entry })
    return holder
  }

  /** As `add`, of an entry whose key has this hash. */
  addHashed(hash: number, entry: number): number | undefined {
    const bucket = this.#bucketOf(hash) ?? this.#firstBucket()
    const { slots } = bucket
    const count = slotCount(bucket)
    let slot = firstSlot(hash, count)
    for (;;) {
      const holder = slots[2 * slot + 1] as number
      if (holder === 0) break
      if (slots[2 * slot] === hash && this.#keyOf(holder) === this.#keyOf(entry)) return holder
      slot = slot + 1 < count ? slot + 1 : 0
    }
    this.#insert(bucket, { slot, hash, entry })
    return undefined
  }

  /** As `add`, of the first so many of some entries, the hashes of whose keys are known. `onHolder` is called with each that is
   *  not inserted, as another has its key, with where it is among them, and with that other. */
  addAllHashed(
    hashes: Int32Array,
    entries: Int32Array,
    {
      count,
      onHolder,
    }: {
      readonly count: number
      readonly onHolder: (index: number, holder: number) => void
    },
  ): void {
    for (let i = 0; i < count; i += 1) {
      const holder = this.addHashed(hashes[i] as number, entries[i] as number)
      if (holder !== undefined) onHolder(i, holder)
    }
  }

  /** Returns whether there was an entry. */
  delete(key: string): boolean {
    const hash = this.#hashOf(key)
    const bucket = this.#bucketOf(hash)
    if (bucket === undefined) return false
    const slot = this.#slotOf(bucket, hash, key)
    if (entryAt(bucket, slot) === undefined) return false
    closeGap(bucket, slot)
    bucket.size -= 1
    this.#size -= 1
    return true
  }

  /** All entries, in no promised order. While the table changes, what `walk` says. */
  *values(): Generator<number> {
    for (const step of this.walk()) yield* step.entries
  }

  /** Walks over all entries in steps of up to a thousand, between which the table may change: what is new is given
   *  out or not, what stays is given out once. `isPassed` tells of any key whether an entry of it, if there was
   *  one, was in a step so far. */
  *walk(): Generator<KeyStep> {
    const passed = new PassedHashes()
    const isPassed = (key: string): boolean => passed.has(this.#hashOf(key))
    for (let index = 0; index < this.#buckets.length; index += 1) {
      const bucket = this.#buckets[index]
      // A bucket stands in several places, and one that splits puts a half into a place further on.
      if (bucket === undefined || passed.has(index)) continue
      passed.add(bucket.depth, index)
      const entries = entriesOf(bucket)
      if (entries.length > 0) yield { entries, isPassed }
    }
  }

  #insert(
    bucket: Bucket,
    { slot, hash, entry }: { readonly slot: number; readonly hash: number; readonly entry: number },
  ): void {
    bucket.slots[2 * slot] = hash
    bucket.slots[2 * slot + 1] = entry
    bucket.size += 1
    this.#size += 1
    if (bucket.size > slotCount(bucket) * maxLoad) this.#enlarge(bucket, hash)
  }

  #firstBucket(): Bucket {
    const bucket = newBucket(0, 0)
    this.#buckets = [bucket]
    return bucket
  }

  #bucketOf(hash: number): Bucket | undefined {
    return this.#buckets[hash & (this.#buckets.length - 1)]
  }

  /** The slot that holds a key, or the free one where it would go. */
  #slotOf(bucket: Bucket, hash: number, key: string): number {
    const { slots } = bucket
    const count = slotCount(bucket)
    for (let slot = firstSlot(hash, count); ; slot = slot + 1 < count ? slot + 1 : 0) {
      const entry = slots[2 * slot + 1] ?? 0
      if (entry === 0) return slot
      if (slots[2 * slot] === hash && this.#keyOf(entry) === key) return slot
    }
  }

  /** Gives a bucket more slots, or splits it when it has as many as one may have. */
  #enlarge(bucket: Bucket, hash: number): void {
    if (slotCount(bucket) < maxSlots || bucket.depth === maxDepth) {
      const { slots } = bucket
      bucket.slots = emptySlots(bucket.size)
      moveEntries(slots, () => bucket)
      return
    }
    if (bucket.depth === this.#depth) {
      this.#buckets = this.#buckets.concat(this.#buckets)
      this.#depth += 1
    }
    const bit = 1 << bucket.depth
    const { slots } = bucket
    let lowCount = 0
    for (let at = 0; at < slots.length; at += 2) {
      if (slots[at + 1] !== 0 && ((slots[at] ?? 0) & bit) === 0) lowCount += 1
    }
    const low = newBucket(bucket.depth + 1, lowCount)
    const high = newBucket(bucket.depth + 1, bucket.size - lowCount)
    moveEntries(slots, entryHash => {
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
export type KeyStep = {
  readonly entries: readonly number[]
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

/** A bucket without entries that has room for some. */
function newBucket(depth: number, entryCount: number): Bucket {
  return { depth, size: 0, slots: emptySlots(entryCount) }
}

/** Slots for some entries and at least one more. */
function emptySlots(entryCount: number): Int32Array {
  let count = minSlots
  while (count * maxLoad < entryCount + 1) count += Math.min(count, Math.max(slotStep, count >> 3))
  return new Int32Array(2 * count)
}

function slotCount({ slots }: Bucket): number {
  return slots.length >>> 1
}

function entryAt({ slots }: Bucket, slot: number): number | undefined {
  const entry = slots[2 * slot + 1]
  return entry === 0 ? undefined : entry
}

function entriesOf({ slots }: Bucket): number[] {
  const entries: number[] = []
  for (let at = 1; at < slots.length; at += 2) {
    const entry = slots[at] ?? 0
    if (entry !== 0) entries.push(entry)
  }
  return entries
}

/** Spreads the ten highest bits of a hash over as many slots. */
function firstSlot(hash: number, count: number): number {
  return ((hash >>> 22) * count) >>> 10
}

function moveEntries(from: Int32Array, bucketFor: (hash: number) => Bucket): void {
  for (let at = 0; at < from.length; at += 2) {
    const entry = from[at + 1] ?? 0
    if (entry === 0) continue
    const hash = from[at] ?? 0
    const bucket = bucketFor(hash)
    const { slots } = bucket
    const count = slotCount(bucket)
    let slot = firstSlot(hash, count)
    while (slots[2 * slot + 1] !== 0) slot = slot + 1 < count ? slot + 1 : 0
    slots[2 * slot] = hash
    slots[2 * slot + 1] = entry
  }
}

/** Empties a slot and moves up those behind it that could no longer be found across the gap. */
function closeGap(bucket: Bucket, gap: number): void {
  const { slots } = bucket
  const count = slotCount(bucket)
  const distance = (from: number, to: number): number =>
    to >= from ? to - from : to - from + count
  let free = gap
  for (let slot = (gap + 1) % count; slots[2 * slot + 1] !== 0; slot = (slot + 1) % count) {
    const hash = slots[2 * slot] ?? 0
    if (distance(firstSlot(hash, count), slot) < distance(free, slot)) continue
    slots[2 * free] = hash
    slots[2 * free + 1] = slots[2 * slot + 1] ?? 0
    free = slot
  }
  slots[2 * free + 1] = 0
}

/** 32 bits of all characters: FNV-1a, mixed at the end so that the high bits depend on all of them too. */
export function hashOfText(key: string): number {
  let hash = hashStart
  for (let i = 0; i < key.length; i += 1) hash = hashStep(hash, key.charCodeAt(i))
  return finishHash(hash)
}
