/** Reads what ByteWriter wrote. The bytes have passed their checksum; reading past their end is caught all the same, as a
 *  defect of this program would otherwise look like a damaged file. Makes no views: there are many readers. */
export class ByteReader {
  readonly bytes: Buffer
  #at: number

  constructor(bytes: Buffer, at = 0) {
    this.bytes = bytes
    this.#at = at
  }

  get position(): number {
    return this.#at
  }

  byte(): number {
    const byte = this.bytes[this.#at++]
    if (byte === undefined) throw pastTheEnd()
    return byte
  }

  varint(): number {
    let byte = this.byte()
    if (byte < 0x80) return byte
    let value = byte & 0x7f
    let weight = 0x80
    do {
      byte = this.byte()
      value += (byte & 0x7f) * weight
      weight *= 0x80
    } while (byte >= 0x80)
    return value
  }

  signed(): number {
    const value = this.varint()
    return value % 2 === 0 ? value / 2 : -(value + 1) / 2
  }

  text(): string {
    const length = this.varint()
    const at = this.skip(length)
    return this.bytes.toString('utf8', at, at + length)
  }

  /** Passes over bytes and returns the offset of the first. @throws RangeError there are not so many */
  skip(length: number): number {
    const at = this.#at
    if (at + length > this.bytes.length) throw pastTheEnd()
    this.#at = at + length
    return at
  }

  /** The next bytes; shared, not copied. @throws RangeError there are not so many */
  take(length: number): Buffer {
    const at = this.skip(length)
    return this.bytes.subarray(at, at + length)
  }
}

function pastTheEnd(): RangeError {
  return new RangeError('read past the end of a block')
}
