import { setFlagsFromString } from 'node:v8'

/** V8's optimizing compiler inlines at most 920 octets of bytecode into a function, and an answer takes three times as
 *  much. With 3,500 an answer costs a tenth less, with 10,000 a third more (`scripts/bench/RESULTS.md`). */
export const inliningFlag = '--max-inlined-bytecode-size-cumulative=3500'
const usualFlag = '--max-inlined-bytecode-size-cumulative=920'

/** So few answers optimize nothing. */
const fewAnswers = 128
/** After so many more the flag is set again: another thread may have unset it meanwhile. */
const againAfter = 8_192

/** Has V8 inline deeply while this thread answers many requests. A flag applies to the process, and with this one V8 takes twice
 *  as long to compile what requests to the API use. */
export class DeepInlining {
  readonly #setFlag: (flag: string) => void
  #isSet = false
  /** Answers until the flag is set. */
  #left = fewAnswers

  constructor(setFlag = setFlagsFromString) {
    this.#setFlag = setFlag
  }

  answered(count: number): void {
    this.#left -= count
    if (this.#left > 0) return
    this.#left = againAfter
    this.#isSet = true
    this.#setFlag(inliningFlag)
  }

  /** To be called from time to time: after few answers since the last call, functions are inlined as usual. */
  rest(): void {
    const isBusy = this.#isSet && this.#left <= againAfter - fewAnswers
    if (this.#isSet && !isBusy) this.#setFlag(usualFlag)
    this.#isSet = isBusy
    this.#left = isBusy ? againAfter : fewAnswers
  }
}
