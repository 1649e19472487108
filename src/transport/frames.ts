// DNS over a stream (RFC 1035 section 4.2.2): each message behind its length in two octets. Segments split
// and merge messages as they please. Whole messages are handed out as views of the segment they came in;
// only one that is split is put together in a buffer of its own, which grows with what has arrived and not
// with what was announced, or two octets would reserve 64 kB.

export const lengthOctets = 2
const smallestPartial = 512

/** Cuts a stream of octets into messages: push a segment, then take messages, one by one or together, until there are none. */
export class FrameReader {
  #segment: Uint8Array = nothing
  #at = 0
  /** The start of a message that is split over segments, its length included. */
  #partial: Uint8Array = nothing
  #partialOctets = 0

  /** Whether a message has begun that has not arrived in full, once `next` has given undefined. */
  get isInsideMessage(): boolean {
    return this.#partialOctets > 0
  }

  /** Adds a segment, which must stay unchanged until `next` has given undefined; that must also have
   *  happened for the segment before. */
  push(segment: Uint8Array): void {
    this.#segment = segment
    this.#at = 0
  }

  /** Returns the next whole message, shared with the segment, or undefined when more must arrive. */
  next(): Uint8Array | undefined {
    return (this.#partialOctets === 0 ? this.#nextWhole() : undefined) ?? this.#nextSplit()
  }

  /** Puts the next messages into `into`, as many as it has places for and have arrived, and returns how many. */
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

  /** Gives back a message and all behind it, of what was last taken together; not the first of them. */
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
    // All of the segment is taken; let its memory go.
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
