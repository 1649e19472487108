/** The bound of the first bucket; each further one is twice as long, and the last holds anything longer. */
const firstMillis = 0.031_25
const bucketCount = 17

/** The upper bound of each bucket but the last, in seconds. */
export const durationBounds: readonly number[] = Array.from(
  { length: bucketCount - 1 },
  (_, i) => (firstMillis * 2 ** i) / 1000,
)

/** How long something has taken, each time. */
export class Durations {
  readonly counts: number[] = new Array(bucketCount).fill(0)
  /** In seconds. */
  sum = 0

  note(millis: number): void {
    const seconds = millis / 1000
    const bucket = durationBounds.findIndex(bound => seconds <= bound)
    const at = bucket === -1 ? bucketCount - 1 : bucket
    this.counts[at] = (this.counts[at] ?? 0) + 1
    this.sum += seconds
  }
}
