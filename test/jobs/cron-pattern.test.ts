import { validate } from 'node-cron'
import t from 'tap'
import { cronPattern } from '../../src/jobs/cron-pattern.ts'

t.test('an interval becomes a pattern that node-cron knows', async t => {
  const rows: readonly [everySeconds: number, pattern: string][] = [
    [1, '*/1 * * * * *'],
    [5, '*/5 * * * * *'],
    [30, '*/30 * * * * *'],
    [60, '0 */1 * * * *'],
    [600, '0 */10 * * * *'],
    [3600, '0 0 */1 * * *'],
    [43_200, '0 0 */12 * * *'],
  ]
  for (const [everySeconds, pattern] of rows) {
    t.equal(cronPattern(everySeconds), pattern)
    t.ok(validate(pattern), pattern)
  }
})

t.test('an interval that cron would fire at uneven times is refused', async t => {
  for (const everySeconds of [0, -5, 0.5, 7, 45, 61, 90, 5400, 86_400]) {
    t.throws(() => cronPattern(everySeconds), RangeError, String(everySeconds))
  }
})
