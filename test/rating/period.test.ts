import fc from 'fast-check'
import t from 'tap'
import {
  contains,
  hourBegin,
  monthOf,
  monthPeriod,
  nowSeconds,
  requestedPeriod,
  retainedFrom,
} from '../../src/rating/period.ts'
import { formatTimestamp, parseTimestamp } from '../../src/rating/timestamp.ts'
import { fakeClock, testNowMillis } from '../helpers/clock.ts'
import { held } from '../helpers/held.ts'

const at = (text: string): number => parseTimestamp(text) ?? Number.NaN

t.test('a period holds its begin and not its end', async t => {
  const period = { begin: 100, end: 200 }
  t.ok(contains(period, 100))
  t.ok(contains(period, 199))
  t.notOk(contains(period, 200))
  t.notOk(contains(period, 99))
})

t.test('a month goes up to the first instant of the next, over leap days and new year', async t => {
  for (const [month, begin, end] of [
    ['2024-02', '2024-02-01', '2024-03-01'],
    ['2026-12', '2026-12-01', '2027-01-01'],
    ['0099-01', '0099-01-01', '0099-02-01'],
  ] as const) {
    t.same(monthPeriod(month), { begin: at(begin), end: at(end) })
  }
})

t.test('each instant lies in its own month', async t => {
  held(
    t,
    fc.property(fc.integer({ min: -62_135_596_800, max: 253_402_300_799 }), instant =>
      contains(monthPeriod(monthOf(instant)), instant),
    ),
  )
})

t.test('a request that does not say is about the current month', async t => {
  const now = at('2026-11-21T10:00:00')
  const whole = requestedPeriod({}, now)
  t.equal(formatTimestamp(whole.begin), '2026-11-01T00:00:00+00:00')
  t.equal(formatTimestamp(whole.end), '2026-12-01T00:00:00+00:00')
  t.equal(requestedPeriod({ begin: 5 }, now).begin, 5)
  t.equal(requestedPeriod({ end: 5 }, now).end, 5)
})

t.test('hours are aligned on the epoch, on either side of it', async t => {
  t.equal(hourBegin(7199), 3600)
  t.equal(hourBegin(7200), 7200)
  t.equal(hourBegin(-1), -3600)
})

t.test('now is in whole seconds', async t => {
  t.equal(nowSeconds(fakeClock(testNowMillis + 999)), testNowMillis / 1000)
})

t.test('whole months are kept, and the current one', async t => {
  t.equal(retainedFrom(at('2026-03-31T23:59:59'), 1), at('2026-02-01'))
  t.equal(retainedFrom(at('2026-03-01'), 3), at('2025-12-01'))
  t.equal(retainedFrom(at('2026-03-01'), 24), at('2024-03-01'))
})
