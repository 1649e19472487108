import { setImmediate as nextImmediate } from 'node:timers/promises'

/** Asks until the answer is as wanted, or just true, and returns that one; the test's own time-out bounds it. */
export async function until<T>(
  ask: () => T | Promise<T>,
  isWanted: (answer: T) => boolean = Boolean,
): Promise<T> {
  for (;;) {
    const answer = await ask()
    if (isWanted(answer)) return answer
    await nextImmediate()
  }
}
