import { lowerCaseName, type Name } from './name.ts'

// Writes one message into a buffer it is given. A write past the limit is dropped and remembered instead
// of thrown: a full message is an expected outcome, and the caller decides once per RRset whether to roll
// back to its mark.

/** RFC 1035 section 4.1.4: a pointer has 14 bits. */
const maxPointer = 0x3fff

/** A place to roll back to. */
type Mark = { readonly offset: number; readonly nameCount: number }

/** Writes network-order values; never grows its buffer, never throws for lack of room. */
export class Writer {
  readonly buffer: Uint8Array
  #limit: number
  #offset = 0
  #hasOverflowed = false
  // Where each name suffix (lower-case) was first written; compressed names point there.
  readonly #offsetBySuffix = new Map<string, number>()
  readonly #suffixes: string[] = []

  /** Owns `buffer` until its message has been sent; `limitOctets` may be lower than the buffer is long. */
  constructor(buffer: Uint8Array, limitOctets: number = buffer.length) {
    this.buffer = buffer
    this.#limit = Math.min(limitOctets, buffer.length)
  }

  get offset(): number {
    return this.#offset
  }

  /** Whether anything since the last roll-back did not fit. */
  get hasOverflowed(): boolean {
    return this.#hasOverflowed
  }

  /** Moves the limit, for instance to release the room reserved for OPT. At most the buffer's length. */
  setLimit(limitOctets: number): void {
    this.#limit = Math.min(limitOctets, this.buffer.length)
  }

  mark(): Mark {
    return { offset: this.#offset, nameCount: this.#suffixes.length }
  }

  /** Discards all octets written since `mark`, with compression targets and overflow. */
  rollback(mark: Mark): void {
    this.#offset = mark.offset
    this.#hasOverflowed = false
    while (this.#suffixes.length > mark.nameCount) {
      this.#offsetBySuffix.delete(this.#suffixes.pop() as string)
    }
  }

  u8(value: number): void {
    const at = this.#claim(1)
    if (at >= 0) this.buffer[at] = value
  }

  u16(value: number): void {
    const at = this.#claim(2)
    if (at >= 0) this.#put16(at, value)
  }

  u32(value: number): void {
    const at = this.#claim(4)
    if (at < 0) return
    this.#put16(at, value >>> 16)
    this.#put16(at + 2, value)
  }

  octets(octets: Uint8Array): void {
    const at = this.#claim(octets.length)
    if (at >= 0) this.buffer.set(octets, at)
  }

  /** Overwrites two octets that are already written, such as a count or a length. */
  patch16(offset: number, value: number): void {
    this.#put16(offset, value)
  }

  /** Writes a name without compression, as all rdata but RFC 1035's demands (RFC 3597 section 4). It still
   *  becomes a target for later compressed names. */
  name(name: Name): void {
    const key = lowerCaseName(name)
    for (let at = 0; at < name.length - 1; at += 1 + name.charCodeAt(at)) {
      this.#remember(key.slice(at))
      this.#label(name, at)
    }
    this.u8(0)
  }

  /** Writes a name, pointing at an earlier one for its longest known suffix (RFC 1035 section 4.1.4). */
  compressedName(name: Name): void {
    const key = lowerCaseName(name)
    for (let at = 0; at < name.length - 1; at += 1 + name.charCodeAt(at)) {
      const suffix = key.slice(at)
      const target = this.#offsetBySuffix.get(suffix)
      if (target !== undefined) {
        this.u16(0xc000 | target)
        return
      }
      this.#remember(suffix)
      this.#label(name, at)
    }
    this.u8(0)
  }

  /** Returns the written octets: a view of the buffer, valid until its owner reuses it. */
  finish(): Uint8Array {
    return this.buffer.subarray(0, this.#offset)
  }

  /** Writes the label that starts at `start` of the name. */
  #label(name: Name, start: number): void {
    const length = name.charCodeAt(start)
    const at = this.#claim(1 + length)
    if (at < 0) return
    for (let i = 0; i <= length; i += 1) this.buffer[at + i] = name.charCodeAt(start + i)
  }

  #remember(suffix: string): void {
    if (this.#offset > maxPointer || this.#hasOverflowed || this.#offsetBySuffix.has(suffix)) return
    this.#offsetBySuffix.set(suffix, this.#offset)
    this.#suffixes.push(suffix)
  }

  #claim(lengthOctets: number): number {
    const at = this.#offset
    if (this.#hasOverflowed || at + lengthOctets > this.#limit) {
      this.#hasOverflowed = true
      return -1
    }
    this.#offset = at + lengthOctets
    return at
  }

  #put16(at: number, value: number): void {
    this.buffer[at] = (value >>> 8) & 0xff
    this.buffer[at + 1] = value & 0xff
  }
}
