import type { Test } from 'tap'
import t from 'tap'
import type { Answer } from '../../helpers/api-client.ts'
import { callIdentity, create, startIdentityApi } from '../../helpers/identity-calls.ts'
import { passcodeAt, totpSecret } from '../../helpers/passcodes.ts'

const password = 'correct horse'

/** A user with a password, who can log in with and without a passcode. */
async function startWithUser(t: Test) {
  const api = await startIdentityApi(t)
  const { admin, anonymous, clock } = api
  const user = await create(admin, '/users', { user: { name: 'jo', password } })
  const logIn = (passcode?: string) =>
    anonymous.post('/identity/v3/auth/tokens', {
      auth: {
        identity: {
          methods: passcode === undefined ? ['password'] : ['password', 'totp'],
          password: { user: { id: user.id, password } },
          ...(passcode !== undefined && { totp: { user: { id: user.id, passcode } } }),
        },
      },
    })
  const tokenOf = ({ headers }: Answer) => headers.get('x-subject-token') ?? ''
  const path = `/identity/v3/users/${user.id}/totp`
  const call = (method: string, token: string, body?: unknown) =>
    anonymous.call(method, path, { headers: { 'x-auth-token': token }, body })
  const enrol = async () => {
    const passcode = passcodeAt(clock.nowMillis())
    const token = tokenOf(await logIn())
    const answer = await call('PUT', token, { totp: { secret: totpSecret, passcode } })
    return { token, answer, codes: answer.body.totp?.recovery_codes as string[] }
  }
  const next = () => {
    clock.advanceMillis(30_000)
    return passcodeAt(clock.nowMillis())
  }
  return { ...api, user, logIn, tokenOf, call, enrol, next }
}

t.test('a login asks for a passcode once its user has set that up', async t => {
  const { logIn, tokenOf, call, enrol, next } = await startWithUser(t)
  const before = await call('GET', tokenOf(await logIn()))
  t.same(before.body, { totp: { enabled: false, recovery_codes_left: 0 } })
  const { answer, token } = await enrol()
  t.equal(answer.status, 200)
  t.equal(answer.body.totp.recovery_codes.length, 8)
  t.equal((await call('GET', token)).status, 401, 'tokens of before have ended')

  const half = await logIn()
  t.equal(half.status, 401)
  t.same(half.body.required_auth_methods, [['password', 'totp']])
  const passcode = next()
  const whole = await logIn(passcode)
  t.equal(whole.status, 201)
  t.same(whole.body.token.methods, ['password', 'totp'])
  const state = await call('GET', tokenOf(whole))
  t.same(state.body, { totp: { enabled: true, recovery_codes_left: 8 } })

  t.equal((await logIn(passcode)).status, 401, 'no passcode is taken twice')
  t.equal((await logIn(next())).status, 201)
})

t.test('a wrong passcode, or a right one alone, lets nobody in', async t => {
  const { anonymous, user, logIn, enrol, next } = await startWithUser(t)
  await enrol()
  const passcode = next()
  const alone = await anonymous.post('/identity/v3/auth/tokens', {
    auth: { identity: { methods: ['totp'], totp: { user: { id: user.id, passcode } } } },
  })
  t.equal(alone.status, 401)
  for (const wrong of ['', 'nothing', '000000x', passcodeAt(0)])
    t.equal((await logIn(wrong)).status, 401, wrong)
  t.equal((await logIn(passcode)).status, 201)
})

t.test('passcodes can be guessed at a few times only, also from elsewhere', async t => {
  const { logIn, enrol, next, clock } = await startWithUser(t)
  await enrol()
  for (let i = 0; i < 5; i += 1) t.equal((await logIn('wrong')).status, 401)
  const passcode = next()
  const refused = await logIn(passcode)
  t.equal(refused.status, 429)
  t.ok(Number(refused.headers.get('retry-after')) > 0)
  clock.advanceMillis(60_000)
  t.equal((await logIn(passcodeAt(clock.nowMillis()))).status, 201)
})

t.test('a recovery code is good for one login', async t => {
  const { logIn, enrol, call, tokenOf } = await startWithUser(t)
  const { codes } = await enrol()
  const [code = ''] = codes
  const first = await logIn(code.toUpperCase().replace('-', ' '))
  t.equal(first.status, 201)
  t.equal((await logIn(code)).status, 401)
  t.match((await call('GET', tokenOf(first))).body, { totp: { recovery_codes_left: 7 } })
})

t.test('HTTP Basic has no place for a passcode; application credentials need none', async t => {
  const { admin, anonymous, user, logIn, enrol, next, tokenOf } = await startWithUser(t)
  const { roles } = (await callIdentity(admin, 'GET /roles?name=member')).body
  const grant = `PUT /projects/alpha/users/${user.id}/roles/${roles[0].id}`
  t.equal((await callIdentity(admin, grant)).status, 204)
  await enrol()
  const basic = (name: string, secret: string) => ({
    authorization: `Basic ${Buffer.from(`${name}:${secret}`).toString('base64')}`,
  })
  const path = '/identity/v3/auth/projects'
  const shut = await anonymous.call('GET', path, { headers: basic('jo', password) })
  t.equal(shut.status, 401)
  const token = tokenOf(await logIn(next()))
  const scoped = await anonymous.post('/identity/v3/auth/tokens', {
    auth: {
      identity: { methods: ['token'], token: { id: token } },
      scope: { project: { id: 'alpha' } },
    },
  })
  const headers = { 'x-auth-token': tokenOf(scoped) }
  const credentials = `/identity/v3/users/${user.id}/application_credentials`
  const body = { application_credential: { name: 'program' } }
  const { application_credential: made } = (
    await anonymous.call('POST', credentials, { headers, body })
  ).body
  const open = await anonymous.call('GET', path, { headers: basic(made.id, made.secret) })
  t.equal(open.status, 200)
  const removed = await anonymous.call('DELETE', `/identity/v3/users/${user.id}/totp`, {
    headers: basic(made.id, made.secret),
  })
  t.equal(removed.status, 403, 'and do not take it away')
})

t.test('what does not fit is refused, and an administrator takes a lost one away', async t => {
  const { admin, memberClient, user, logIn, enrol, call, tokenOf, clock } = await startWithUser(t)
  const token = tokenOf(await logIn())
  const passcode = passcodeAt(clock.nowMillis())
  for (const totp of [
    { secret: totpSecret, passcode: '000000' },
    { secret: 'JBSWY3DP', passcode },
    { secret: 'not base32', passcode },
  ])
    t.equal((await call('PUT', token, { totp })).status, 400)
  const totp = { secret: totpSecret, passcode }
  const path = `/users/${user.id}/totp`
  t.equal((await callIdentity(memberClient, `PUT ${path}`, { totp })).status, 403)
  t.equal((await callIdentity(admin, `PUT ${path}`, { totp })).status, 403)
  await enrol()
  t.equal((await callIdentity(memberClient, `DELETE ${path}`)).status, 403)
  t.equal((await callIdentity(admin, `DELETE ${path}`)).status, 204)
  t.equal((await logIn()).status, 201)
})
