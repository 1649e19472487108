import { createHash } from 'node:crypto'
import t, { type Test } from 'tap'
import { startApi, type TestApiOptions } from '../../helpers/api.ts'
import type { Answer } from '../../helpers/api-client.ts'
import { fakeClock } from '../../helpers/clock.ts'
import { callIdentity } from '../../helpers/identity-calls.ts'
import { openMemoryStore } from '../../helpers/memory-store.ts'
import { startOpenidProvider } from '../../helpers/openid-provider.ts'

const verifier = 'a-verifier-of-the-tests-that-is-long-enough-to-be-one'

type Options = TestApiOptions & { readonly rolesClaim?: string }

/** A server that leaves logins to a provider, and one login by it. */
async function start(t: Test, { rolesClaim = 'roles', ...options } = {} as Options) {
  const provider = await startOpenidProvider(t)
  const { issuer } = provider
  const openid = { issuer, clientId: 'zonewright', clientSecret: 'secret', rolesClaim }
  const api = await startApi(t, { ...options, openid })
  const codeFor = async (nonce: string) => {
    const { body } = await callIdentity(api.anonymous, 'GET /auth/openid')
    const { authorization_endpoint, client_id, scope, redirect_uri } = body.openid
    const url = new URL(authorization_endpoint)
    const challenge = createHash('sha256').update(verifier).digest('base64url')
    const asked = { client_id, scope, redirect_uri, nonce, code_challenge: challenge }
    const fixed = { response_type: 'code', state: 'state', code_challenge_method: 'S256' }
    url.search = new URLSearchParams({ ...asked, ...fixed }).toString()
    return (await provider.visit(url)).get('code') ?? ''
  }
  const exchange = (openidProof: object) =>
    callIdentity(api.anonymous, 'POST /auth/tokens', {
      auth: { identity: { methods: ['openid'], openid: openidProof } },
    })
  const logIn = async () =>
    exchange({ code: await codeFor('nonce'), code_verifier: verifier, nonce: 'nonce' })
  const projectsOf = async (login: Answer) => {
    const headers = { 'x-auth-token': login.headers.get('x-subject-token') ?? '' }
    const { body } = await api.anonymous.call('GET', '/identity/v3/auth/projects', { headers })
    return body.projects.map(({ name }: { name: string }) => name)
  }
  return { ...api, provider, codeFor, exchange, logIn, projectsOf }
}

t.test('who comes back from the provider has the roles that its token says', async t => {
  const { admin, provider, logIn, projectsOf } = await start(t)
  await callIdentity(admin, 'POST /projects', { project: { name: 'web' } })
  await callIdentity(admin, 'POST /projects', { project: { name: 'membe' } })
  provider.claims.roles = [
    'member',
    'web:member',
    'Web:Member',
    'nowhere:member',
    'web:nothing',
    'no role',
    7,
  ]
  const first = await logIn()
  t.equal(first.status, 201, first.text)
  t.match(first.body.token, {
    methods: ['openid'],
    user: { name: 'jo', domain: { id: 'openid' } },
  })
  t.same(await projectsOf(first), ['web'])

  provider.claims = { sub: 'one', preferred_username: 'joe', roles: [] }
  const second = await logIn()
  t.equal(second.body.token.user.id, first.body.token.user.id, 'the same user by another name')
  t.equal(second.body.token.user.name, 'joe')
  t.same(await projectsOf(first), [], 'what is not said any more is taken away')

  provider.claims = { sub: 'two', preferred_username: 'joe' }
  const other = await logIn()
  t.not(other.body.token.user.id, first.body.token.user.id)
  await callIdentity(admin, `PATCH /users/${other.body.token.user.id}`, {
    user: { enabled: false },
  })
  t.equal((await logIn()).status, 401, 'who is disabled here stays outside')
})

t.test('nobody becomes a user of this server by a name', async t => {
  const { provider, logIn } = await start(t)
  provider.claims = { sub: 'three', preferred_username: 'admin' }
  const { body } = await logIn()
  t.match(body.token.user, { name: 'admin', domain: { id: 'openid' } })
  t.equal(body.token.project, undefined)
})

t.test('what is not the provider’s, or is not for this login, lets nobody in', async t => {
  const { provider, codeFor, exchange, logIn } = await start(t)
  const proof = async () => ({ code: await codeFor('n'), code_verifier: verifier, nonce: 'n' })
  const another = `${verifier}-of-somebody-else`
  t.equal((await exchange({ ...(await proof()), code: 'made up' })).status, 401, 'code')
  t.equal((await exchange({ ...(await proof()), code_verifier: another })).status, 401, 'verifier')
  t.equal((await exchange({ ...(await proof()), nonce: 'another' })).status, 401, 'nonce')
  const used = await proof()
  t.equal((await exchange(used)).status, 201)
  t.equal((await exchange(used)).status, 401, 'a code is good once')
  for (const wrong of [{ aud: 'another' }, { iss: 'https://example.com' }, { exp: 1 }]) {
    provider.claims = { sub: 'one', ...wrong }
    t.equal((await logIn()).status, 401, JSON.stringify(wrong))
  }
  provider.claims = { sub: 'one' }
  provider.isForged = true
  t.equal((await logIn()).status, 401, 'signature')
})

t.test('made-up codes are not all asked for', async t => {
  const { exchange, clock } = await start(t)
  const guess = { code: 'made up', code_verifier: verifier, nonce: 'n' }
  for (let i = 0; i < 20; i += 1) t.equal((await exchange(guess)).status, 401)
  t.equal((await exchange(guess)).status, 429)
  clock.advanceMillis(5_000)
  t.equal((await exchange(guess)).status, 401)
})

t.test('a provider that is away is no failure of those who log in', async t => {
  const { provider, codeFor, exchange, logIn } = await start(t)
  const code = await codeFor('n')
  provider.isAway = true
  const proof = { code, code_verifier: verifier, nonce: 'n' }
  for (let i = 0; i < 25; i += 1) {
    const { status, headers } = await exchange(proof)
    t.same([status, headers.get('retry-after')], [503, '5'])
  }
  provider.isAway = false
  t.equal((await logIn()).status, 201)
})

t.test('where the store takes no changes, those log in of whom nothing has changed', async t => {
  const clock = fakeClock()
  let isFull = false
  const whileAppending = async () => {
    if (isFull) throw new Error('no room')
  }
  const store = openMemoryStore({ clock, whileAppending })
  const { admin, provider, logIn, projectsOf } = await start(t, { clock, store })
  await callIdentity(admin, 'POST /projects', { project: { name: 'web' } })
  provider.claims.roles = ['web:member']
  t.equal((await logIn()).status, 201)
  isFull = true
  t.same(await projectsOf(await logIn()), ['web'])
  for (const change of [{ roles: ['web:reader'] }, { preferred_username: 'x' }, { sub: 'new' }]) {
    provider.claims = { sub: 'one', preferred_username: 'jo', roles: ['web:member'], ...change }
    t.equal((await logIn()).status, 503, JSON.stringify(change))
  }
})

t.test('a claim of roles may have dots in its name, and be within objects', async t => {
  const roles = ['web:member']
  const rows: readonly [string, object][] = [
    ['roles', { roles }],
    ['realm_access.roles', { realm_access: { roles } }],
    ['https://example.com/roles', { 'https://example.com/roles': roles }],
    ['a.b.c.d', { a: { b: 1 }, 'a.b': { 'c.d': roles } }],
    ['a.b', { 'a.b': roles, a: { b: [] } }],
  ]
  for (const [rolesClaim, claims] of rows) {
    const { admin, provider, logIn, projectsOf } = await start(t, { rolesClaim })
    await callIdentity(admin, 'POST /projects', { project: { name: 'web' } })
    provider.claims = { sub: 'one', ...claims }
    t.same(await projectsOf(await logIn()), ['web'], rolesClaim)
  }
  const { provider, logIn } = await start(t, { rolesClaim: 'constructor.name' })
  provider.claims = { sub: 'one' }
  t.equal((await logIn()).status, 201)
})

t.test(
  'without a provider nobody logs in by one, and one that is away is no fault of theirs',
  async t => {
    const { anonymous } = await startApi(t)
    t.same((await callIdentity(anonymous, 'GET /auth/openid')).body, { openid: null })
    const proof = { code: 'c', code_verifier: verifier, nonce: 'n' }
    const identity = { methods: ['openid'], openid: proof }
    const refused = await callIdentity(anonymous, 'POST /auth/tokens', { auth: { identity } })
    t.equal(refused.status, 401)

    // A server of HTTP that is no provider.
    const { url: issuer } = await startApi(t)
    const openid = { issuer, clientId: 'a', clientSecret: undefined, rolesClaim: 'roles' }
    const waiting = await startApi(t, { openid })
    const answer = await callIdentity(waiting.anonymous, 'GET /auth/openid')
    t.equal(answer.status, 503)
    t.equal(answer.headers.get('retry-after'), '5')
  },
)
