import { labelCountOf, nameOffset } from './entries.ts'
import {
  hashWords,
  nsec3Entry,
  orderCountMask,
  orderLevelShift,
  orderPage,
  zone as zoneBlock,
} from './layout.ts'
import type { TableMemory } from './memory.ts'
import { keyOctets, type NameKey } from './name-key.ts'

// Entries of a zone in an order, as readers see them: a B+ tree of references, without keys of its own. The writer replaces
// leaves and publishes one word for each; a page is known by a word of the page above, or by the root, so a reader is
// always in a tree that was whole. Between two words of the writer it may come to a leaf that begins behind what it looks
// for; it then starts again.

/** As often as a reader that was too early or too late looks again. */
const maxTries = 4

/** Searches one kind of tree. What is searched for is set beforehand; it allocates nothing. */
export abstract class OrderIndex {
  protected readonly memory: TableMemory
  protected readonly words: Int32Array

  constructor(memory: TableMemory) {
    this.memory = memory
    this.words = memory.words
  }

  /** How what is searched for stands to an entry: negative before it, 0 the same, positive behind it. */
  abstract compare(entry: number): number

  /** Returns the last entry that is at what is searched for or before it, or 0. The root is at `rootAt`. */
  floor(rootAt: number): number {
    return this.#last(rootAt, 0)
  }

  /** Returns the last entry before what is searched for, or 0. */
  before(rootAt: number): number {
    return this.#last(rootAt, 1)
  }

  /** Returns the last entry of all, or 0. */
  last(rootAt: number): number {
    const { words } = this
    let page = words[rootAt] as number
    if (page === 0) return 0
    for (;;) {
      const head = words[page + orderPage.head] as number
      const lastIndex = (head & orderCountMask) - 1
      if (head >>> orderLevelShift === 0) return words[page + orderPage.items + lastIndex] as number
      page = words[page + orderPage.items + 2 * lastIndex] as number
    }
  }

  #last(rootAt: number, leastDistance: number): number {
    const { words } = this
    for (let tries = 0; tries < maxTries; tries += 1) {
      let page = words[rootAt] as number
      if (page === 0) return 0
      let isLeftmost = true
      while ((words[page + orderPage.head] as number) >>> orderLevelShift !== 0) {
        const index = this.lastIndex(page, leastDistance)
        if (index > 0) isLeftmost = false
        page = words[page + orderPage.items + 2 * Math.max(index, 0)] as number
      }
      const index = this.lastIndex(page, leastDistance)
      if (index >= 0) return words[page + orderPage.items + index] as number
      if (isLeftmost) return 0
    }
    return 0
  }

  /** Returns the index of the last item of a page that what is searched for is at least so far behind, or -1. */
  lastIndex(page: number, leastDistance: number): number {
    const { words } = this
    const head = words[page + orderPage.head] as number
    const isLeaf = head >>> orderLevelShift === 0
    const itemsAt = page + orderPage.items
    let low = 0
    let high = head & orderCountMask
    while (low < high) {
      const middle = (low + high) >> 1
      const entry = words[isLeaf ? itemsAt + middle : itemsAt + 2 * middle + 1] as number
      if (this.compare(entry) >= leastDistance) low = middle + 1
      else high = middle
    }
    return low - 1
  }
}

/** Nodes of a zone in the canonical order of names: label by label from the right, each by its octets in lower case (RFC
 *  4034 section 6.1). */
export class NameOrder extends OrderIndex {
  #key: NameKey | undefined
  #apexLabelCount = 0
  readonly #starts = new Int32Array(128)

  /** Sets what is searched for: the key's name, at or below the zone's apex. */
  seek(zone: number, key: NameKey): void {
    this.#key = key
    this.#apexLabelCount = labelCountOf(this.words, this.words[zone + zoneBlock.apex] as number)
  }

  override compare(entry: number): number {
    const key = this.#key as NameKey
    const octets = this.memory.windowOf(entry)
    const starts = this.#starts
    const count = labelCountOf(this.words, entry) - this.#apexLabelCount
    const keyCount = key.labelCount - this.#apexLabelCount
    let at = nameOffset(this.words, entry)
    for (let label = 0; label < count; label += 1) {
      starts[label] = at
      at += 1 + (octets[at] as number)
    }
    const commonCount = Math.min(count, keyCount)
    for (let i = 1; i <= commonCount; i += 1) {
      const keyAt = keyOctets - key.octetsFrom(keyCount - i)
      const difference = compareLabels(key.octets, keyAt, octets, starts[count - i] as number)
      if (difference !== 0) return difference
    }
    return keyCount - count
  }
}

function compareLabels(one: Uint8Array, at: number, other: Uint8Array, otherAt: number): number {
  const length = one[at] as number
  const otherLength = other[otherAt] as number
  const commonLength = Math.min(length, otherLength)
  for (let i = 1; i <= commonLength; i += 1) {
    const difference = (one[at + i] as number) - (other[otherAt + i] as number)
    if (difference !== 0) return difference
  }
  return length - otherLength
}

/** NSEC3 entries by their hashes (RFC 5155 section 1.3, "hash order"). */
export class HashOrder extends OrderIndex {
  /** What is searched for, its octets as numbers in network order. */
  readonly hash = new Int32Array(hashWords)

  /** Sets what is searched for to the hash of an entry. */
  seek(entry: number): void {
    for (let i = 0; i < hashWords; i += 1) {
      this.hash[i] = this.words[entry + nsec3Entry.hash + i] as number
    }
  }

  override compare(entry: number): number {
    for (let i = 0; i < hashWords; i += 1) {
      const own = (this.hash[i] as number) >>> 0
      const other = (this.words[entry + nsec3Entry.hash + i] as number) >>> 0
      if (own !== other) return own < other ? -1 : 1
    }
    return 0
  }
}
