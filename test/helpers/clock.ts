import type { Clock } from '../../src/clock.ts'

/** Noon of a fixed day. */
export const testNowMillis = Date.UTC(2026, 10, 21, 12)

/** A clock that stands still until the test advances it. */
export type FakeClock = Clock & { advanceMillis(millis: number): void }

export function fakeClock(startMillis = testNowMillis): FakeClock {
  let nowMillis = startMillis
  return {
    nowMillis: () => nowMillis,
    advanceMillis(millis) {
      nowMillis += millis
    },
  }
}
