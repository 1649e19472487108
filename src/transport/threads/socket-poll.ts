import { errors, pollEntry, pollIn } from './layout.ts'
import { type SystemCalls, systemError } from './system-calls.ts'

/** Waits until any of several sockets is readable. */
export class SocketPoll {
  readonly #calls: SystemCalls
  readonly #octets: Uint8Array
  readonly #pointer: bigint
  readonly #count: number
  readonly #timeoutMs: number

  constructor(calls: SystemCalls, descriptors: readonly number[], timeoutMs: number) {
    const memory = new SharedArrayBuffer(descriptors.length * pollEntry.octets)
    const view = new DataView(memory)
    descriptors.forEach((descriptor, i) => {
      view.setInt32(i * pollEntry.octets + pollEntry.descriptorAt, descriptor, true)
      view.setInt16(i * pollEntry.octets + pollEntry.wantedAt, pollIn, true)
    })
    this.#calls = calls
    this.#octets = new Uint8Array(memory)
    this.#pointer = calls.addressOf(this.#octets)
    this.#count = descriptors.length
    this.#timeoutMs = timeoutMs
  }

  /** Returns the number of ready sockets; 0 after a timeout.
   *  @throws NodeJS.ErrnoException waiting is not possible. */
  wait(): number {
    const count = this.#calls.poll(this.#pointer, this.#count, this.#timeoutMs)
    if (count >= 0) return count
    if (this.#calls.errno() !== errors.interrupted) throw systemError(this.#calls, 'poll')
    return 0
  }

  /** Whether the last `wait` found the socket readable, or in an error state that reading will report. */
  isReady(i: number): boolean {
    return this.#octets[i * pollEntry.octets + pollEntry.readyAt] !== 0
  }
}
