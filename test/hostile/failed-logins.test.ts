import { PassThrough } from 'node:stream'
import t from 'tap'
import { PasswordChecker } from '../../src/identity/password-checker.ts'
import { PasswordHasher } from '../../src/identity/password-hasher.ts'
import { hashPassword } from '../../src/identity/passwords.ts'
import { createLogger } from '../../src/log.ts'
import { cheapCost } from '../helpers/cheap-cost.ts'
import { fakeClock } from '../helpers/clock.ts'
import { startWholeServer } from '../helpers/whole-server.ts'

// A stranger who guesses from the address of others: he must lock out nobody but the account that he guesses at.

const peer = '192.0.2.1'
const tooMany = { name: 'ApiError', type: 'too_many_requests' }

async function openChecker() {
  const clock = fakeClock()
  const waits: number[] = []
  const wait = async (millis: number) => void waits.push(millis)
  const checker = new PasswordChecker({ clock, hasher: new PasswordHasher(cheapCost), wait })
  const secretHash = await hashPassword('right', cheapCost)
  const account = (name: string) => ({ holder: { id: name, secretHash }, account: name, peer })
  return { checker, clock, account, waits }
}

async function exhaust(checker: PasswordChecker): Promise<void> {
  for (let i = 0; i < 100; i++) {
    const made = { holder: undefined, account: `made up ${i}`, password: 'x', peer }
    await checker.check(made)
  }
}

t.test('made-up names lock no account out at their address', async t => {
  const { checker, account } = await openChecker()
  await exhaust(checker)
  const made = { holder: undefined, account: 'one more', password: 'x', peer }
  await t.rejects(checker.check(made), tooMany)
  for (let i = 0; i < 200; i++)
    t.equal(await checker.check({ ...account(`user ${i}`), password: 'right' }), true)
})

t.test('what is kept for them is no further budget of guesses', async t => {
  const { checker, account } = await openChecker()
  await exhaust(checker)
  const guess = { ...account('jo'), password: 'wrong' }
  await t.rejects(checker.check(guess), tooMany)
  await t.rejects(checker.check({ ...guess, password: 'right' }), tooMany, 'it has a failure now')
  for (let i = 0; i < 49; i++)
    await t.rejects(checker.check({ ...account(`user ${i}`), password: 'wrong' }), tooMany)
  await t.rejects(checker.check({ ...account('ann'), password: 'right' }), tooMany, 'all is spent')
})

t.test('a refusal takes as long for a name that is nobody’s as for one that is', async t => {
  const { checker, account, waits } = await openChecker()
  await exhaust(checker)
  t.same(waits, [])
  await t.rejects(checker.check({ ...account('jo'), password: 'wrong' }), tooMany)
  await t.rejects(checker.check({ ...account('jo'), holder: undefined, password: 'x' }), tooMany)
  await t.rejects(checker.check({ ...account('no'), holder: undefined, password: 'x' }), tooMany)
  t.same(waits, [1_000, 1_000, 1_000])
})

t.test('one network does not have all turns', async t => {
  const { checker, account } = await openChecker()
  const guess = (i: number) =>
    checker.check({ holder: undefined, account: `made up ${i}`, password: 'x', peer })
  const guesses = Promise.allSettled(Array.from({ length: 60 }, (_, i) => guess(i)))
  const other = { ...account('jo'), password: 'right', peer: '198.51.100.1' }
  t.equal(await checker.check(other), true)
  const taken = (await guesses).filter(({ status }) => status === 'fulfilled')
  t.ok(taken.length <= 10, `${taken.length} taken`)
})

t.test(
  'who is behind a proxy is distinguished only where the setting trusts the proxy',
  async t => {
    const rows: readonly [Record<string, string>, string][] = [
      [{ ZONEWRIGHT_TRUSTED_PROXIES: 'loopback' }, '192.0.2.7'],
      [{ ZONEWRIGHT_TRUSTED_PROXIES: '198.51.100.1' }, '127.0.0.1'],
      [{}, '127.0.0.1'],
    ]
    const folders = t.testdir({ 0: {}, 1: {}, 2: {} })
    for (const [i, [environment, expected]] of rows.entries()) {
      const stream = new PassThrough()
      const { anonymous } = await startWholeServer(t, {
        dataDirectory: `${folders}/${i}`,
        environment,
        logger: createLogger({ level: 'warn', stream }),
      })
      const authorization = `Basic ${Buffer.from('jo:wrong').toString('base64')}`
      const client = anonymous.with({ authorization, 'x-forwarded-for': '192.0.2.7' })
      t.equal((await client.get('/v2/zones')).status, 401)
      const lines = String(stream.read()).split('\n')
      const failed = lines.find(line => line.includes('login failed')) ?? '{}'
      t.match(JSON.parse(failed), { account: 'jo', peer: expected }, JSON.stringify(environment))
    }
  },
)
