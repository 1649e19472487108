import { setTimeout as delay, setImmediate as nextImmediate } from 'node:timers/promises'

const triesAtOnce = 20
const longestDelayMs = 20

/** Polls until the answer is as wanted, or just true, and returns it; the test's own timeout bounds it. Polls rapidly at first,
 *  then less often: constant polling would take processor time from the process under test. */
export async function until<T>(
  ask: () => T | Promise<T>,
  isWanted: (answer: T) => boolean = Boolean,
): Promise<T> {
  for (let tries = 1; ; tries += 1) {
    const answer = await ask()
    if (isWanted(answer)) return answer
    if (tries <= triesAtOnce) await nextImmediate()
    else await delay(Math.min(tries - triesAtOnce, longestDelayMs))
  }
}
