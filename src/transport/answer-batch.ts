import { maxMessageOctets } from '../dns/message.ts'
import { lengthOctets } from './frames.ts'

/** Room for the answers to the queries of one segment, followed by the longest possible answer. */
const batchOctets = 192 * 1024
const largestFrameOctets = lengthOctets + maxMessageOctets

/** Collects answers, each preceded by its length, so that answers to queries that arrived together are sent in one
 *  write. One batch serves all connections of a listener: the connection that fills it takes it in the same turn. */
export class AnswerBatch {
  readonly #buffer = Buffer.alloc(batchOctets)
  #endOctets = 0

  get isEmpty(): boolean {
    return this.#endOctets === 0
  }

  /** Whether the longest possible answer would not fit: call `take` before the next `add`. */
  get isFull(): boolean {
    return this.#endOctets + largestFrameOctets > batchOctets
  }

  /** Returns where the next answer is to be written. */
  room(): Uint8Array {
    const { buffer, byteOffset } = this.#buffer
    return new Uint8Array(buffer, byteOffset + this.#endOctets + lengthOctets, maxMessageOctets)
  }

  /** Adds an answer that is at the start of `room`, or copies one from elsewhere. */
  add(answer: Uint8Array, room: Uint8Array): void {
    if (answer.length > maxMessageOctets) throw new Error(`an answer has ${answer.length} octets`)
    if (answer.buffer !== room.buffer || answer.byteOffset !== room.byteOffset) room.set(answer)
    this.#buffer.writeUInt16BE(answer.length, this.#endOctets)
    this.#endOctets += lengthOctets + answer.length
  }

  /** Returns a copy of the collected answers and starts a new batch. A socket keeps what it is given until the peer has
   *  room for it, and a copy is cheap compared with the system call. */
  take(): Buffer {
    const octets = Buffer.from(this.#buffer.subarray(0, this.#endOctets))
    this.#endOctets = 0
    return octets
  }
}
