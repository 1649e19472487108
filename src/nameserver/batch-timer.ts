import type { Transport } from './request.ts'
import type { ResponseCounter } from './response-counter.ts'

/** Batches of which one is timed; a power of two. */
const sampledOf = 16
const untimed = -1

/** Times one batch of many, from the arrival of its requests to the sending of its responses. Each of its responses counts with
 *  that time. */
export class BatchTimer {
  readonly #counter: ResponseCounter
  #batchCount = 0
  #beganMillis = untimed
  #answeredCount = 0
  #transport: Transport = 'udp'

  constructor(counter: ResponseCounter) {
    this.#counter = counter
  }

  /** @param nowMillis a monotonic clock, with fractions */
  begin(nowMillis: (() => number) | undefined): void {
    const isTimed = (this.#batchCount & (sampledOf - 1)) === 0 && nowMillis !== undefined
    this.#batchCount = (this.#batchCount + 1) | 0
    this.#answeredCount = 0
    this.#beganMillis = isTimed ? nowMillis() : untimed
  }

  /** Notes a response of the batch. */
  answered(transport: Transport): void {
    this.#answeredCount += 1
    this.#transport = transport
  }

  /** To be called when the batch's responses are sent. */
  end(nowMillis: (() => number) | undefined): void {
    if (this.#beganMillis === untimed || nowMillis === undefined) return
    const micros = (nowMillis() - this.#beganMillis) * 1000
    if (this.#answeredCount > 0)
      this.#counter.countLatency(this.#transport, micros, this.#answeredCount)
    this.#beganMillis = untimed
  }
}
