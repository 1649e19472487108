import type { Clock } from '../../clock.ts'

export type ClockComparisonOptions = {
  readonly clock: Clock
  /** How far the clock may be off for the node to take changes and the duty. */
  readonly maxClockOffSeconds?: number | undefined
}

/** Times of commits never go back, so a clock that is ahead would move those of all nodes; tokens, one-time passwords and TSIG
 *  depend on clocks that agree. */
const standardMaxSeconds = 60

/** The clock of this node beside that of PostgreSQL, as of the last answer. */
export class ClockComparison {
  readonly #clock: Clock
  readonly #maxSeconds: number
  #aheadSeconds = 0

  constructor({ clock, maxClockOffSeconds = standardMaxSeconds }: ClockComparisonOptions) {
    this.#clock = clock
    this.#maxSeconds = maxClockOffSeconds
  }

  /** The least amount by which this clock is ahead: the server read its own at an unknown moment between question and answer. */
  get aheadSeconds(): number {
    return this.#aheadSeconds
  }

  /** Why this node may not change anything; undefined while it may. */
  get problem(): string | undefined {
    return this.problemOf(this.#aheadSeconds)
  }

  /** As `problem`, of a node whose clock is as far ahead. */
  problemOf(aheadSeconds: number): string | undefined {
    return Math.abs(aheadSeconds) > this.#maxSeconds ? clockText(aheadSeconds) : undefined
  }

  /** Compares while a question is asked whose answer holds the time of the server. */
  async during<A extends { readonly serverMillis: number }>(ask: () => Promise<A>): Promise<A> {
    const before = this.#clock.nowMillis()
    const answer = await ask()
    const after = this.#clock.nowMillis()
    const nearest = Math.min(Math.max(answer.serverMillis, before), after)
    this.#aheadSeconds = Math.round(nearest - answer.serverMillis) / 1000
    return answer
  }
}

export function clockText(aheadSeconds: number): string {
  const direction = aheadSeconds > 0 ? 'ahead of' : 'behind'
  return `the clock of this node is ${Math.abs(aheadSeconds)} s ${direction} that of PostgreSQL`
}
