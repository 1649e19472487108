import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import t from 'tap'
import { PasswordChecker } from '../../src/identity/password-checker.ts'
import { PasswordHasher } from '../../src/identity/password-hasher.ts'
import { hashPassword } from '../../src/identity/passwords.ts'
import { cheapCost } from '../helpers/cheap-cost.ts'
import { fakeClock } from '../helpers/clock.ts'

const peer = '192.0.2.1'

async function openChecker() {
  const clock = fakeClock()
  const holder = { id: 'u1', secretHash: await hashPassword('right', cheapCost) }
  const hasher = new PasswordHasher(cheapCost)
  return { clock, holder, checker: new PasswordChecker({ clock, hasher }) }
}

setFlagsFromString('--expose-gc')
const collectGarbage: () => void = runInNewContext('gc')
setFlagsFromString('--no-expose-gc')

const tooMany = { name: 'ApiError', type: 'too_many_requests' }

t.test('the right password fits and no other', async t => {
  const { checker, holder } = await openChecker()
  const attempt = { holder, account: 'jo', peer }
  t.equal(await checker.check({ ...attempt, password: 'right' }), true)
  t.equal(await checker.check({ ...attempt, password: 'wrong' }), false)
  t.equal(await checker.check({ ...attempt, holder: undefined, password: 'right' }), false)
})

t.test('an account is guessed at ten times from one network, then every ten seconds', async t => {
  const { checker, holder, clock } = await openChecker()
  const wrong = { holder, account: 'jo', password: 'wrong', peer }
  for (let i = 0; i < 10; i++) t.equal(await checker.check(wrong), false)
  await t.rejects(checker.check(wrong), { ...tooMany, retryAfterSeconds: 10 })
  await t.rejects(checker.check({ ...wrong, password: 'right' }), tooMany)
  await t.rejects(checker.check({ ...wrong, account: 'JO' }), tooMany, 'in any case')
  t.equal(await checker.check({ ...wrong, account: 'other' }), false, 'another account is not')
  t.equal(await checker.check({ ...wrong, peer: '192.0.2.2' }), false, 'nor another network')
  clock.advanceMillis(10_000)
  t.equal(await checker.check(wrong), false)
  await t.rejects(checker.check(wrong), tooMany)
})

t.test('names that are nobody’s are limited like others', async t => {
  const { checker } = await openChecker()
  const attempt = { holder: undefined, account: 'nobody', password: 'x', peer }
  for (let i = 0; i < 10; i++) t.equal(await checker.check(attempt), false)
  await t.rejects(checker.check(attempt), tooMany)
})

t.test('a network that tries account after account has a hundred tries', async t => {
  const { checker } = await openChecker()
  const attempt = { holder: undefined, password: 'x', peer }
  for (let i = 0; i < 100; i++) await checker.check({ ...attempt, account: `user ${i}` })
  await t.rejects(checker.check({ ...attempt, account: 'one more' }), tooMany)
})

t.test('who goes on with a wrong password locks out nobody else of the network', async t => {
  const { checker, holder } = await openChecker()
  const wrong = { holder, account: 'jo', password: 'wrong', peer }
  for (let i = 0; i < 10; i++) await checker.check(wrong)
  for (let i = 0; i < 200; i++) await t.rejects(checker.check(wrong), tooMany)
  t.equal(await checker.check({ ...wrong, account: 'other', password: 'right' }), true)
})

t.test('a success is believed for five minutes, even where new tries are not taken', async t => {
  const { checker, holder, clock } = await openChecker()
  const right = { holder, account: 'jo', password: 'right', peer }
  const wrong = { ...right, password: 'wrong' }
  t.equal(await checker.check(right), true)
  for (let i = 0; i < 10; i++) await checker.check(wrong)
  t.equal(await checker.check(right), true, 'believed, so it costs no try')
  await t.rejects(checker.check(wrong), tooMany)
  clock.advanceMillis(5 * 60_000)
  for (let i = 0; i < 10; i++) await checker.check(wrong)
  await t.rejects(checker.check(right), tooMany)
})

t.test('a changed password is not believed', async t => {
  const { checker, holder } = await openChecker()
  const right = { holder, account: 'jo', password: 'right', peer }
  t.equal(await checker.check(right), true)
  const changed = { ...holder, secretHash: await hashPassword('new', cheapCost) }
  t.equal(await checker.check({ ...right, holder: changed }), false)
})

t.test('side by side no more tries are taken than one by one', async t => {
  const { checker, holder } = await openChecker()
  const wrong = { holder, account: 'jo', password: 'wrong', peer }
  const results = await Promise.allSettled(Array.from({ length: 30 }, () => checker.check(wrong)))
  t.equal(results.filter(({ status }) => status === 'fulfilled').length, 10)
})

t.test('what waits for its turn is bounded, and what is turned away is not counted', async t => {
  const { checker, holder, clock } = await openChecker()
  const attempts = Array.from({ length: 60 }, (_, i) =>
    checker.check({ holder, account: 'jo', password: 'right', peer: `198.51.100.${i}` }),
  )
  const results = await Promise.allSettled(attempts)
  const passed = results.filter(({ status }) => status === 'fulfilled').length
  t.equal(passed, 34, 'two at work and 32 waiting')
  clock.advanceMillis(5 * 60_000)
  t.equal(await checker.check({ holder, account: 'jo', password: 'right', peer }), true)
})

t.test('names that strangers invent take the same memory, however long they are', async t => {
  const { checker } = await openChecker()
  const count = 300
  const octets = 60_000
  const tryAll = async (length: number, firstPeer: string) => {
    for (let i = 0; i < count; i++) {
      const account = `${i}`.padEnd(length, 'x')
      const attempt = { holder: undefined, account, password: 'x' }
      await checker.check({ ...attempt, peer: `${firstPeer}.${i % 250}` })
    }
    collectGarbage()
    return process.memoryUsage().heapUsed
  }
  const before = await tryAll(10, '198.51.100')
  const after = await tryAll(octets, '203.0.113')
  t.ok(after - before < (count * octets) / 4, `${after - before} octets for ${count} names`)
})
