import { maxMessageOctets } from '../dns/message.ts'
import { lengthOctets } from './frames.ts'

/** Room for the answers of a readable batch that arrives in one segment, and for the longest behind them. */
const batchOctets = 192 * 1024
const largestFrameOctets = lengthOctets + maxMessageOctets

/** Gathers answers, each behind its length, so that those to queries that came together leave in one write.
 *  One batch serves all connections of a listener: who fills it also takes it, in the same turn. */
export class AnswerBatch {
  readonly #buffer = Buffer.alloc(batchOctets)
  #endOctets = 0

  get isEmpty(): boolean {
    return this.#endOctets === 0
  }

  /** Whether the longest possible answer would not fit: take before the next add. */
  get isFull(): boolean {
    return this.#endOctets + largestFrameOctets > batchOctets
  }

  /** Adds what `write` answers, written into the room it is given; false when it answers nothing. */
  add(write: (room: Uint8Array) => Uint8Array | undefined): boolean {
    const at = this.#endOctets
    const start = at + lengthOctets
    const room = this.#buffer.subarray(start, start + maxMessageOctets)
    const answer = write(room)
    if (answer === undefined) return false
    if (answer.length > maxMessageOctets) throw new Error(`an answer has ${answer.length} octets`)
    // An answer may be kept elsewhere and only lent; then it is copied here.
    if (answer.buffer !== room.buffer || answer.byteOffset !== room.byteOffset) room.set(answer)
    this.#buffer.writeUInt16BE(answer.length, at)
    this.#endOctets = start + answer.length
    return true
  }

  /** Returns a copy of what was gathered, and starts anew. A socket keeps what it is given until the peer has
   *  room for it, and a copy is small beside the system call. */
  take(): Buffer {
    const octets = Buffer.from(this.#buffer.subarray(0, this.#endOctets))
    this.#endOctets = 0
    return octets
  }
}
