import { randomInt } from 'node:crypto'
import { finishHash, hashStep } from '../hash.ts'
import { SlotMemory } from './slot-memory.ts'

// A hash table from a key to a number from which the key can be derived: that of a row, or of a group of rows. A Map would hold
// every key as a separate string, which for a million record sets is most of an index's memory; here a slot is a number and a hash,
// outside V8's heap, and the key is derived when two have to be distinguished. It grows bucket by bucket (extendible hashing), so
// no insert ever has to move all entries.

const minSlots = 8
/** From this size on a bucket grows in steps of it: larger ones leave more slots free, smaller ones move entries more often. */
const slotStep = 384
/** A bucket that would need more slots splits in two instead. */
const maxSlots = 2048
/** The largest share of its slots that a bucket fills. */
const maxLoad = 0.85
/** Bits of the hash that choose a bucket at most; the slot goes by the twelve above. */
const maxDepth = 20

/** The seed of the key hashes: unpredictable, so that no client can choose names that collide. */
export const hashStart = randomInt(2 ** 32 - 1)

/** What is known of a bucket, a number each, behind the first of them, which stands for the bucket. */
const row = {
  page: 0,
  /** Where its first slot is in the page. By slot the hash, and the entry behind it, 0 where the slot is free. */
  base: 1,
  slotCount: 2,
  size: 3,
  /** How many low bits of the hash all entries in it share. */
  depth: 4,
} as const
const rowLength = 5

/** Entries, numbers of 32 bits other than 0, by a key that can be derived from each of them. */
export class KeyTable {
  readonly #keyOf: (entry: number) => string | undefined
  readonly #hashOf: (key: string) => number
  readonly #memory = new SlotMemory()
  #rows = new Int32Array(rowLength)
  #rowsEnd = 0
  /** By the low `#depth` bits of the hash; a bucket of lesser depth stands here several times. */
  #directory = new Int32Array(1)
  #depth = 0
  #size = 0

  /** `keyOf` must yield the same key for an entry as long as it is in the table.
   *  @param hashOf spreads keys over 32 bits unpredictably */
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
    return this.#slotsOf(bucket)[this.#placeOf(bucket, hash, key) + 1] || undefined
  }

  /** Inserts an entry, or replaces the one that has the key. */
  set(key: string, entry: number): void {
    const hash = this.#hashOf(key)
    const bucket = this.#bucketOf(hash)
    const place = this.#placeOf(bucket, hash, key)
    const slots = this.#slotsOf(bucket)
    if (slots[place + 1] === 0) this.#insert(bucket, place, hash, entry)
    else slots[place + 1] = entry
  }

  /** Inserts an entry, unless another has the key: then returns that one. */
  add(key: string, entry: number): number | undefined {
    const hash = this.#hashOf(key)
    const bucket = this.#bucketOf(hash)
    const place = this.#placeOf(bucket, hash, key)
    const holder = this.#slotsOf(bucket)[place + 1] as number
    if (holder !== 0) return holder
    this.#insert(bucket, place, hash, entry)
    return undefined
  }

  /** As `add`, for an entry whose key has this hash. */
  addHashed(hash: number, entry: number): number | undefined {
    const bucket = this.#bucketOf(hash)
    const slots = this.#slotsOf(bucket)
    const base = this.#rows[bucket + row.base] as number
    const end = base + 2 * (this.#rows[bucket + row.slotCount] as number)
    let place = firstPlace(hash, base, end)
    for (;;) {
      const holder = slots[place + 1] as number
      if (holder === 0) break
      if (slots[place] === hash && this.#keyOf(holder) === this.#keyOf(entry)) return holder
      place = place + 2 < end ? place + 2 : base
    }
    this.#insert(bucket, place, hash, entry)
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
    this.#fetch(hashes, count)
    for (let i = 0; i < count; i += 1) {
      const holder = this.addHashed(hashes[i] as number, entries[i] as number)
      if (holder !== undefined) onHolder(i, holder)
    }
  }

  /** Reads the first slots of the hashes, so that the processor fetches all of them at once and not one after the other. */
  #fetch(hashes: Int32Array, count: number): number {
    let seen = 0
    for (let i = 0; i < count; i += 1) {
      const hash = hashes[i] as number
      const bucket = this.#bucketOf(hash)
      const base = this.#rows[bucket + row.base] as number
      const end = base + 2 * (this.#rows[bucket + row.slotCount] as number)
      seen |= this.#slotsOf(bucket)[firstPlace(hash, base, end) + 1] as number
    }
    // Returned so that the reads are not optimized away.
    return seen
  }

  /** Returns whether there was an entry. */
  delete(key: string): boolean {
    if (this.#size === 0) return false
    const hash = this.#hashOf(key)
    const bucket = this.#bucketOf(hash)
    const place = this.#placeOf(bucket, hash, key)
    const slots = this.#slotsOf(bucket)
    if (slots[place + 1] === 0) return false
    const base = this.#rows[bucket + row.base] as number
    closeGap(slots, place, { base, end: base + 2 * this.#row(bucket, row.slotCount) })
    this.#rows[bucket + row.size] = this.#row(bucket, row.size) - 1
    this.#size -= 1
    return true
  }

  /** Deletes an entry, if it has the key. */
  release(key: string, entry: number): void {
    if (this.get(key) === entry) this.delete(key)
  }

  /** All entries, in no guaranteed order. If the table changes meanwhile, `walk` applies. */
  *values(): Generator<number> {
    for (const step of this.walk()) yield* step.entries
  }

  /** Walks all entries in steps of up to a thousand, between which the table may change: new entries may or may not be yielded,
   *  remaining ones are yielded once. `isPassed` tells whether an entry of a key, if there was one, was in a step so far. */
  *walk(): Generator<KeyStep> {
    const passed = new PassedHashes()
    const isPassed = (key: string): boolean => passed.has(this.#hashOf(key))
    for (let index = 0; index < this.#directory.length && this.#size > 0; index += 1) {
      // A bucket is in several places of the directory, and one that splits puts a half into a later place.
      if (passed.has(index)) continue
      const bucket = this.#directory[index] as number
      passed.add(this.#row(bucket, row.depth), index)
      const entries = this.#entriesOf(bucket)
      if (entries.length > 0) yield { entries, isPassed }
    }
  }

  #row(bucket: number, column: number): number {
    return this.#rows[bucket + column] as number
  }

  #slotsOf(bucket: number): Int32Array {
    return this.#memory.pages[this.#rows[bucket + row.page] as number] as Int32Array
  }

  #bucketOf(hash: number): number {
    if (this.#rowsEnd === 0) this.#addBucket(0, 0)
    return this.#directory[hash & (this.#directory.length - 1)] as number
  }

  /** Where a key is, or the free slot where it would go. */
  #placeOf(bucket: number, hash: number, key: string): number {
    const slots = this.#slotsOf(bucket)
    const base = this.#rows[bucket + row.base] as number
    const end = base + 2 * (this.#rows[bucket + row.slotCount] as number)
    for (let place = firstPlace(hash, base, end); ; place = place + 2 < end ? place + 2 : base) {
      const entry = slots[place + 1] as number
      if (entry === 0) return place
      if (slots[place] === hash && this.#keyOf(entry) === key) return place
    }
  }

  #entriesOf(bucket: number): number[] {
    const slots = this.#slotsOf(bucket)
    const base = this.#row(bucket, row.base)
    const end = base + 2 * this.#row(bucket, row.slotCount)
    const entries: number[] = []
    for (let place = base; place < end; place += 2) {
      const entry = slots[place + 1] as number
      if (entry !== 0) entries.push(entry)
    }
    return entries
  }

  #insert(bucket: number, place: number, hash: number, entry: number): void {
    const slots = this.#slotsOf(bucket)
    slots[place] = hash
    slots[place + 1] = entry
    const size = (this.#rows[bucket + row.size] as number) + 1
    this.#rows[bucket + row.size] = size
    this.#size += 1
    if (size > maxLoad * (this.#rows[bucket + row.slotCount] as number)) this.#enlarge(bucket, hash)
  }

  /** Adds a bucket without entries that has room for some. */
  #addBucket(depth: number, entryCount: number): number {
    const bucket = this.#rowsEnd
    this.#rowsEnd += rowLength
    if (this.#rowsEnd > this.#rows.length) {
      const larger = new Int32Array(2 * this.#rowsEnd)
      larger.set(this.#rows)
      this.#rows = larger
    }
    this.#rows[bucket + row.depth] = depth
    this.#giveSlots(bucket, entryCount)
    return bucket
  }

  #giveSlots(bucket: number, entryCount: number): void {
    const slotCount = slotsFor(entryCount)
    const { page, base } = this.#memory.take(2 * slotCount)
    this.#rows[bucket + row.page] = page
    this.#rows[bucket + row.base] = base
    this.#rows[bucket + row.slotCount] = slotCount
    this.#rows[bucket + row.size] = 0
  }

  /** Gives a bucket more slots, or splits it if it has the maximum. */
  #enlarge(bucket: number, hash: number): void {
    const depth = this.#row(bucket, row.depth)
    const isSplit = this.#row(bucket, row.slotCount) >= maxSlots && depth < maxDepth
    const old = { page: this.#row(bucket, row.page), base: this.#row(bucket, row.base) }
    const words = 2 * this.#row(bucket, row.slotCount)
    const slots = this.#slotsOf(bucket)
    const size = this.#row(bucket, row.size)
    const from = { slots, base: old.base, end: old.base + words }
    if (isSplit) {
      const bit = 1 << depth
      const entryCount = countWith(bit, from)
      this.#giveSlots(bucket, size - entryCount)
      const other = this.#splitOff(bucket, { hash, entryCount })
      this.#putAll(bucket, from, { bit, value: 0 })
      this.#putAll(other, from, { bit, value: bit })
    } else {
      this.#giveSlots(bucket, size)
      this.#putAll(bucket, from, { bit: 0, value: 0 })
    }
    this.#memory.giveBack(old, words)
  }

  /** Adds the bucket of the entries of another that have the next bit. */
  #splitOff(
    bucket: number,
    { hash, entryCount }: { readonly hash: number; readonly entryCount: number },
  ): number {
    const depth = this.#row(bucket, row.depth)
    if (depth === this.#depth) {
      const doubled = new Int32Array(2 * this.#directory.length)
      doubled.set(this.#directory)
      doubled.set(this.#directory, this.#directory.length)
      this.#directory = doubled
      this.#depth += 1
    }
    const bit = 1 << depth
    this.#rows[bucket + row.depth] = depth + 1
    const added = this.#addBucket(depth + 1, entryCount)
    for (let at = (hash & (bit - 1)) | bit; at < this.#directory.length; at += 2 * bit)
      this.#directory[at] = added
    return added
  }

  /** Puts those entries of some slots whose hashes have this value of a bit into an empty bucket with room for them. */
  #putAll(
    bucket: number,
    from: Slots,
    { bit, value }: { readonly bit: number; readonly value: number },
  ): void {
    const slots = this.#slotsOf(bucket)
    const base = this.#row(bucket, row.base)
    const end = base + 2 * this.#row(bucket, row.slotCount)
    const { slots: others, end: fromEnd } = from
    let size = 0
    for (let at = from.base; at < fromEnd; at += 2) {
      const entry = others[at + 1] as number
      const hash = others[at] as number
      if (entry === 0 || (hash & bit) !== value) continue
      let place = firstPlace(hash, base, end)
      while (slots[place + 1] !== 0) place = place + 2 < end ? place + 2 : base
      slots[place] = hash
      slots[place + 1] = entry
      size += 1
    }
    this.#rows[bucket + row.size] = size
  }
}

/** Those of a bucket. */
type Slots = { readonly slots: Int32Array; readonly base: number; readonly end: number }

/** How many entries have a bit of the hash. */
function countWith(bit: number, { slots, base, end }: Slots): number {
  let count = 0
  for (let at = base; at < end; at += 2)
    if (slots[at + 1] !== 0 && ((slots[at] as number) & bit) !== 0) count += 1
  return count
}

/** Some entries of a walk, and how far it has come with them. */
export type KeyStep = {
  readonly entries: readonly number[]
  readonly isPassed: (key: string) => boolean
}

/** Hashes that end in one of a set of bit runs: those of the buckets that a walk has visited. */
class PassedHashes {
  /** Each run with a leading 1 bit, which marks its length. */
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

/** Slots for some entries and at least one more. */
function slotsFor(entryCount: number): number {
  let count = minSlots
  while (count * maxLoad < entryCount + 1) count += Math.min(count, Math.max(slotStep, count >> 3))
  return count
}

/** Spreads the twelve highest bits of a hash over the slots between two places. */
function firstPlace(hash: number, base: number, end: number): number {
  return base + 2 * (((hash >>> 20) * ((end - base) >>> 1)) >>> 12)
}

/** Empties a slot and moves up later ones that could no longer be found across the gap. */
function closeGap(
  slots: Int32Array,
  gap: number,
  { base, end }: { readonly base: number; readonly end: number },
): void {
  const next = (place: number): number => (place + 2 < end ? place + 2 : base)
  const distance = (from: number, to: number): number =>
    to >= from ? to - from : to - from + (end - base)
  let free = gap
  for (let place = next(gap); slots[place + 1] !== 0; place = next(place)) {
    const hash = slots[place] as number
    if (distance(firstPlace(hash, base, end), place) < distance(free, place)) continue
    slots[free] = hash
    slots[free + 1] = slots[place + 1] as number
    free = place
  }
  slots[free + 1] = 0
}

/** 32 bits of all characters: FNV-1a, mixed at the end so that the high bits depend on all of them too. */
export function hashOfText(key: string): number {
  let hash = hashStart
  for (let i = 0; i < key.length; i += 1) hash = hashStep(hash, key.charCodeAt(i))
  return finishHash(hash)
}
