/** The quantile of some numbers: share 0 is the least, 1 the greatest; of two candidates, the lower. NaN of none. */
export function quantile(numbers: readonly number[], share: number): number {
  const sorted = numbers.toSorted((a, b) => a - b)
  return sorted[Math.floor(share * (sorted.length - 1))] ?? Number.NaN
}

/** The middle of some numbers. */
export function median(numbers: readonly number[]): number {
  return quantile(numbers, 0.5)
}
