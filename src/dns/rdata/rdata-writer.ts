import { FormatError } from '../format-error.ts'

/** RFC 1035 section 3.2.1: RDLENGTH has 16 bits. */
export const maxRdataOctets = 0xffff

/** Collects one uncompressed rdata. The buffer is reused from rdata to rdata, so that building a million
 *  of them allocates only the results. */
export class RdataWriter {
  readonly #buffer = new Uint8Array(maxRdataOctets)
  #offset = 0

  u8(value: number): void {
    this.#buffer[this.#claim(1)] = value
  }

  u16(value: number): void {
    const at = this.#claim(2)
    this.#buffer[at] = value >>> 8
    this.#buffer[at + 1] = value
  }

  u32(value: number): void {
    this.u16(value >>> 16)
    this.u16(value & 0xffff)
  }

  octets(octets: Uint8Array): void {
    this.#buffer.set(octets, this.#claim(octets.length))
  }

  /** Writes octets that are kept as characters 0x00 to 0xff: a name, a text. */
  text(octets: string): void {
    const at = this.#claim(octets.length)
    for (let i = 0; i < octets.length; i += 1) this.#buffer[at + i] = octets.charCodeAt(i)
  }

  /** Returns a copy of the written octets and starts over. */
  finish(): Uint8Array {
    const rdata = this.#buffer.slice(0, this.#offset)
    this.#offset = 0
    return rdata
  }

  /** Discards the written octets. */
  reset(): void {
    this.#offset = 0
  }

  #claim(lengthOctets: number): number {
    const at = this.#offset
    if (at + lengthOctets > maxRdataOctets) {
      throw new FormatError(`an rdata is longer than ${maxRdataOctets} octets`)
    }
    this.#offset = at + lengthOctets
    return at
  }
}
