/** Writes the small encodings of a block into a buffer that grows. */
export class ByteWriter {
  #buffer = Buffer.allocUnsafe(4096)
  #length = 0

  get length(): number {
    return this.#length
  }

  /** What was written; shared, valid until the next write. */
  get bytes(): Buffer {
    return this.#buffer.subarray(0, this.#length)
  }

  /** Drops what was written and keeps the buffer. */
  clear(): void {
    this.#length = 0
  }

  byte(value: number): void {
    this.#reserve(1)
    this.#buffer[this.#length++] = value
  }

  /** A whole number from 0 to 2^53 - 1, seven bits a byte, lowest first. */
  varint(value: number): void {
    this.#reserve(8)
    let rest = value
    while (rest >= 0x80) {
      this.#buffer[this.#length++] = (rest % 0x80) | 0x80
      rest = Math.floor(rest / 0x80)
    }
    this.#buffer[this.#length++] = rest
  }

  /** A whole number from -2^52 to 2^52 - 1: the sign goes into the lowest bit. */
  signed(value: number): void {
    this.varint(value < 0 ? -2 * value - 1 : 2 * value)
  }

  /** UTF-8 behind its length. The text must be well formed. */
  text(value: string): void {
    const length = Buffer.byteLength(value)
    this.varint(length)
    this.#reserve(length)
    this.#buffer.write(value, this.#length)
    this.#length += length
  }

  append(bytes: Uint8Array): void {
    this.#reserve(bytes.length)
    this.#buffer.set(bytes, this.#length)
    this.#length += bytes.length
  }

  /** Makes room for so many bytes and returns it; the caller fills it. Valid until the next write. */
  room(length: number): Buffer {
    this.#reserve(length)
    this.#length += length
    return this.#buffer.subarray(this.#length - length, this.#length)
  }

  #reserve(length: number): void {
    if (this.#length + length <= this.#buffer.length) return
    const grown = Buffer.allocUnsafe(Math.max(this.#buffer.length * 2, this.#length + length))
    this.#buffer.copy(grown, 0, 0, this.#length)
    this.#buffer = grown
  }
}
