import t from 'tap'
import {
  CircuitBreaker,
  type CircuitChange,
} from '../../../src/identity/keystone/circuit-breaker.ts'
import { fakeClock } from '../../helpers/clock.ts'

function openBreaker() {
  const clock = fakeClock()
  const changes: CircuitChange['kind'][] = []
  const breaker = new CircuitBreaker({
    clock,
    maxFailures: 3,
    openMillis: 5_000,
    onChange: ({ kind }) => changes.push(kind),
  })
  const fail = () => breaker.run(() => Promise.reject(new Error('broken')))
  const succeed = () => breaker.run(async () => 'done')
  return { clock, changes, breaker, fail, succeed }
}

t.test('failures in a row open it, and then nothing is tried', async t => {
  const { fail, succeed, changes } = openBreaker()
  for (let i = 0; i < 3; i++) await t.rejects(fail(), { message: 'broken' })
  await t.rejects(succeed(), { name: 'CircuitOpen', retryAfterSeconds: 5 })
  t.strictSame(changes, ['opened'])
})

t.test('a success in between starts the count anew', async t => {
  const { fail, succeed, changes } = openBreaker()
  for (const run of [fail, fail, succeed, fail, fail]) await run().catch(() => undefined)
  t.equal(await succeed(), 'done')
  t.strictSame(changes, [])
})

t.test('after the wait one may try, and closes it', async t => {
  const { fail, breaker, succeed, clock, changes } = openBreaker()
  for (let i = 0; i < 3; i++) await t.rejects(fail())
  clock.advanceMillis(5_000)
  const { promise, resolve } = Promise.withResolvers<string>()
  const probe = breaker.run(() => promise)
  await t.rejects(succeed(), { name: 'CircuitOpen', retryAfterSeconds: 1 }, 'one at a time')
  resolve('probed')
  t.equal(await probe, 'probed')
  t.equal(await succeed(), 'done')
  t.strictSame(changes, ['opened', 'closed'])
})

t.test('a try that fails keeps it open, which is reported once', async t => {
  const { fail, succeed, clock, changes } = openBreaker()
  for (let i = 0; i < 3; i++) await t.rejects(fail())
  clock.advanceMillis(5_000)
  await t.rejects(fail(), { message: 'broken' })
  await t.rejects(succeed(), { name: 'CircuitOpen', retryAfterSeconds: 5 })
  t.strictSame(changes, ['opened'])
})
