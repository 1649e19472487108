// Writes what is too much for one commit, which is seen all at once and must not hold up others, in several.

/** Recordsets of one step. */
export const stepRecordsets = 100

/** Steps that are committed at the same time: they share a write to the disk, and the next ones are made ready
 *  meanwhile. */
const maxStepsUnderWay = 20

/** Where a step is among the others. */
export type StepPosition = { readonly isFirst: boolean; readonly isLast: boolean }

/** Commits steps in their order, each made when its turn comes. `commit` says whether what is written is still wanted.
 *  The last step begins when all others are through, so it may say that all is there; nothing is under way any more
 *  when this settles. Resolves to whether all of it was wanted; rejects as the first commit that fails. */
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
      // It is thrown where it is awaited; of several that fail only the first is.
      one.catch(() => undefined)
      running.push(one)
      if (!(await areWanted(running, isLast ? 0 : maxStepsUnderWay))) return false
    }
    return true
  } finally {
    await Promise.allSettled(running)
  }
}

/** Waits until no more than some of the steps are under way; says whether those that are done were wanted. */
async function areWanted(running: Promise<boolean>[], maxCount: number): Promise<boolean> {
  while (running.length > maxCount) if ((await running.shift()) === false) return false
  return true
}
