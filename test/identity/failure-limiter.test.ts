import t from 'tap'
import { FailureLimiter } from '../../src/identity/failure-limiter.ts'

t.test('a burst is free, then the wait is reported, then forgiven', async t => {
  const limiter = new FailureLimiter({ burst: 2, secondsPerFailure: 10 })
  t.equal(limiter.charge('a', 0), 0)
  t.equal(limiter.charge('a', 0), 0)
  t.equal(limiter.charge('a', 0), 10)
  t.equal(limiter.charge('a', 4_000), 6)
  t.equal(limiter.charge('a', 10_000), 0)
  t.equal(limiter.charge('a', 10_000), 10)
})

t.test('keys do not share a limit', async t => {
  const limiter = new FailureLimiter({ burst: 1, secondsPerFailure: 10 })
  t.equal(limiter.charge('a', 0), 0)
  t.equal(limiter.charge('b', 0), 0)
})

t.test('what is refunded was never charged', async t => {
  const limiter = new FailureLimiter({ burst: 1, secondsPerFailure: 10 })
  for (let i = 0; i < 5; i++) {
    t.equal(limiter.charge('a', 0), 0)
    limiter.refund('a', 0)
  }
})

t.test('a clock that steps back forgives nothing and locks nobody out for longer', async t => {
  const limiter = new FailureLimiter({ burst: 1, secondsPerFailure: 10 })
  t.equal(limiter.charge('a', 100_000), 0)
  t.equal(limiter.charge('a', 0), 10)
})

t.test('keys made up without end do not take memory without end', async t => {
  const limiter = new FailureLimiter({ burst: 1, secondsPerFailure: 10 })
  limiter.charge('first', 0)
  for (let i = 0; i < 10_000; i++) limiter.charge(`key ${i}`, 0)
  t.equal(limiter.charge('first', 0), 0, 'the oldest key is forgotten')
  t.equal(limiter.charge('key 9999', 0), 10, 'the newest is not')
})

t.test('servers that share a limit have equal parts of it, and one attempt at least', async t => {
  let sharers = 2
  const limiter = new FailureLimiter({ burst: 4, secondsPerFailure: 10 }, () => sharers)
  t.equal(limiter.charge('a', 0), 0)
  t.equal(limiter.charge('a', 0), 0)
  t.equal(limiter.charge('a', 0), 20)
  sharers = 10
  t.equal(limiter.charge('b', 0), 0)
  t.equal(limiter.charge('b', 0), 40)
  limiter.refund('b', 0)
  t.equal(limiter.charge('b', 0), 0)
})
