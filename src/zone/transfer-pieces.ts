// The messages of a transfer on their way to the thread that reads it, each behind its length as over TCP (RFC 1035 section
// 4.2.2), in few pieces of shared memory. Handing over a list of messages takes a time that grows with the square of their number:
// a master that sends a record in each would block the event loop for minutes.

const lengthOctets = 2
const largestPieceOctets = 1024 * 1024

/** Collects messages. */
export class TransferPieces {
  readonly #full: Uint8Array[] = []
  #piece: Uint8Array = new Uint8Array()
  #used = 0
  #octetCount = 0

  /** Copies the message. */
  add(message: Uint8Array): void {
    const needed = lengthOctets + message.length
    if (this.#used + needed > this.#piece.length) this.#open(needed)
    this.#piece[this.#used] = message.length >>> 8
    this.#piece[this.#used + 1] = message.length & 0xff
    this.#piece.set(message, this.#used + lengthOctets)
    this.#used += needed
    this.#octetCount += needed
  }

  /** All messages so far. */
  get pieces(): readonly Uint8Array[] {
    return [...this.#full, this.#piece.subarray(0, this.#used)]
  }

  /** Shared, so that it is not copied again: for every few MB of other memory outside its heap V8 would collect all garbage. */
  #open(neededOctets: number): void {
    if (this.#used > 0) this.#full.push(this.#piece.subarray(0, this.#used))
    const octets = Math.max(neededOctets, Math.min(this.#octetCount, largestPieceOctets))
    this.#piece = new Uint8Array(new SharedArrayBuffer(octets))
    this.#used = 0
  }
}

/** The messages in their order, as views. */
export function* messagesIn(pieces: readonly Uint8Array[]): Generator<Uint8Array> {
  for (const piece of pieces) {
    for (let at = 0; at < piece.length; ) {
      const start = at + lengthOctets
      at = start + (((piece[at] as number) << 8) | (piece[at + 1] as number))
      yield piece.subarray(start, at)
    }
  }
}
