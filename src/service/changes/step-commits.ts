// Splits a write that is too large for one commit, which takes effect all at once and must not hold up others, into
// several.

/** Recordsets of one step. */
export const stepRecordsets = 100

/** Steps committed at the same time: they share a write to the disk, and the next ones are prepared meanwhile. */
const maxStepsUnderWay = 20

/** The place of a step among the others. */
export type StepPosition = { readonly isFirst: boolean; readonly isLast: boolean }

/** Commits steps in order, each produced when its turn comes. `commit` returns whether the written data is still
 *  wanted. The last step begins when all others are done, so it may mark the data as complete; no commit is under
 *  way any more when this settles. Resolves to whether all of it was wanted; rejects with the error of the first
 *  commit that fails. */
export async function commitSteps<S>(
  steps: Iterable<S>,
  commit: (step: S, position: StepPosition) => Promise<boolean>,
): Promise<boolean> {
  const running: Promise<boolean>[] = []
  const all = steps[Symbol.iterator]()
  try {
    let isFirst = true
    for (let next = all.next(); next.done !== true; isFirst = false) {
      const step = next.value
      next = all.next()
      const isLast = next.done === true
      if (isLast && !(await areWanted(running, 0))) return false
      const one = commit(step, { isFirst, isLast })
      // The error is thrown where the commit is awaited; of several errors only the first is thrown.
      one.catch(() => undefined)
      running.push(one)
      if (!(await areWanted(running, isLast ? 0 : maxStepsUnderWay))) return false
    }
    return true
  } finally {
    await Promise.allSettled(running)
  }
}

/** Waits until at most `maxCount` steps are under way; returns whether those that are done were wanted. */
async function areWanted(running: Promise<boolean>[], maxCount: number): Promise<boolean> {
  while (running.length > maxCount) if ((await running.shift()) === false) return false
  return true
}
