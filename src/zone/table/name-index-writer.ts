import { header } from './layout.ts'
import {
  directoryBits,
  directorySegments,
  goneRef,
  segmentOf,
  segmentSlots,
  segmentWords,
  slotHash,
  slotMask,
} from './name-index.ts'
import type { TableStore } from './table-store.ts'

/** A segment with more slots in use is split in two, or swept where most of them are gone. */
const maxUsedSlots = Math.floor(segmentSlots * 0.8)
/** A segment with fewer entries is joined with its sibling, if that has few as well. */
const minLiveSlots = Math.floor(maxUsedSlots / 5)

/** The facts about a segment that readers do not need. */
type Segment = {
  /** How many upper bits of the hash all entries here have in common. */
  readonly bits: number
  /** Slots that are not empty, those of gone entries included. */
  usedCount: number
  liveCount: number
}

/** The writer's side of the name index. The index grows one segment at a time, and so never takes long: the two halves
 *  are written beside it and replace it in the directory. */
export class NameIndexWriter {
  readonly #store: TableStore
  readonly #segments = new Map<number, Segment>()

  constructor(store: TableStore) {
    this.#store = store
    if (store.words[header.directory] === 0) this.#begin()
    else this.#readSegments()
  }

  #begin(): void {
    const store = this.#store
    const directory = store.allocate(directorySegments + 2)
    const { words } = store
    words[directory + directoryBits] = 1
    words[directory + directorySegments] = this.#addSegment(1)
    words[directory + directorySegments + 1] = this.#addSegment(1)
    store.publish(header.directory, directory)
  }

  /** Counts the entries in the segments of a memory that another writer has left. */
  #readSegments(): void {
    const { words } = this.#store
    const directory = this.#directory
    const bits = words[directory + directoryBits] as number
    for (let place = 0; place < 2 ** bits; ) {
      const segment = words[directory + directorySegments + place] as number
      let placeCount = 1
      while (words[directory + directorySegments + place + placeCount] === segment) {
        placeCount += 1
        if (place + placeCount === 2 ** bits) break
      }
      let [usedCount, liveCount] = [0, 0]
      for (let slot = 0; slot < segmentSlots; slot += 1) {
        const ref = words[segment + 2 * slot + 1] as number
        if (ref !== 0) usedCount += 1
        if (ref !== 0 && ref !== goneRef) liveCount += 1
      }
      this.#segments.set(segment, { bits: bits - Math.log2(placeCount), usedCount, liveCount })
      place += placeCount
    }
  }

  /** Adds an entry under a name hash and namespace that no other entry of the same name has. */
  add(nameHash: number, namespace: number, ref: number): void {
    const hash = slotHash(nameHash, namespace)
    for (;;) {
      const segment = segmentOf(this.#store.words, this.#directory, hash)
      const info = this.#infoOf(segment)
      if (info.usedCount < maxUsedSlots) {
        this.#put(segment, info, { hash, ref })
        return
      }
      this.#makeRoom(segment, hash)
    }
  }

  /** Takes an entry out. */
  remove(nameHash: number, namespace: number, ref: number): void {
    const { words } = this.#store
    const hash = slotHash(nameHash, namespace)
    const segment = segmentOf(words, this.#directory, hash)
    const info = this.#infoOf(segment)
    let slot = hash & slotMask
    while (words[segment + 2 * slot + 1] !== ref) slot = (slot + 1) & slotMask
    this.#store.publish(segment + 2 * slot + 1, goneRef)
    info.liveCount -= 1
    if (words[segment + 2 * ((slot + 1) & slotMask) + 1] === 0) this.#clearBack(segment, slot)
    if (info.liveCount < minLiveSlots) this.#join(segment, hash)
  }

  /** Makes the index refer to another entry of the same name and namespace. */
  replace(nameHash: number, namespace: number, { from, to }: { from: number; to: number }): void {
    const { words } = this.#store
    const hash = slotHash(nameHash, namespace)
    const segment = segmentOf(words, this.#directory, hash)
    let slot = hash & slotMask
    while (words[segment + 2 * slot + 1] !== from) slot = (slot + 1) & slotMask
    this.#store.publish(segment + 2 * slot + 1, to)
  }

  get #directory(): number {
    return this.#store.words[header.directory] as number
  }

  #put(segment: number, info: Segment, { hash, ref }: { hash: number; ref: number }): void {
    const { words } = this.#store
    let slot = hash & slotMask
    for (;;) {
      const present = words[segment + 2 * slot + 1] as number
      if (present === 0) info.usedCount += 1
      if (present === 0 || present === goneRef) break
      slot = (slot + 1) & slotMask
    }
    words[segment + 2 * slot] = hash
    this.#store.publish(segment + 2 * slot + 1, ref)
    info.liveCount += 1
  }

  /** Empties a gone slot that has nothing behind it, and those before it: no search has to pass through them. */
  #clearBack(segment: number, last: number): void {
    const { words } = this.#store
    const info = this.#infoOf(segment)
    for (let slot = last; words[segment + 2 * slot + 1] === goneRef; ) {
      this.#store.publish(segment + 2 * slot + 1, 0)
      info.usedCount -= 1
      slot = (slot - 1) & slotMask
    }
  }

  /** Replaces two segments with one, where they are two halves and have few entries. */
  #join(segment: number, hash: number): void {
    const { bits, liveCount } = this.#infoOf(segment)
    if (bits === 1) return
    const siblingHash = hash ^ (1 << (32 - bits))
    const sibling = segmentOf(this.#store.words, this.#directory, siblingHash)
    const info = this.#infoOf(sibling)
    if (info.bits !== bits || liveCount + info.liveCount > maxUsedSlots / 2) return
    // Making room must not fail for want of room.
    if (!this.#store.hasRoom(0)) return
    const joined = this.#addSegment(bits - 1)
    for (const half of [segment, sibling]) this.#copy(half, () => joined)
    this.#replace(segment, hash, [joined])
    this.#replace(sibling, siblingHash, [joined])
  }

  /** Replaces a full segment with one or two emptier ones. */
  #makeRoom(segment: number, hash: number): void {
    const { bits, liveCount } = this.#infoOf(segment)
    if (liveCount < maxUsedSlots / 2) {
      const swept = this.#addSegment(bits)
      this.#copy(segment, () => swept)
      this.#replace(segment, hash, [swept])
      return
    }
    if (bits === this.#store.words[this.#directory + directoryBits]) this.#doubleDirectory()
    const [low, high] = [this.#addSegment(bits + 1), this.#addSegment(bits + 1)]
    this.#copy(segment, copied => (((copied >>> (31 - bits)) & 1) === 0 ? low : high))
    this.#replace(segment, hash, [low, high])
  }

  #copy(from: number, chooseSegment: (hash: number) => number): void {
    const { words } = this.#store
    for (let slot = 0; slot < segmentSlots; slot += 1) {
      const ref = words[from + 2 * slot + 1] as number
      const hash = words[from + 2 * slot] as number
      if (ref === 0 || ref === goneRef) continue
      const to = chooseSegment(hash)
      this.#put(to, this.#infoOf(to), { hash, ref })
    }
  }

  /** Points the directory to `segments`, in equal parts, wherever it pointed to `segment`. */
  #replace(segment: number, hash: number, segments: readonly number[]): void {
    const directory = this.#directory
    const directoryBitCount = this.#store.words[directory + directoryBits] as number
    const { bits } = this.#infoOf(segment)
    const placeCount = 2 ** (directoryBitCount - bits)
    const firstPlace = (hash >>> (32 - bits)) * placeCount
    for (let i = 0; i < placeCount; i += 1) {
      const part = Math.floor((i * segments.length) / placeCount)
      const place = directory + directorySegments + firstPlace + i
      this.#store.publish(place, segments[part] as number)
    }
    this.#segments.delete(segment)
    this.#store.retire(segment)
  }

  #doubleDirectory(): void {
    const { words } = this.#store
    const old = this.#directory
    const bits = words[old + directoryBits] as number
    const doubled = this.#store.allocate(directorySegments + 2 ** (bits + 1))
    words[doubled + directoryBits] = bits + 1
    for (let i = 0; i < 2 ** (bits + 1); i += 1) {
      words[doubled + directorySegments + i] = words[old + directorySegments + (i >> 1)] as number
    }
    this.#store.publish(header.directory, doubled)
    this.#store.retire(old)
  }

  #addSegment(bits: number): number {
    const segment = this.#store.allocate(segmentWords)
    this.#store.words.fill(0, segment, segment + segmentWords)
    this.#segments.set(segment, { bits, usedCount: 0, liveCount: 0 })
    return segment
  }

  #infoOf(segment: number): Segment {
    const info = this.#segments.get(segment)
    if (info === undefined) throw new Error('the name index has lost a segment')
    return info
  }
}
