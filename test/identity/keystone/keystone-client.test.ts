import t, { type Test } from 'tap'
import { KeystoneClient } from '../../../src/identity/keystone/keystone-client.ts'
import { fakeClock } from '../../helpers/clock.ts'
import {
  type KeystoneAnswer,
  type KeystoneScript,
  scriptedKeystone,
  tokenBody,
} from '../../helpers/scripted-keystone.ts'

const account = { user: 'designate', password: 'secret', project: 'service', domain: 'Default' }
const failure = { name: 'KeystoneFailure' }

/** Knows the token `good`; logs `designate` in with tokens `s1`, `s2`, …, and takes the last one only. */
function keystoneWithAccount(): KeystoneScript {
  let loginCount = 0
  return ({ call, bearer, subject }) => {
    if (call === 'POST /v3/auth/tokens') {
      loginCount += 1
      return { status: 201, body: tokenBody(), headers: { 'x-subject-token': `s${loginCount}` } }
    }
    if (bearer !== `s${loginCount}`) return { status: 401, body: {} }
    return subject === 'good' ? { status: 200, body: tokenBody() } : { status: 404, body: {} }
  }
}

async function open(t: Test, script: KeystoneScript, path = '') {
  const clock = fakeClock()
  const keystone = await scriptedKeystone(t, script)
  const url = keystone.url + path
  return {
    clock,
    keystone,
    alone: new KeystoneClient({ clock, url, account: undefined }),
    client: new KeystoneClient({ clock, url, account }),
  }
}

t.test('a token validates itself where there is no account', async t => {
  const { alone, keystone } = await open(t, ({ bearer, subject }) =>
    bearer === 'good' && subject === 'good'
      ? { status: 200, body: tokenBody() }
      : { status: 401, body: {} },
  )
  t.equal((await alone.validate('good'))?.principal.user.name, 'jo')
  t.equal(await alone.validate('bad'), undefined)
  t.match(keystone.requests, [{ call: 'GET /v3/auth/tokens' }, { call: 'GET /v3/auth/tokens' }])
})

t.test('an account logs in once, and in time before its token ends', async t => {
  const { client, keystone, clock } = await open(t, keystoneWithAccount())
  t.equal((await client.validate('good'))?.principal.user.name, 'jo')
  t.equal(await client.validate('bad'), undefined)
  t.match(keystone.requests[0]?.body.auth, {
    identity: {
      methods: ['password'],
      password: { user: { name: 'designate', domain: { name: 'Default' }, password: 'secret' } },
    },
    scope: { project: { name: 'service', domain: { name: 'Default' } } },
  })
  const logins = () => keystone.requests.filter(({ call }) => call.startsWith('POST')).length
  t.equal(logins(), 1)
  clock.advanceMillis(3_600_000 - 60_000)
  await client.validate('good')
  t.equal(logins(), 2)
})

t.test('those who ask at the same time wait for the same login', async t => {
  const { client, keystone } = await open(t, keystoneWithAccount())
  await Promise.all(['good', 'bad', 'good'].map(token => client.validate(token)))
  t.equal(keystone.requests.filter(({ call }) => call.startsWith('POST')).length, 1)
})

t.test('an account whose token was taken back logs in again, and once only', async t => {
  const { client, keystone } = await open(t, keystoneWithAccount())
  await client.validate('good')
  keystone.script = keystoneWithAccount()
  t.ok(await client.validate('good'))
  keystone.script = ({ call }) =>
    call.startsWith('POST')
      ? { status: 201, body: tokenBody(), headers: { 'x-subject-token': 's' } }
      : { status: 401, body: {} }
  await t.rejects(client.validate('good'), failure)
  t.equal(keystone.requests.at(-1)?.bearer, 's')
})

t.test('the address may name the version', async t => {
  for (const path of ['', '/', '/v3', '/v3/']) {
    const { alone, keystone } = await open(t, () => ({ status: 200, body: tokenBody() }), path)
    t.ok(await alone.validate('good'), path)
    t.equal(keystone.requests[0]?.call, 'GET /v3/auth/tokens', path)
  }
})

const failures: readonly [rule: string, script: KeystoneScript][] = [
  ['a hung-up connection', () => 'hang up'],
  ['a server error', () => ({ status: 500, body: {} })],
  ['too many requests', () => ({ status: 429, body: {} })],
  ['a policy that lets nobody', () => ({ status: 403, body: {} })],
  ['a redirection', () => ({ status: 302, headers: { location: 'http://192.0.2.1/' } })],
  ['a page', () => ({ status: 200, body: '<html>' })],
  ['a body without an end', () => ({ status: 200, body: 'x'.repeat(300_000) })],
]

t.test('what is no answer about a token is a failure', async t => {
  for (const [rule, script] of failures) {
    const { alone, client } = await open(t, script)
    await t.rejects(alone.validate('good'), failure, rule)
    await t.rejects(client.validate('good'), failure, `${rule} with an account`)
  }
})

t.test('a wrong password of the account is a failure, and is not reported', async t => {
  const { client } = await open(t, () => ({ status: 401, body: {} }))
  await t.rejects(client.validate('good'), { ...failure, message: /designate.*401$/ })
})

t.test('a policy in the way says what to do', async t => {
  const { alone } = await open(t, () => ({ status: 403, body: {} }))
  await t.rejects(alone.validate('good'), { message: /an account is needed/ })
})

t.test('nobody at the address is a failure with its reason', async t => {
  const { keystone } = await open(t, () => 'hang up')
  const { port } = new URL(keystone.url)
  const url = `http://127.0.0.2:${port}`
  const client = new KeystoneClient({ clock: fakeClock(), url, account: undefined })
  const cause = { cause: { code: 'ECONNREFUSED' } }
  await t.rejects(client.validate('good'), { ...failure, message: /^no answer from/, cause })
})

t.test('a connection that was closed meanwhile is tried once more', async t => {
  const { alone, keystone } = await open(t, () => 'hang up')
  const answers: ('hang up' | KeystoneAnswer)[] = ['hang up', { status: 200, body: tokenBody() }]
  keystone.script = () => answers.shift() ?? 'hang up'
  t.ok(await alone.validate('good'))
  await t.rejects(alone.validate('good'), failure)
  t.equal(keystone.requests.length, 4)
})
