import type { Steps } from '../time-slice.ts'

export type Compare = (left: number, right: number) => number

/** Numbers sorted in one step: a millisecond, if a comparison takes 50 ns. */
const runLength = 1024
/** Numbers merged in one step. */
const mergedLength = 4096

/** Sorts numbers without stalling the event loop: in short runs, which are then merged; what is in order already takes one
 *  comparison each. Returns them in an array of their own, or the same. */
export function* sortInSteps(numbers: Int32Array, compare: Compare): Steps<Int32Array> {
  for (let from = 0; from < numbers.length; from += runLength) {
    const run = numbers.subarray(from, from + runLength)
    if (!isSorted(run, compare)) run.sort(compare)
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
  const last = sorted[leftEnd - 1] as number
  if (leftEnd === rightEnd || compare(last, sorted[leftEnd] as number) <= 0) {
    merged.set(sorted.subarray(from, rightEnd), from)
    yield
    return
  }
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

function isSorted(numbers: Int32Array, compare: Compare): boolean {
  for (let i = 1; i < numbers.length; i += 1)
    if (compare(numbers[i - 1] as number, numbers[i] as number) > 0) return false
  return true
}

/** Sorts numbers by groups, which have numbers from 0 on themselves. Returns the groups that have any, each in the order given. */
export function* groupInSteps(
  numbers: Int32Array,
  groupOf: (number: number) => number,
): Steps<Iterable<readonly [group: number, numbers: Int32Array]>> {
  const groups = new Int32Array(numbers.length)
  let last = 0
  for (let i = 0; i < numbers.length; i += 1) {
    const group = groupOf(numbers[i] as number)
    groups[i] = group
    last = Math.max(last, group)
    if (i % mergedLength === 0) yield
  }
  const starts = new Int32Array(last + 1)
  for (const group of groups) if (group < last) add(starts, group + 1, 1)
  for (let group = 1; group <= last; group += 1) add(starts, group, starts[group - 1] as number)
  yield
  // Each start moves to the end of its group.
  const grouped = new Int32Array(numbers.length)
  for (const [i, group] of groups.entries()) {
    grouped[starts[group] as number] = numbers[i] as number
    add(starts, group, 1)
    if (i % mergedLength === 0) yield
  }
  return groupsOf(grouped, starts)
}

function* groupsOf(
  grouped: Int32Array,
  ends: Int32Array,
): Generator<readonly [group: number, numbers: Int32Array]> {
  let start = 0
  for (const [group, end] of ends.entries()) {
    if (end > start) yield [group, grouped.subarray(start, end)]
    start = end
  }
}

function add(numbers: Int32Array, at: number, amount: number): void {
  numbers[at] = (numbers[at] as number) + amount
}
