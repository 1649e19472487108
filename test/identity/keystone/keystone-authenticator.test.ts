import t, { type Test } from 'tap'
import { FixedAdministrator } from '../../../src/identity/administrator.ts'
import { bootstrapIdentity } from '../../../src/identity/bootstrap.ts'
import { KeystoneAuthenticator } from '../../../src/identity/keystone/keystone-authenticator.ts'
import { cheapCost } from '../../helpers/cheap-cost.ts'
import { fakeClock } from '../../helpers/clock.ts'
import { openMemoryStore } from '../../helpers/memory-store.ts'
import {
  type KeystoneAnswer,
  type KeystoneScript,
  scriptedKeystone,
  tokenBody,
} from '../../helpers/scripted-keystone.ts'

const knowsGood: KeystoneScript = ({ subject }) =>
  subject?.startsWith('good') ? { status: 200, body: tokenBody() } : { status: 401, body: {} }

const unauthorized = { name: 'ApiError', type: 'unauthorized' }
const unavailable = { name: 'ApiError', type: 'keystone_communication_failure' }

async function open(t: Test, script: KeystoneScript = knowsGood) {
  const clock = fakeClock()
  const keystone = await scriptedKeystone(t, script)
  const store = openMemoryStore({ clock })
  await bootstrapIdentity(store, { adminPassword: 'given', cost: cheapCost })
  const changes: string[] = []
  const authenticator = new KeystoneAuthenticator({
    clock,
    url: keystone.url,
    account: undefined,
    administrator: new FixedAdministrator({ store, adminToken: 'fixed', allowsNoAuth: true }),
    onChange: ({ kind }) => changes.push(kind),
  })
  const withToken = (token: string | undefined, peer = '192.0.2.1') =>
    authenticator.authenticate({ token, authorization: undefined, peer, isLocal: false })
  return { clock, keystone, authenticator, withToken, changes }
}

t.test('a token is asked about once and believed for a minute', async t => {
  const { withToken, keystone, clock } = await open(t)
  for (let i = 0; i < 3; i++) t.equal((await withToken('good')).user.name, 'jo')
  t.equal(keystone.requests.length, 1)
  clock.advanceMillis(59_999)
  await withToken('good')
  t.equal(keystone.requests.length, 1)
  clock.advanceMillis(1)
  await withToken('good')
  t.equal(keystone.requests.length, 2)
})

t.test('a token that was taken back is served for a minute at most', async t => {
  const { withToken, keystone, clock } = await open(t)
  await withToken('good')
  keystone.script = () => ({ status: 401, body: {} })
  await withToken('good')
  clock.advanceMillis(60_000)
  await t.rejects(withToken('good'), unauthorized)
})

t.test('a token is not believed beyond its end', async t => {
  const { withToken, keystone, clock } = await open(t, () => ({
    status: 200,
    body: tokenBody({}, 30_000),
  }))
  await withToken('good')
  clock.advanceMillis(30_000)
  await t.rejects(withToken('good'), unauthorized)
  t.equal(keystone.requests.length, 2)
})

t.test('a token that Keystone does not take is not asked about again for a moment', async t => {
  const { withToken, keystone, clock } = await open(t)
  for (let i = 0; i < 3; i++) await t.rejects(withToken('bad'), unauthorized)
  t.equal(keystone.requests.length, 1)
  clock.advanceMillis(10_000)
  await t.rejects(withToken('bad'), unauthorized)
  t.equal(keystone.requests.length, 2)
})

t.test('all who show a token at the same time cost one question', async t => {
  const { withToken, keystone } = await open(t)
  const principals = await Promise.all(Array.from({ length: 50 }, () => withToken('good')))
  t.equal(principals.length, 50)
  t.equal(keystone.requests.length, 1)
})

t.test('questions of a client are bounded, and leave room for others', async t => {
  const { promise: answered, resolve: answerAll } = Promise.withResolvers<KeystoneAnswer>()
  const { withToken } = await open(t, () => answered)
  const asked = Array.from({ length: 64 }, (_, i) => withToken(`good ${i}`))
  await t.rejects(withToken('good, but one more'), { ...unavailable, retryAfterSeconds: 1 })
  const another = withToken('good, of another client', '198.51.100.1')
  answerAll({ status: 200, body: tokenBody() })
  t.equal((await another).user.name, 'jo')
  t.equal((await Promise.all(asked)).length, 64)
  t.ok(await withToken('good, but one more'))
})

t.test('a Keystone that does not answer is 503, and after five times not asked', async t => {
  const { withToken, keystone, clock, changes } = await open(t)
  await withToken('good')
  keystone.script = () => ({ status: 500, body: {} })
  for (let i = 0; i < 5; i++) await t.rejects(withToken(`x${i}`), unavailable)
  t.strictSame(changes, ['opened'])
  const askedCount = keystone.requests.length
  await t.rejects(withToken('y'), { ...unavailable, retryAfterSeconds: 5 })
  t.equal(keystone.requests.length, askedCount)
  t.ok(await withToken('good'), 'what is known is served on')
  keystone.script = knowsGood
  clock.advanceMillis(5_000)
  t.ok(await withToken('good too'))
  t.strictSame(changes, ['opened', 'closed'])
})

t.test('a failure is not remembered', async t => {
  const { withToken, keystone } = await open(t, () => 'hang up')
  await t.rejects(withToken('good'), unavailable)
  keystone.script = knowsGood
  t.ok(await withToken('good'))
})

t.test('those who need no account are not asked about', async t => {
  const { authenticator, withToken, keystone } = await open(t)
  t.match((await withToken('fixed')).scope?.roles, [{ name: 'admin' }])
  const local = { token: 'notused', authorization: undefined, peer: '', isLocal: true }
  t.match((await authenticator.authenticate(local)).scope?.roles, [{ name: 'admin' }])
  t.equal(keystone.requests.length, 0)
})

t.test('a password is no way in', async t => {
  const { authenticator, withToken, keystone } = await open(t)
  const authorization = `Basic ${Buffer.from('admin:given').toString('base64')}`
  const credentials = { token: undefined, authorization, peer: '', isLocal: false }
  await t.rejects(authenticator.authenticate(credentials), unauthorized)
  await t.rejects(withToken(undefined), unauthorized)
  t.equal(keystone.requests.length, 0)
})
