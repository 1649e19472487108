import { median } from './median.ts'

/** What some rounds of the same work took, in nanoseconds per item. */
export type RoundTimes = {
  readonly medianNs: number
  readonly minNs: number
  readonly maxNs: number
}

/** Runs `work` once to warm up and then `roundCount` times; `work` does `itemCount` items. */
export function timeRounds(
  work: () => void,
  { roundCount, itemCount }: { roundCount: number; itemCount: number },
): RoundTimes {
  work()
  const times: number[] = []
  for (let round = 0; round < roundCount; round += 1) {
    const startedAt = process.hrtime.bigint()
    work()
    times.push(Number(process.hrtime.bigint() - startedAt) / itemCount)
  }
  return { medianNs: median(times), minNs: Math.min(...times), maxNs: Math.max(...times) }
}

/** `1234 ns (1200 … 1300)` */
export function formatTimes({ medianNs, minNs, maxNs }: RoundTimes): string {
  const [median, min, max] = [medianNs, minNs, maxNs].map(ns => Math.round(ns))
  return `${String(median).padStart(6)} ns  (${min} … ${max})`
}
