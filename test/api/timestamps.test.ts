import t from 'tap'
import { formatTimestamp, formatTimestampOrNull } from '../../src/api/timestamps.ts'

const cases: readonly [micros: number, text: string][] = [
  [0, '1970-01-01T00:00:00.000000'],
  [1, '1970-01-01T00:00:00.000001'],
  [999_999, '1970-01-01T00:00:00.999999'],
  [Date.UTC(2026, 10, 21, 10) * 1000 + 123_456, '2026-11-21T10:00:00.123456'],
  [Date.UTC(2026, 11, 31, 23, 59, 59) * 1000 + 7, '2026-12-31T23:59:59.000007'],
]

t.test('times have six fractional digits and no zone designator', async t => {
  for (const [micros, text] of cases) t.equal(formatTimestamp(micros), text)
})

t.test('an absent time is null', async t => {
  t.equal(formatTimestampOrNull(null), null)
  t.equal(formatTimestampOrNull(0), '1970-01-01T00:00:00.000000')
})
