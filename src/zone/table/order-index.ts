import { labelCountOf, nameOffset } from './entries.ts'
import {
  hashWords,
  lineWords,
  nsec3Entry,
  orderCountMask,
  orderLevelShift,
  orderPage,
  zone as zoneBlock,
} from './layout.ts'
import type { TableMemory } from './memory.ts'
import { keyOctets, type NameKey } from './name-key.ts'

// Entries of a zone in an order, as readers see them: a B+ tree of references, without keys of its own. The writer replaces
// leaves and publishes one word for each; a page is known by a word of the page above, or by the root, so a reader is always
// in a tree that was whole. Between two words of the writer it may reach a leaf that begins behind its search key; it then
// starts again.
//
// Most of a search stays in the pages: for each entry a page has the octets after those common to all its entries, in a form
// that sorts as the entries do. The search reads an entry itself only where these octets are equal, and once per page for the
// common octets: in a leaf the entry that is found, which is needed anyway, above that the first one. Neither pages nor
// entries of a large zone are in a cache, so a search takes as long as its waits for memory.

/** How often a reader that was too early or too late tries. */
const maxTries = 4
/** A name, and an excerpt behind it. */
const maxOctets = 260
/** Octets of an entry's excerpt in a page. */
const excerptOctets = 4

/** Searches one kind of tree for a search key that is set beforehand. It allocates nothing. */
export abstract class OrderIndex {
  protected readonly memory: TableMemory
  protected readonly words: Int32Array
  /** The octets of the search key; zeros behind them. */
  protected readonly sought = new Uint8Array(maxOctets)
  protected soughtCount = 0
  readonly #octets = new Uint8Array(maxOctets)
  readonly #others = new Uint8Array(maxOctets)
  /** Written so that no compiler removes the reads as unused. */
  lastRead = 0

  constructor(memory: TableMemory) {
    this.memory = memory
    this.words = memory.words
  }

  /** The position of the search key relative to an entry: negative before it, 0 equal, positive behind it. */
  abstract compare(entry: number): number

  /** Writes octets that sort as the entries do, though some entries may have equal ones; returns how many. */
  protected abstract readEntry(entry: number, into: Uint8Array): number

  /** The same for the search key. */
  protected abstract readSought(into: Uint8Array): number

  /** Reads the octets of a new search key. */
  protected takeSought(): void {
    const { sought } = this
    const count = this.readSought(sought)
    this.soughtCount = count
    for (let i = 0; i < excerptOctets; i += 1) sought[count + i] = 0
  }

  /** The excerpt of the search key, as `excerptOf`. */
  protected soughtExcerpt(skipped: number): number {
    const { sought } = this
    return (
      ((sought[skipped] as number) << 24) |
      ((sought[skipped + 1] as number) << 16) |
      ((sought[skipped + 2] as number) << 8) |
      (sought[skipped + 3] as number)
    )
  }

  /** How many octets two entries have in common. */
  commonOctets(one: number, other: number): number {
    const count = Math.min(this.readEntry(one, this.#octets), this.readEntry(other, this.#others))
    let common = 0
    while (common < count && this.#octets[common] === this.#others[common]) common += 1
    return common
  }

  /** The excerpt of an entry, after so many octets. */
  excerptOf(entry: number, skipped: number): number {
    return excerpt(this.#octets, this.readEntry(entry, this.#octets), skipped)
  }

  /** Returns the last entry at or before the search key, or 0. The root is at `rootAt`. */
  floor(rootAt: number): number {
    return this.#last(rootAt, 0)
  }

  /** Returns the last entry before the search key, or 0. */
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

  /** Returns the index of the last item of a page with the search key at least so far behind it, or -1. */
  lastIndex(page: number, leastDistance: number): number {
    const { words } = this
    const head = words[page + orderPage.head] as number
    const count = head & orderCountMask
    const isLeaf = head >>> orderLevelShift === 0
    const itemsAt = page + orderPage.items
    const excerptsAt = itemsAt + (isLeaf ? count : 2 * count)
    const end = excerptsAt + count
    // Fetches all lines of a page at once, not one after the other.
    let read = 0
    for (let at = excerptsAt; at < end; at += lineWords) read ^= words[at] as number
    this.lastRead = read
    const skipped = words[page + orderPage.skipped] as number
    const sought = this.soughtExcerpt(skipped)
    let low = this.#countBelow(excerptsAt, count, sought)
    let high = low < count && words[excerptsAt + low] === sought ? count : low
    while (low < high) {
      const middle = (low + high) >> 1
      const entry = words[isLeaf ? itemsAt + middle : itemsAt + 2 * middle + 1] as number
      const isSame = words[excerptsAt + middle] === sought
      if (isSame && this.compare(entry) >= leastDistance) low = middle + 1
      else high = middle
    }
    if (skipped > 0) {
      const probe = words[isLeaf ? itemsAt + Math.max(low - 1, 0) : itemsAt + 1] as number
      const side = this.comparePrefix(probe, skipped)
      if (side !== 0) return side < 0 ? -1 : count - 1
    }
    return low - 1
  }

  /** How many of so many excerpts, which ascend, are below one. */
  #countBelow(excerptsAt: number, count: number, sought: number): number {
    const { words } = this
    let below = 0
    for (let left = count; left > 0; ) {
      const half = (left + 1) >> 1
      below += half & -isBelow(words[excerptsAt + below + half - 1] as number, sought)
      left -= half
    }
    return below
  }

  /** The position of the search key relative to an entry, by the first so many octets. */
  protected comparePrefix(entry: number, octetCount: number): number {
    this.readEntry(entry, this.#octets)
    const count = Math.min(octetCount, this.soughtCount)
    for (let i = 0; i < count; i += 1) {
      const difference = (this.sought[i] as number) - (this.#octets[i] as number)
      if (difference !== 0) return difference
    }
    // A shorter key sorts before a longer one.
    return count - octetCount
  }
}

/** 1 where a number is below another, both unsigned, and 0 elsewhere. Without a branch: the processor would guess every other
 *  one of a search wrong. */
function isBelow(one: number, other: number): number {
  return ((~one & other) | (~(one ^ other) & (one - other))) >>> 31
}

/** Octets as a number, to be compared unsigned; 0 for those behind the last. */
function excerpt(octets: Uint8Array, count: number, at: number): number {
  let value = 0
  for (let i = at; i < at + excerptOctets; i += 1) {
    value = (value << 8) | (i < count ? (octets[i] as number) : 0)
  }
  return value
}

/** Nodes of a zone in the canonical order of names: label by label from the right, each by its octets in lower case (RFC
 *  4034 section 6.1). */
export class NameOrder extends OrderIndex {
  #key: NameKey | undefined
  #apexLabelCount = 0
  readonly #starts = new Int32Array(128)

  /** Sets the search key: the name of the key, at or below the zone's apex. */
  seek(zone: number, key: NameKey): void {
    this.#key = key
    this.#apexLabelCount = labelCountOf(this.words, this.words[zone + zoneBlock.apex] as number)
    this.takeSought()
  }

  protected override readEntry(entry: number, into: Uint8Array): number {
    const count = labelCountOf(this.words, entry) - this.#apexLabelCount
    return this.#read(this.memory.windowOf(entry), nameOffset(this.words, entry), count, into)
  }

  /** Most names have one label below the apex, which is compared where it is. */
  protected override comparePrefix(entry: number, octetCount: number): number {
    const octets = this.memory.windowOf(entry)
    const at = nameOffset(this.words, entry)
    const isOneLabel = labelCountOf(this.words, entry) === this.#apexLabelCount + 1
    if (!isOneLabel || (octets[at] as number) < octetCount) {
      return super.comparePrefix(entry, octetCount)
    }
    const count = Math.min(octetCount, this.soughtCount)
    for (let i = 0; i < count; i += 1) {
      const difference = (this.sought[i] as number) - Math.max(octets[at + 1 + i] as number, 1)
      if (difference !== 0) return difference
    }
    return count - octetCount
  }

  protected override readSought(into: Uint8Array): number {
    const { octets, labelCount } = this.#key as NameKey
    const at = keyOctets - (this.#key as NameKey).octetsFrom(0)
    return this.#read(octets, at, labelCount - this.#apexLabelCount, into)
  }

  /** Labels from the right, each followed by 0. Octets below 2 are not distinguished, nor is anything behind them. */
  #read(octets: Uint8Array, nameAt: number, count: number, into: Uint8Array): number {
    const starts = this.#starts
    let at = nameAt
    for (let label = 0; label < count; label += 1) {
      starts[label] = at
      at += 1 + (octets[at] as number)
    }
    let end = 0
    for (let label = count - 1; label >= 0; label -= 1) {
      const start = starts[label] as number
      const last = start + (octets[start] as number)
      for (let i = start + 1; i <= last; i += 1) {
        const octet = octets[i] as number
        into[end] = octet < 2 ? 1 : octet
        end += 1
        if (octet < 2) return end
      }
      into[end] = 0
      end += 1
    }
    return end
  }

  override compare(entry: number): number {
    const isOneLabel = labelCountOf(this.words, entry) === this.#apexLabelCount + 1
    return isOneLabel ? this.#compareLabel(entry) : this.#compareLabels(entry)
  }

  /** The same for a name with one label below the apex, as nearly all have. */
  #compareLabel(entry: number): number {
    const { sought } = this
    const octets = this.memory.windowOf(entry)
    const at = nameOffset(this.words, entry)
    const length = octets[at] as number
    for (let i = 0; i < length; i += 1) {
      const octet = octets[at + 1 + i] as number
      // The octets of the search key do not distinguish such.
      if (octet < 2) return this.#compareLabels(entry)
      const difference = (sought[i] as number) - octet
      if (difference !== 0) return difference
    }
    return sought[length] === 0 ? this.soughtCount - length - 1 : 1
  }

  #compareLabels(entry: number): number {
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
  /** The search key, its octets as numbers in network order. */
  readonly hash = new Int32Array(hashWords)

  /** Sets the search key to the hash of an entry. */
  seek(entry: number): void {
    for (let i = 0; i < hashWords; i += 1) {
      this.hash[i] = this.words[entry + nsec3Entry.hash + i] as number
    }
  }

  protected override readEntry(entry: number, into: Uint8Array): number {
    return octetsOfWords(this.words, entry + nsec3Entry.hash, into)
  }

  protected override readSought(into: Uint8Array): number {
    return octetsOfWords(this.hash, 0, into)
  }

  protected override soughtExcerpt(skipped: number): number {
    const { hash } = this
    const at = skipped >> 2
    const shift = 8 * (skipped & 3)
    const upper = at < hashWords ? (hash[at] as number) : 0
    if (shift === 0) return upper
    const lower = at + 1 < hashWords ? (hash[at + 1] as number) : 0
    return (upper << shift) | (lower >>> (32 - shift))
  }

  protected override comparePrefix(entry: number, octetCount: number): number {
    for (let i = 0; 4 * i < octetCount; i += 1) {
      const unused = Math.max(8 * (4 * (i + 1) - octetCount), 0)
      const own = (this.hash[i] as number) >>> unused
      const other = (this.words[entry + nsec3Entry.hash + i] as number) >>> unused
      if (own !== other) return own < other ? -1 : 1
    }
    return 0
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

function octetsOfWords(words: Int32Array, at: number, into: Uint8Array): number {
  for (let i = 0; i < 4 * hashWords; i += 1) {
    into[i] = (words[at + (i >> 2)] as number) >>> (24 - 8 * (i & 3))
  }
  return 4 * hashWords
}
