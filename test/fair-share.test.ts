import t from 'tap'
import { FairShare } from '../src/fair-share.ts'

function bench(perSecond: number) {
  let nowMs = 0
  const share = new FairShare(perSecond, () => nowMs)
  return {
    /** How many of so many requests for a zone pass. */
    pass: (zone: string, count: number) =>
      Array.from({ length: count }, () => share.take(zone)).filter(Boolean).length,
    nextSecond: () => {
      nowMs += 1000
    },
  }
}

t.test('one zone may have all requests of a second, and no more', async t => {
  const { pass, nextSecond } = bench(100)
  t.equal(pass('one', 150), 100)
  nextSecond()
  t.equal(pass('one', 150), 100)
})

t.test('a flood for one zone leaves others their share', async t => {
  const { pass, nextSecond } = bench(100)
  for (let second = 0; second < 3; second += 1) {
    t.equal(pass('flooded', 1000), 100)
    t.equal(pass('one', 10), 10)
    t.equal(pass('other', 10), 10)
    t.equal(pass('flooded', 1000), 0)
    nextSecond()
  }
})

t.test(
  'floods for many zones are bounded together, and leave a share from the next second',
  async t => {
    const { pass, nextSecond } = bench(100)
    const flood = () =>
      Array.from({ length: 50 }, (_, i) => pass(`flooded ${i}`, 100)).reduce((sum, n) => sum + n)
    t.ok(flood() <= 200)
    for (let second = 0; second < 5; second += 1) {
      nextSecond()
      t.ok(flood() < 200)
      t.equal(pass('one', 1), 1)
    }
  },
)

t.test('many zones without a flood hold up none that has much', async t => {
  const { pass, nextSecond } = bench(100)
  for (let second = 0; second < 3; second += 1) {
    for (let i = 0; i < 40; i += 1) t.equal(pass(`zone ${i}`, 1), 1)
    t.equal(pass('busy', 60), 60)
    nextSecond()
  }
})

t.test('a clock that is set back begins another second', async t => {
  let nowMs = 3_600_000
  const share = new FairShare(1, () => nowMs)
  t.ok(share.take('one'))
  t.notOk(share.take('one'))
  nowMs -= 3_000_000
  t.ok(share.take('one'))
})
