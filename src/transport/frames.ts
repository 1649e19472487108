// DNS over a stream (RFC 1035 section 4.2.2): each message is preceded by its length in two octets. Segments
// may split and merge messages anywhere. Whole messages are returned as views of their segment; only a split
// message is assembled in a separate buffer, which grows with the octets that have arrived. Sizing it by the
// announced length would let two octets reserve 64 kB.

export const lengthOctets = 2
const smallestPartial = 512

/** A message preceded by its length. */
export function framed(message: Uint8Array): Buffer {
  const frame = Buffer.allocUnsafe(lengthOctets + message.length)
  frame.writeUInt16BE(message.length)
  frame.set(message, lengthOctets)
  return frame
}

/** Splits a stream of octets into messages: push a segment, then take messages, one by one or together, until none is left. */
export class FrameReader {
  #segment: Uint8Array = nothing
  #at = 0
  /** The start of a message that is split over segments, its length included. */
  #partial: Uint8Array = nothing
  #partialOctets = 0

  /** Whether a message has arrived only in part; valid once `next` has returned undefined. */
  get isInsideMessage(): boolean {
    return this.#partialOctets > 0
  }

  /** Adds a segment, which must stay unchanged until `next` has returned undefined. `next` must also have returned
   *  undefined for the previous segment. */
  push(segment: Uint8Array): void {
    this.#segment = segment
    this.#at = 0
  }

  /** Returns the next whole message, shared with the segment, or undefined if more octets must arrive. */
  next(): Uint8Array | undefined {
    return (this.#partialOctets === 0 ? this.#nextWhole() : undefined) ?? this.#nextSplit()
  }

  /** Puts the next messages into `into`, as many as have arrived and fit, and returns how many. */
  take(into: Uint8Array[]): number {
    const first = this.next()
    if (first === undefined) return 0
    into[0] = first
    for (let count = 1; count < into.length; count += 1) {
      const message = this.#nextWhole()
      if (message === undefined) return count
      into[count] = message
    }
    return into.length
  }

  /** Puts back a message and all after it, of those last taken together; the message must not be the first of them. */
  putBack(message: Uint8Array): void {
    this.#at = message.byteOffset - this.#segment.byteOffset - lengthOctets
  }

  /** Returns the next message if all of it is in the segment. */
  #nextWhole(): Uint8Array | undefined {
    const segment = this.#segment
    const start = this.#at + lengthOctets
    const octets = announcedOctets(segment, this.#at)
    if (start + octets > segment.length) return undefined
    this.#at = start + octets
    // A plain view: `subarray` of a Buffer runs in JavaScript, for each request.
    return new Uint8Array(segment.buffer, segment.byteOffset + start, octets)
  }

  #nextSplit(): Uint8Array | undefined {
    if (!this.#gather(lengthOctets)) return undefined
    const end = lengthOctets + announcedOctets(this.#partial, 0)
    if (!this.#gather(end)) return undefined
    const message = this.#partial.subarray(lengthOctets, end)
    this.#partial = nothing
    this.#partialOctets = 0
    return message
  }

  /** Moves octets from the segment until the partial message has `wantedOctets`; false if it stays short. */
  #gather(wantedOctets: number): boolean {
    const from = this.#at
    const to = Math.min(from + wantedOctets - this.#partialOctets, this.#segment.length)
    if (to > from) {
      this.#makeRoom(this.#partialOctets + to - from)
      this.#partial.set(this.#segment.subarray(from, to), this.#partialOctets)
      this.#partialOctets += to - from
      this.#at = to
    }
    if (this.#partialOctets >= wantedOctets) return true
    // The whole segment is consumed; release its memory.
    this.push(nothing)
    return false
  }

  #makeRoom(octets: number): void {
    if (octets <= this.#partial.length) return
    const grown = new Uint8Array(Math.max(smallestPartial, this.#partial.length * 2, octets))
    grown.set(this.#partial.subarray(0, this.#partialOctets))
    this.#partial = grown
  }
}

const nothing = new Uint8Array(0)

function announcedOctets(octets: Uint8Array, at: number): number {
  return ((octets[at] ?? 0) << 8) | (octets[at + 1] ?? 0)
}
