import { nameEnd, topOf } from './entries.ts'
import { cutShift, entry, header } from './layout.ts'
import type { TableMemory } from './memory.ts'
import { keyOctets, keyWords, type NameKey } from './name-key.ts'

// From the hash of a name to its entry, as readers see it: extendible hashing. The upper bits of a hash choose a
// segment from the directory, the lower ones a slot in it, and from there on slots are tried in order up to the first
// that was never used. A slot is two words, hash and reference. Slots never move while their segment is in use, so a
// reader finds every entry that was there when it began, whatever the writer does meanwhile.

/** Slots of a segment; one is as large as two pages of the system. */
export const segmentSlots = 1024
export const slotMask = segmentSlots - 1
export const segmentWords = 2 * segmentSlots
/** The reference in a slot whose entry is gone: others may lie behind it. */
export const goneRef = 1
/** The directory: how many bits choose, then the segments. */
export const directoryBits = 0
export const directorySegments = 2

/** Spreads the hash of a name in a namespace (MurmurHash3's final mix), so that one name in many zones does not collide with
 *  itself. */
export function slotHash(nameHash: number, namespace: number): number {
  let hash = nameHash + Math.imul(namespace, 0x9e3779b1)
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b)
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35)
  return hash ^ (hash >>> 16)
}

/** Returns the segment that a hash belongs to. */
export function segmentOf(words: Int32Array, directory: number, hash: number): number {
  const bits = words[directory + directoryBits] as number
  return words[directory + directorySegments + (hash >>> (32 - bits))] as number
}

/** Finds entries by name and namespace. Allocates nothing. */
export class NameIndex {
  readonly #words: Int32Array

  constructor({ words }: TableMemory) {
    this.#words = words
  }

  /** Returns the entry of the name that begins with label `label` of the key, or 0. */
  find(namespace: number, key: NameKey, label: number): number {
    return this.#probe(namespace, key, key.octetsFrom(label), key.hashFrom(label))
  }

  /** Returns the word that holds the entry of the name that begins with label `label` of the key, unless another name
   *  was there before it. */
  placeOf(namespace: number, key: NameKey, label: number): number {
    const words = this.#words
    const hash = slotHash(key.hashFrom(label), namespace)
    const segment = segmentOf(words, words[header.directory] as number, hash)
    return segment + 2 * (hash & slotMask) + 1
  }

  /** Returns the entry of `*` below the name that begins with label `label` of the key, or 0. There must be a
   *  label before that one. */
  findWildcard(namespace: number, key: NameKey, label: number): number {
    const { octets } = key
    const at = keyOctets - key.octetsFrom(label) - 2
    const [before, beside] = [octets[at] as number, octets[at + 1] as number]
    octets[at] = 1
    octets[at + 1] = 0x2a
    const found = this.#probe(namespace, key, keyOctets - at, key.wildcardHashAbove(label))
    octets[at] = before
    octets[at + 1] = beside
    return found
  }

  #probe(namespace: number, key: NameKey, nameOctets: number, nameHash: number): number {
    const words = this.#words
    const hash = slotHash(nameHash, namespace)
    const segment = segmentOf(words, words[header.directory] as number, hash)
    for (let slot = hash & slotMask; ; slot = (slot + 1) & slotMask) {
      const at = segment + 2 * slot
      const ref = words[at + 1] as number
      if (ref === 0) return 0
      if (words[at] !== hash || ref === goneRef) continue
      const top = topOf(words, ref)
      if (words[top + entry.above] !== namespace) continue
      if (this.#hasName(ref, top, key, nameOctets)) return ref
    }
  }

  /** Whether the entry's name equals the last so many octets of the key. Compares words from the front; the first one
   *  may hold octets of a longer name. */
  hasName(ref: number, key: NameKey, nameOctets: number): boolean {
    return this.#hasName(ref, topOf(this.#words, ref), key, nameOctets)
  }

  #hasName(ref: number, top: number, key: NameKey, nameOctets: number): boolean {
    const words = this.#words
    const shape = words[ref + entry.shape] as number
    if ((shape & 0xff) !== nameOctets) return false
    const own = key.words
    const cutAt = keyWords - (shape >>> cutShift)
    let keyAt = keyWords - ((nameOctets + 3) >> 2)
    let at = ref + entry.name
    const first = (words[at] as number) ^ (own[keyAt] as number)
    if ((first & (firstWordMasks[nameOctets & 3] as number)) !== 0) return false
    for (at += 1, keyAt += 1; keyAt < cutAt; at += 1, keyAt += 1)
      if (words[at] !== own[keyAt]) return false
    if (cutAt === keyWords) return true
    at = nameEnd(words, top) + cutAt - keyWords
    for (; keyAt < keyWords; at += 1, keyAt += 1) if (words[at] !== own[keyAt]) return false
    return true
  }
}

/** The mask of the first word's octets that belong to a name, by its octets modulo 4. Made of octets, so their order in
 *  a word does not matter. */
const firstWordMasks = new Int32Array(
  Uint8Array.of(
    ...[0xff, 0xff, 0xff, 0xff],
    ...[0, 0, 0, 0xff],
    ...[0, 0, 0xff, 0xff],
    ...[0, 0xff, 0xff, 0xff],
  ).buffer,
)
