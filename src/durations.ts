/** The bound of the first bucket; each further one is twice as long. */
const firstMillis = 0.031_25

/** The upper bound of each bucket but the last, in seconds, for what mostly takes less than a millisecond. */
export const durationBounds: readonly number[] = Array.from(
  { length: 16 },
  (_, i) => (firstMillis * 2 ** i) / 1000,
)

/** How long something has taken, each time, as a histogram. */
export class Durations {
  /** There is one bucket more than bounds, which holds anything longer. */
  readonly counts: number[]
  /** In seconds. */
  sum = 0
  readonly #bounds: readonly number[]

  /** @param bounds the upper bound of each bucket but the last, in seconds */
  constructor(bounds = durationBounds) {
    this.#bounds = bounds
    this.counts = Array.from({ length: bounds.length + 1 }, () => 0)
  }

  note(seconds: number): void {
    const bucket = this.#bounds.findIndex(bound => seconds <= bound)
    const at = bucket === -1 ? this.#bounds.length : bucket
    this.counts[at] = (this.counts[at] ?? 0) + 1
    this.sum += seconds
  }
}
