import { maxLabelOctets, maxNameOctets, type Name } from '../../dns/name.ts'
import { header } from './layout.ts'
import type { TableMemory } from './memory.ts'

// A name prepared for lookup: lower-case, its labels known, and the hash of it and of every name above it. The hash is
// computed from the right, so that of a longer name continues that of the name above. Each octet has a secret value,
// and each step a secret factor: tenants choose names, and must not be able to choose names that collide in the index.
// The shift in each step is part of that: without it the hash would be a polynomial modulo 2^32, and for those some
// names (by the Thue-Morse sequence) collide whatever the secret is.

export const keyOctets = 256
export const keyWords = keyOctets / 4
const maxLabels = 128
const star = 0x2a

/** Names end at the end of the key's octets, so that every name above has its words in the same places. A key is
 *  reused; it allocates nothing. */
export class NameKey {
  readonly octets = new Uint8Array(keyOctets)
  readonly words = new Int32Array(this.octets.buffer)
  /** Labels without the root. */
  labelCount = 0
  /** Of the whole name. */
  lengthOctets = 0
  readonly #starts = new Uint8Array(maxLabels)
  readonly #hashes = new Int32Array(maxLabels)
  readonly #factor: number
  readonly #startHash: number
  readonly #values: Int32Array

  constructor({ words }: TableMemory) {
    this.#factor = words[header.hashFactor] as number
    this.#startHash = words[header.hashStart] as number
    this.#values = new Int32Array(words.subarray(header.hashValues, header.hashValues + 256))
  }

  /** Reads the uncompressed name at `at`, in any case. Returns false where it is not such a name: cut off by `end`,
   *  compressed, or too long; the key is then unusable. */
  readOctets(octets: Uint8Array, at: number, end: number): boolean {
    const starts = this.#starts
    let next = at
    let labelCount = 0
    for (;;) {
      if (next >= end) return false
      const length = octets[next] as number
      if (length === 0) break
      if (length > maxLabelOctets || next - at + length + 2 > maxNameOctets) return false
      starts[labelCount] = next - at
      labelCount += 1
      next += 1 + length
    }
    this.labelCount = labelCount
    this.lengthOctets = next - at + 1
    starts[labelCount] = next - at
    this.#take(octets, at)
    return true
  }

  readName(name: Name): void {
    for (let i = 0; i < name.length; i += 1) nameOctets[i] = name.charCodeAt(i)
    this.readOctets(nameOctets, 0, name.length)
  }

  /** Whether it is the name of another key of the same table. */
  isSame(other: NameKey): boolean {
    const { lengthOctets } = this
    if (this.hashFrom(0) !== other.hashFrom(0) || lengthOctets !== other.lengthOctets) return false
    for (let at = keyOctets - lengthOctets; at < keyOctets; at += 1) {
      if (this.octets[at] !== other.octets[at]) return false
    }
    return true
  }

  /** The hash of the name that begins with label `label`; that of the root for `labelCount`. */
  hashFrom(label: number): number {
    return this.#hashes[label] as number
  }

  /** Octets of the name that begins with label `label`. */
  octetsFrom(label: number): number {
    return this.lengthOctets - (this.#starts[label] as number)
  }

  /** Whether label `label` is a lone `*` (RFC 4592 section 2.1.1). */
  isWildcardFrom(label: number): boolean {
    const at = keyOctets - this.octetsFrom(label)
    return this.octets[at] === 1 && this.octets[at + 1] === star
  }

  /** The hash of `*` below the name that begins with label `label`. */
  wildcardHashAbove(label: number): number {
    const values = this.#values
    const ofStar = hashStep(this.hashFrom(label), values[star] as number, this.#factor)
    return hashStep(ofStar, values[1] as number, this.#factor)
  }

  /** The hash of the name that has one label more, at `at` in lower case, than that which begins with label `label`. */
  hashBelow(label: number, octets: Uint8Array, at: number): number {
    const values = this.#values
    let hash = this.hashFrom(label)
    for (let i = at + (octets[at] as number); i >= at; i -= 1) {
      hash = hashStep(hash, values[octets[i] as number] as number, this.#factor)
    }
    return hash
  }

  /** Returns the part of the name that begins with label `label`. */
  nameFrom(label: number): Name {
    return nameOf(this.octets.subarray(keyOctets - this.octetsFrom(label)))
  }

  /** Lower-cases and hashes, from the last octet to the first. */
  #take(octets: Uint8Array, at: number): void {
    const { octets: own, labelCount } = this
    const starts = this.#starts
    const hashes = this.#hashes
    const values = this.#values
    const factor = this.#factor
    const shift = keyOctets - this.lengthOctets
    let hash = this.#startHash
    let i = this.lengthOctets - 1
    own[shift + i] = 0
    hashes[labelCount] = hash
    for (let label = labelCount - 1; label >= 0; label -= 1) {
      const start = starts[label] as number
      while (i > start) {
        i -= 1
        const octet = lowerCase[octets[at + i] as number] as number
        own[shift + i] = octet
        hash = hashStep(hash, values[octet] as number, factor)
      }
      hashes[label] = hash
    }
  }
}

/** The hash of a name with one octet more, of this value, in front. */
function hashStep(hash: number, value: number, factor: number): number {
  const product = Math.imul(hash ^ value, factor)
  return product ^ (product >>> 15)
}

/** Returns a name of the octets of one. */
export function nameOf(octets: Uint8Array): Name {
  let name = ''
  for (const octet of octets) name += String.fromCharCode(octet)
  return name as Name
}

const nameOctets = new Uint8Array(keyOctets)

/** RFC 4343: ASCII letters only. Length octets are below all of them. */
const lowerCase = Uint8Array.from({ length: 256 }, (_, octet) =>
  octet >= 0x41 && octet <= 0x5a ? octet + 0x20 : octet,
)
