import t from 'tap'
import { HandedThrottle } from '../../src/transport/handed-throttle.ts'

t.test('unsigned requests have a bound of their own, below that of signed ones', async t => {
  let nowMs = 0
  const throttle = new HandedThrottle(() => nowMs)
  const countOf = (isSigned: boolean) =>
    Array.from({ length: 10_000 }, () => throttle.take('zone', isSigned)).filter(Boolean).length
  t.equal(countOf(false), 200)
  t.equal(countOf(true), 5000)
  t.equal(countOf(true), 0)
  nowMs = 1000
  t.equal(countOf(false), 200)
})
