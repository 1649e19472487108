import t, { type Test } from 'tap'
import { identityMount } from '../../../src/api/identity/mount.ts'
import type { Route } from '../../../src/api/route.ts'
import {
  callIdentity,
  create,
  type IdentityApi,
  startIdentityApi,
} from '../../helpers/identity-calls.ts'

// Every call of the identity service by those who have no business there: nothing is done, nothing is told, and
// what exists is answered like what does not.

/** What one sees of oneself, whoever one is. */
const ownRoutes = ['GET /v3/auth/projects', 'GET /v3/auth/catalog']

const bodies: Readonly<Record<string, object>> = {
  'POST /v3/domains': { domain: { name: 'x' } },
  'PATCH /v3/domains/:domain_id': { domain: { enabled: false } },
  'POST /v3/projects': { project: { name: 'x' } },
  'PATCH /v3/projects/:project_id': { project: { enabled: false } },
  'POST /v3/users': { user: { name: 'x' } },
  'PATCH /v3/users/:user_id': { user: { enabled: false } },
  'POST /v3/roles': { role: { name: 'x' } },
  'PATCH /v3/roles/:role_id': { role: { description: 'x' } },
  'PUT /v3/users/:user_id/totp': { totp: { secret: 'x', passcode: 'x' } },
  'POST /v3/users/:user_id/application_credentials': { application_credential: { name: 'x' } },
}

type Ids = Readonly<Record<string, string>>

/** What belongs to alpha and its member, in a domain of its own. */
async function existing(api: IdentityApi): Promise<Ids> {
  const { admin, memberClient, member, store } = api
  const domain = await create(admin, '/domains', { domain: { name: 'lab' } })
  const path = `/users/${member.user.id}/application_credentials`
  const key = await create(memberClient, path, { application_credential: { name: 'key' } })
  return {
    domain_id: domain.id,
    project_id: 'alpha',
    user_id: member.user.id,
    role_id: store.find('roles', 'byName', 'member')?.id ?? '',
    application_credential_id: key.id,
  }
}

function routesOf({ identity }: IdentityApi): readonly Route[] {
  return identityMount(identity).routes.filter(({ access }) => access !== 'public')
}

function nameOf({ method, path }: Route): string {
  return `${method} ${path}`
}

function callOf({ method, path }: Route, ids: Ids): string {
  const filled = path.replaceAll(/:([a-z_]+)/g, (_, name) => ids[name] ?? 'nobody')
  return `${method} ${filled.replace('/v3', '')}`
}

/** All rows, to see that nothing has changed. */
function rowsOf({ store }: IdentityApi) {
  const names = ['domains', 'projects', 'users', 'roles', 'roleAssignments'] as const
  return [...names, 'applicationCredentials' as const].map(name => [...store.list(name, 'all', '')])
}

async function tokenOf(api: IdentityApi): Promise<string> {
  const proof = { methods: ['password'], shown: undefined } as const
  return api.identity.sessions.issue(api.member, proof).token
}

t.test('without a valid token every call is 401', async t => {
  const api = await startIdentityApi(t)
  const ids = await existing(api)
  const expired = await tokenOf(api)
  api.clock.advanceMillis(3_600_000)
  const revoked = await tokenOf(api)
  const session = api.identity.sessions.find(revoked)
  if (session === undefined) throw new Error('the token is not valid')
  await api.identity.sessions.revoke(session)
  const strangers: Readonly<Record<string, Readonly<Record<string, string>>>> = {
    'no token': {},
    'a token that is none': { 'x-auth-token': 'x' },
    'an expired token': { 'x-auth-token': expired },
    'a revoked token': { 'x-auth-token': revoked },
    'the word for no token': { 'x-auth-token': 'notused' },
    'a wrong password': { authorization: `Basic ${Buffer.from('a:b').toString('base64')}` },
    'another scheme': { authorization: 'Bearer x' },
    'headers of those who need none elsewhere': {
      'x-auth-user-id': api.member.user.id,
      'x-auth-project-id': 'alpha',
      'x-roles': 'admin',
    },
  }
  const before = rowsOf(api)
  for (const [who, headers] of Object.entries(strangers)) {
    const client = api.anonymous.with(headers)
    for (const route of routesOf(api)) {
      const answer = await callIdentity(client, callOf(route, ids), bodies[nameOf(route)])
      t.equal(answer.status, 401, `${nameOf(route)} with ${who}`)
      t.match(answer.headers.get('www-authenticate'), `${api.url}/identity`)
      // Wrong passwords are limited; here each is the first.
      api.clock.advanceMillis(10_000)
    }
  }
  t.strictSame(rowsOf(api), before)
})

async function checkStranger(t: Test, role: 'member' | 'reader'): Promise<void> {
  const api = await startIdentityApi(t)
  const ids = await existing(api)
  const stranger = await api.clientOf({ project: 'beta', role })
  const before = rowsOf(api)
  for (const route of routesOf(api)) {
    const name = nameOf(route)
    const real = await callIdentity(stranger, callOf(route, ids), bodies[name])
    const made = await callIdentity(stranger, callOf(route, {}), bodies[name])
    t.equal(real.status, ownRoutes.includes(name) ? 200 : 403, name)
    t.equal(made.text, real.text, `${name}: what exists is told like what does not`)
  }
  t.strictSame(rowsOf(api), before)
  const { body } = await callIdentity(stranger, 'GET /auth/projects')
  t.strictSame(
    body.projects.map(({ id }: { id: string }) => id),
    ['beta'],
  )
}

t.test('a member of another project gets nowhere', t => checkStranger(t, 'member'))
t.test('a reader of another project gets nowhere', t => checkStranger(t, 'reader'))

t.test('a reader changes nothing in its own project but what is its own', async t => {
  const api = await startIdentityApi(t)
  const reader = await api.clientOf({ project: 'alpha', role: 'reader' })
  const { body } = await callIdentity(reader, 'GET /auth/projects')
  t.equal(body.projects[0].id, 'alpha')
  const ids = await existing(api)
  const before = rowsOf(api)
  for (const route of routesOf(api)) {
    if (route.method === 'GET') continue
    const { status } = await callIdentity(reader, callOf(route, ids), bodies[nameOf(route)])
    t.equal(status, 403, nameOf(route))
  }
  t.strictSame(rowsOf(api), before)
})

type Own = readonly [call: string, status: number]

t.test('a member sees what is its own', async t => {
  const api = await startIdentityApi(t)
  const ids = await existing(api)
  const own: readonly Own[] = [
    [`GET /users/${ids.user_id}`, 200],
    [`GET /users/${ids.user_id}/projects`, 200],
    [`GET /users/${ids.user_id}/application_credentials`, 200],
    [`GET /users/${ids.user_id}/application_credentials/${ids.application_credential_id}`, 200],
    ['GET /projects/alpha', 200],
    ['GET /domains/default', 200],
    [`GET /projects/alpha/users/${ids.user_id}/roles`, 200],
    [`GET /projects/alpha/users/${ids.user_id}/roles/${ids.role_id}`, 204],
    [`GET /role_assignments?user.id=${ids.user_id}&include_names`, 200],
    ['GET /role_assignments', 403],
    ['GET /role_assignments?scope.project.id=alpha', 403],
    [`PATCH /users/${ids.user_id}`, 403],
    [`DELETE /users/${ids.user_id}`, 403],
  ]
  for (const [call, status] of own) {
    const body = call.startsWith('PATCH') ? { user: { email: 'a@example.com' } } : undefined
    t.equal((await callIdentity(api.memberClient, call, body)).status, status, call)
  }
})

t.test('each call with a body is tried with one', async t => {
  const api = await startIdentityApi(t)
  const withBody = routesOf(api).filter(({ bodySchema }) => bodySchema !== undefined)
  t.strictSame(withBody.map(nameOf).sort(), Object.keys(bodies).sort())
})
