import { FormatError } from './format-error.ts'
import { maxNameOctets, type Name } from './name.ts'

// A cursor over one DNS message. Every read is checked against the end, and the label steps spent on names are counted
// per message: with compression a 20 kB packet can name megabytes of labels, so without a budget a hostile message
// costs seconds.

/** Label steps allowed per octet of message, beside a fixed allowance for short ones. Dense honest
 *  messages (a full AXFR message of short records) stay below 6. */
const stepsPerOctet = 8
const stepAllowance = 512

/** Reads network-order values from octets it does not own and never modifies. */
export class Reader {
  readonly octets: Uint8Array
  #offset: number
  #end: number
  #stepsLeft: number

  constructor(octets: Uint8Array) {
    this.octets = octets
    this.#offset = 0
    this.#end = octets.length
    this.#stepsLeft = octets.length * stepsPerOctet + stepAllowance
  }

  get offset(): number {
    return this.#offset
  }

  get remainingOctets(): number {
    return this.#end - this.#offset
  }

  /** @throws FormatError past the end. */
  u8(): number {
    const at = this.#take(1)
    return this.octets[at] as number
  }

  /** @throws FormatError past the end. */
  u16(): number {
    const at = this.#take(2)
    return ((this.octets[at] as number) << 8) | (this.octets[at + 1] as number)
  }

  /** @throws FormatError past the end. */
  u32(): number {
    const high = this.u16()
    return high * 0x1_0000 + this.u16()
  }

  /** Returns a view of the next octets, shared with the message.
   *  @throws FormatError past the end. */
  take(lengthOctets: number): Uint8Array {
    const at = this.#take(lengthOctets)
    return this.octets.subarray(at, at + lengthOctets)
  }

  /** Skips the next octets.
   *  @throws FormatError past the end. */
  skip(lengthOctets: number): void {
    this.#take(lengthOctets)
  }

  /** Returns a view of all octets left. */
  takeRest(): Uint8Array {
    return this.take(this.remainingOctets)
  }

  /** Runs `read` with the end moved to `lengthOctets` from here, and requires that it reads all of it.
   *  Compression pointers may still reach back to the start of the message.
   *  @throws FormatError past the end, or octets left over. */
  within<T>(lengthOctets: number, read: () => T): T {
    if (lengthOctets > this.remainingOctets) this.#take(lengthOctets)
    const outerEnd = this.#end
    this.#end = this.#offset + lengthOctets
    const value = read()
    if (this.#offset !== this.#end) {
      throw new FormatError(`${this.remainingOctets} octets too many at offset ${this.#offset}`)
    }
    this.#end = outerEnd
    return value
  }

  /** Reads a possibly compressed name (RFC 1035 section 4.1.4), case as received. Pointers must go strictly
   *  backwards, which also makes loops impossible.
   *  @throws FormatError past the end, forward pointer, reserved label type, over 255 octets, or the
   *  message's label budget is spent. */
  name(): Name {
    const length = this.nameInto(scratch)
    let text = ''
    for (let i = 0; i < length; i += 1) text += String.fromCharCode(scratch[i] as number)
    return text as Name
  }

  /** As `name`, but writes octets to the start of `target`, which has room for any name. Returns how many. */
  nameInto(target: Uint8Array): number {
    const { octets } = this
    let length = 0
    let at = this.#offset
    let lowest = at
    let end = this.#end
    let hasJumped = false
    for (;;) {
      this.#spendStep(at)
      if (at >= end) throw new FormatError(`a name runs past the end at offset ${at}`)
      const label = octets[at] as number
      if (label >= 0xc0) {
        const pointerAt = at
        at = this.#pointerTarget(pointerAt, { end, below: lowest })
        if (!hasJumped) this.#offset = pointerAt + 2
        hasJumped = true
        lowest = at
        end = octets.length
        continue
      }
      if (label > 0x3f) throw new FormatError(`a reserved label type at offset ${at}`)
      const next = at + 1 + label
      if (next > end) throw new FormatError(`a label runs past the end at offset ${at}`)
      if (length + 1 + label > maxNameOctets) {
        throw new FormatError(`a name is longer than ${maxNameOctets} octets at offset ${at}`)
      }
      for (; at < next; at += 1) target[length++] = octets[at] as number
      if (label === 0) break
    }
    if (!hasJumped) this.#offset = at
    return length
  }

  #pointerTarget(at: number, limits: { end: number; below: number }): number {
    if (at + 1 >= limits.end) throw new FormatError(`a pointer is cut off at offset ${at}`)
    const target = (((this.octets[at] as number) & 0x3f) << 8) | (this.octets[at + 1] as number)
    if (target >= limits.below) throw new FormatError(`a pointer does not go back at offset ${at}`)
    return target
  }

  #take(lengthOctets: number): number {
    const at = this.#offset
    if (lengthOctets > this.#end - at) {
      throw new FormatError(
        `${lengthOctets} octets expected at offset ${at}, ${this.#end - at} are left`,
      )
    }
    this.#offset = at + lengthOctets
    return at
  }

  #spendStep(at: number): void {
    this.#stepsLeft -= 1
    if (this.#stepsLeft < 0) throw new FormatError(`too many labels in one message at offset ${at}`)
  }
}

const scratch = new Uint8Array(maxNameOctets)
