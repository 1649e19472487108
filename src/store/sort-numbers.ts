import type { Steps } from '../time-slice.ts'

export type Compare = (left: number, right: number) => number

/** Numbers sorted in one step: a millisecond, if a comparison takes 50 ns. */
const runLength = 1024
/** Numbers merged in one step. */
const mergedLength = 4096

/** Sorts numbers without stalling the event loop: in short runs, which are then merged. Returns them in an array of their own, or
 *  the same. */
export function* sortInSteps(numbers: Int32Array, compare: Compare): Steps<Int32Array> {
  for (let from = 0; from < numbers.length; from += runLength) {
    numbers.subarray(from, from + runLength).sort(compare)
    yield
  }
  let sorted: Int32Array = numbers
  let merged: Int32Array = new Int32Array(numbers.length > runLength ? numbers.length : 0)
  for (let length = runLength; length < numbers.length; length *= 2) {
    for (let from = 0; from < numbers.length; from += 2 * length)
      yield* mergeRuns(sorted, { merged, compare, from, length })
    ;[sorted, merged] = [merged, sorted]
  }
  return sorted
}

/** Merges two neighbouring sorted runs. */
function* mergeRuns(
  sorted: Int32Array,
  {
    merged,
    compare,
    from,
    length,
  }: {
    readonly merged: Int32Array
    readonly compare: Compare
    readonly from: number
    readonly length: number
  },
): Steps<void> {
  const leftEnd = Math.min(from + length, sorted.length)
  const rightEnd = Math.min(leftEnd + length, sorted.length)
  let left = from
  let right = leftEnd
  for (let to = from; to < rightEnd; to += 1) {
    const isLeft =
      right === rightEnd ||
      (left < leftEnd && compare(sorted[left] as number, sorted[right] as number) <= 0)
    merged[to] = sorted[isLeft ? left++ : right++] as number
    if (to % mergedLength === 0) yield
  }
}
