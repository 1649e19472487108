import type { TappedQuery, TapReader } from '../nameserver/tap-reader.ts'

/** The number of samples per round to aim for. */
const wantedOfRound = 25
const maxSampledOf = 2 ** 20

type SamplingOptions = {
  readonly tap: TapReader
  /** Readers have numbers below this. */
  readonly readerCount: () => number
  readonly onQuery: (query: TappedQuery) => void
}

/** Takes the queries that the answering threads have noted, and adapts their sampling rate so that the cost stays low under
 *  any load: every query while there are few, and 250 per second, or a few more, while there are many. */
export class Sampling {
  readonly #options: SamplingOptions
  #sampleCount = 0

  constructor(options: SamplingOptions) {
    this.#options = options
    options.tap.sampledOf = 1
  }

  /** Takes the queries noted so far. */
  take(): void {
    const { tap, readerCount, onQuery } = this.#options
    for (let reader = 0; reader < readerCount(); reader += 1)
      for (const query of tap.take(reader)) {
        if (query.weight > 0) this.#sampleCount += 1
        onQuery(query)
      }
  }

  /** To be called ten times per second. */
  round(): void {
    this.take()
    const { tap } = this.#options
    const ratio = this.#sampleCount / wantedOfRound
    if (ratio >= 2)
      tap.sampledOf = Math.min(tap.sampledOf * 2 ** Math.floor(Math.log2(ratio)), maxSampledOf)
    else if (ratio < 0.5) tap.sampledOf = Math.max(1, tap.sampledOf / 2)
    this.#sampleCount = 0
  }
}
