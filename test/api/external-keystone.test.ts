import t, { type Test } from 'tap'
import { createApi } from '../../src/api/server.ts'
import { KeystoneAuthenticator } from '../../src/identity/keystone/keystone-authenticator.ts'
import { startApi, type TestApi, testAdminPassword } from '../helpers/api.ts'
import { ApiClient } from '../helpers/api-client.ts'
import { callIdentity } from '../helpers/identity-calls.ts'
import { silentLogger } from '../helpers/log.ts'
import { thingMounts } from '../helpers/things.ts'

// One server whose tokens are another's: our own identity service as the external Keystone of a second server.

const account = { user: 'admin', password: testAdminPassword, project: 'admin', domain: 'Default' }

/** A server that knows nobody itself. */
async function startSecond(t: Test, first: TestApi, withAccount: 'account' | 'no account') {
  const url = `${first.url}/identity`
  const api = createApi({
    identity: new KeystoneAuthenticator({
      clock: first.clock,
      url,
      account: withAccount === 'account' ? account : undefined,
      administrator: first.identity.administrator,
      onChange: () => undefined,
    }),
    keystoneUrl: url,
    mounts: thingMounts(),
    logger: silentLogger,
  })
  const { host, port } = await api.listen({ host: '127.0.0.1', port: 0 })
  t.teardown(() => api.close({ deadlineMs: 1_000 }))
  return new ApiClient(`http://${host}:${port}`)
}

for (const withAccount of ['account', 'no account'] as const) {
  t.test(`a token of one server opens another (${withAccount})`, async t => {
    const first = await startApi(t)
    const second = await startSecond(t, first, withAccount)
    const member = await first.clientOf({ project: 'alpha' })
    const { status, body } = await second.with(member.headers).get('/v2/things/x')
    t.equal(status, 200)
    t.match(body.caller, { projectId: 'alpha', roles: ['member', 'reader'] })
  })

  t.test(`a token that was taken back closes it within a minute (${withAccount})`, async t => {
    const first = await startApi(t)
    const second = await startSecond(t, first, withAccount)
    const { headers } = await first.clientOf({ project: 'alpha' })
    const client = second.with(headers)
    t.equal((await client.get('/v2/things/x')).status, 200)
    const bearer = first.anonymous.with({
      ...headers,
      'x-subject-token': headers['x-auth-token'] ?? '',
    })
    t.equal((await callIdentity(bearer, 'DELETE /auth/tokens')).status, 204)
    first.clock.advanceMillis(60_000)
    t.equal((await client.get('/v2/things/x')).status, 401)
  })
}

t.test('who is not known is told where to log in', async t => {
  const first = await startApi(t)
  const second = await startSecond(t, first, 'no account')
  const { status, headers } = await second.with({ 'x-auth-token': 'x' }).get('/v2/things/x')
  t.equal(status, 401)
  t.equal(headers.get('www-authenticate'), `Keystone uri="${first.url}/identity"`)
})

t.test('a Keystone that is away is told clearly', async t => {
  const first = await startApi(t)
  const second = await startSecond(t, first, 'no account')
  await first.close()
  const { status, headers, body } = await second.with({ 'x-auth-token': 'x' }).get('/v2/things/x')
  t.equal(status, 503)
  t.equal(headers.get('retry-after'), '1')
  t.match(body, { code: 503, type: 'keystone_communication_failure', request_id: String })
})
