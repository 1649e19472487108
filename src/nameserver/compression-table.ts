import type { NameKey } from '../zone/table/name-key.ts'
import { keyOctets } from '../zone/table/name-key.ts'

// The positions of names in a response that later names can point at (RFC 1035 section 4.1.4), found by the hashes in
// keys. Entries are in insertion order, so that few of them take few cache lines and the latest are dropped by
// decrementing a count; a new response begins by incrementing a count, not by clearing.

/** A pointer has 14 bits. */
export const maxPointer = 0x3fff
/** Every name that can be pointed at has its own label, of two octets or more, below that offset. */
const maxEntries = (maxPointer + 1) / 2

const bucketCount = 512
const bucketMask = bucketCount - 1
/** Words of an entry: the hash and the offset of a name, the previous entry in its bucket, and one unused word. */
const entryShift = 2

export class CompressionTable {
  /** The latest entry of each bucket, counted from 1, as of the response in `#responses`. */
  readonly #latest = new Int32Array(bucketCount)
  readonly #responses = new Int32Array(bucketCount)
  readonly #entries = new Int32Array(maxEntries << entryShift)
  #count = 0
  #response = 0
  #message: Uint8Array = new Uint8Array()

  /** Forgets all names. The next ones are in `message`. */
  begin(message: Uint8Array): void {
    this.#message = message
    this.#count = 0
    this.#response = (this.#response + 1) | 0
    if (this.#response !== 0) return
    this.#responses.fill(0)
    this.#response = 1
  }

  get count(): number {
    return this.#count
  }

  /** Returns where the name that begins with label `label` of the key is, or 0. */
  find(key: NameKey, label: number): number {
    const hash = key.hashFrom(label)
    const bucket = bucketOf(hash)
    if (this.#responses[bucket] !== this.#response) return 0
    const entries = this.#entries
    let entry = this.#latest[bucket] as number
    while (entry !== 0) {
      const at = (entry - 1) << entryShift
      if (entries[at] === hash && this.#isAt(entries[at + 1] as number, key, label)) {
        return entries[at + 1] as number
      }
      entry = entries[at + 2] as number
    }
    return 0
  }

  /** Whether the table has a name of this hash. */
  hasHash(hash: number): boolean {
    const bucket = bucketOf(hash)
    if (this.#responses[bucket] !== this.#response) return false
    let entry = this.#latest[bucket] as number
    for (; entry !== 0; entry = this.#entries[((entry - 1) << entryShift) + 2] as number) {
      if (this.#entries[(entry - 1) << entryShift] === hash) return true
    }
    return false
  }

  /** Adds the name, which is not in the table yet, at `offset`. A pointer cannot refer beyond its 14 bits. */
  remember(key: NameKey, label: number, offset: number): void {
    this.rememberHash(key.hashFrom(label), offset)
  }

  /** The same for the name of this hash. */
  rememberHash(hash: number, offset: number): void {
    if (offset > maxPointer) return
    const entries = this.#entries
    const bucket = bucketOf(hash)
    const isFirst = this.#responses[bucket] !== this.#response
    const at = this.#count << entryShift
    entries[at] = hash
    entries[at + 1] = offset
    entries[at + 2] = isFirst ? 0 : (this.#latest[bucket] as number)
    this.#count += 1
    this.#latest[bucket] = this.#count
    this.#responses[bucket] = this.#response
  }

  /** Removes all but the first so many names. */
  rollBack(count: number): void {
    const entries = this.#entries
    while (this.#count > count) {
      this.#count -= 1
      const at = this.#count << entryShift
      this.#latest[bucketOf(entries[at] as number)] = entries[at + 2] as number
    }
  }

  /** Compares with the name in the message, label by label and through its pointers. */
  #isAt(offset: number, key: NameKey, label: number): boolean {
    const message = this.#message
    const { octets } = key
    let own = keyOctets - key.octetsFrom(label)
    for (let at = offset; ; ) {
      let length = message[at] as number
      while (length >= 0xc0) {
        at = ((length & 0x3f) << 8) | (message[at + 1] as number)
        length = message[at] as number
      }
      if (octets[own] !== length) return false
      if (length === 0) return true
      for (let i = 1; i <= length; i += 1) {
        const octet = message[at + i] as number
        const isUpper = octet >= 0x41 && octet <= 0x5a
        if (octets[own + i] !== (isUpper ? octet + 0x20 : octet)) return false
      }
      own += 1 + length
      at += 1 + length
    }
  }
}

function bucketOf(hash: number): number {
  return (hash ^ (hash >>> 16)) & bucketMask
}
