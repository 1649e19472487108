import type { Steps } from '../time-slice.ts'

export function compareTexts(a = '', b = ''): number {
  return a === b ? 0 : a < b ? -1 : 1
}

/** Compares entries of a map. */
export function compareKeys([a]: readonly [string, unknown], [b]: readonly [string, unknown]) {
  return compareTexts(a, b)
}

/** Items that are sorted or merged between two steps. */
const itemsOfStep = 1024

/** Merge sort in small steps: sorts short runs first, and then merges two of them at a time until one is left. The
 *  sort is stable. */
export function* sortSteps<T extends object>(
  items: readonly T[],
  compare: (a: T, b: T) => number,
): Steps<readonly T[]> {
  let runs: (readonly T[])[] = []
  for (let from = 0; from < items.length; from += itemsOfStep) {
    runs.push(items.slice(from, from + itemsOfStep).sort(compare))
    yield
  }
  while (runs.length > 1) {
    const longer: (readonly T[])[] = []
    for (let i = 0; i < runs.length; i += 2) {
      longer.push(yield* mergeRuns(runs[i] ?? [], runs[i + 1] ?? [], compare))
    }
    runs = longer
  }
  return runs[0] ?? []
}

function* mergeRuns<T extends object>(
  a: readonly T[],
  b: readonly T[],
  compare: (a: T, b: T) => number,
): Steps<readonly T[]> {
  const merged: T[] = []
  let i = 0
  let j = 0
  for (;;) {
    const left = a[i]
    const right = b[j]
    if (left !== undefined && (right === undefined || compare(left, right) <= 0)) {
      merged.push(left)
      i++
    } else if (right !== undefined) {
      merged.push(right)
      j++
    } else {
      return merged
    }
    if (merged.length % itemsOfStep === 0) yield
  }
}
