import { setTimeout as delay, setImmediate as nextImmediate } from 'node:timers/promises'

const triesAtOnce = 20
const longestDelayMs = 20

/** Asks until the answer is as wanted, or just true, and returns that one; the test's own time-out bounds it. At first again
 *  and again, then less often: who asks all the time takes the processor from what is waited for. */
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
