import { errors, pollEntry, pollIn } from './layout.ts'
import { type SystemCalls, systemError } from './system-calls.ts'

/** Waits for any of several sockets to have something to read. */
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

  /** Returns how many sockets are ready; 0 after the time is over.
   *  @throws NodeJS.ErrnoException waiting is not possible. */
  wait(): number {
    const count = this.#calls.poll(this.#pointer, this.#count, this.#timeoutMs)
    if (count >= 0) return count
    if (this.#calls.errno() !== errors.interrupted) throw systemError(this.#calls, 'poll')
    return 0
  }

  /** Whether the last `wait` found the socket ready, or in a state that reading will explain. */
  isReady(i: number): boolean {
    return this.#octets[i * pollEntry.octets + pollEntry.readyAt] !== 0
  }
}
