import t, { type Test } from 'tap'
import { testAdminPassword } from '../../helpers/api.ts'
import type { ApiClient } from '../../helpers/api-client.ts'
import {
  callIdentity,
  checkCalls,
  create,
  type IdentityApi,
  startIdentityApi,
} from '../../helpers/identity-calls.ts'

async function start(t: Test) {
  const api = await startIdentityApi(t)
  return { ...api, path: `/users/${api.member.user.id}/application_credentials` }
}

function logInWith(application_credential: object, scope?: object) {
  const identity = { methods: ['application_credential'], application_credential }
  return { auth: { identity, ...(scope !== undefined && { scope }) } }
}

async function clientWith(api: IdentityApi, credential: object): Promise<ApiClient> {
  const answer = await callIdentity(api.anonymous, 'POST /auth/tokens', logInWith(credential))
  if (answer.status !== 201) throw new Error(`the login was answered with ${answer.text}`)
  return api.anonymous.with({ 'x-auth-token': answer.headers.get('x-subject-token') ?? '' })
}

t.test('an application credential is made, shown, listed and deleted', async t => {
  const { memberClient, member, path, url } = await start(t)
  const body = { application_credential: { name: 'deploy', description: 'Pipeline' } }
  const { secret, ...made } = await create(memberClient, path, body)
  const roles = member.scope?.roles.map(({ id, name }) => ({ id, name, domain_id: null }))
  t.strictSame(made, {
    id: made.id,
    name: 'deploy',
    description: 'Pipeline',
    user_id: member.user.id,
    project_id: 'alpha',
    roles,
    expires_at: null,
    unrestricted: false,
    links: { self: `${url}/identity/v3${path}/${made.id}` },
  })
  t.match(secret, /^[\w-]{86}$/)
  await checkCalls(t, memberClient, [
    {
      rule: 'show',
      call: `GET ${path}/${made.id}`,
      status: 200,
      answer: { application_credential: made },
    },
    { rule: 'list', call: `GET ${path}`, status: 200, answer: { application_credentials: [made] } },
    {
      rule: 'by name',
      call: `GET ${path}?name=DEPLOY`,
      status: 200,
      answer: { application_credentials: [made] },
    },
    {
      rule: 'by another',
      call: `GET ${path}?name=x`,
      status: 200,
      answer: { application_credentials: [] },
    },
  ])
  const shown = await callIdentity(memberClient, `GET ${path}/${made.id}`)
  t.notMatch(shown.text, /secret|scrypt/, 'the secret is shown once')
  await checkCalls(t, memberClient, [
    { rule: 'delete', call: `DELETE ${path}/${made.id}`, status: 204 },
    { rule: 'it is gone', call: `GET ${path}/${made.id}`, status: 404 },
  ])
})

t.test('it logs in by id or by user and name, for its project', async t => {
  const api = await start(t)
  const { memberClient, member, anonymous, path } = api
  const body = { application_credential: { name: 'deploy', secret: 'given' } }
  const { id, secret } = await create(memberClient, path, body)
  t.equal(secret, 'given')
  const { name: userName } = member.user
  const references: readonly object[] = [
    { id },
    { name: 'deploy', user: { id: member.user.id } },
    { name: 'Deploy', user: { name: userName, domain: { id: 'default' } } },
    { name: 'deploy', user: { name: userName, domain: { name: 'Default' } } },
  ]
  for (const reference of references) {
    const login = logInWith({ ...reference, secret })
    const answer = await callIdentity(anonymous, 'POST /auth/tokens', login)
    t.equal(answer.status, 201, JSON.stringify(reference))
    t.match(answer.body.token, {
      methods: ['application_credential'],
      user: { id: member.user.id },
      project: { id: 'alpha' },
      roles: [{ name: 'member' }, { name: 'reader' }],
      application_credential: { id, name: 'deploy', restricted: true },
    })
  }
})

t.test('a login with it that does not fit is 401', async t => {
  const { memberClient, member, anonymous, admin, path, clock } = await start(t)
  const made = await create(memberClient, path, { application_credential: { name: 'deploy' } })
  const { id, secret } = made
  await create(admin, '/projects', { project: { name: 'beta' } })
  const user = { id: member.user.id }
  const bodies: readonly [rule: string, body: object][] = [
    ['a wrong secret', logInWith({ id, secret: 'x' })],
    ['nobody’s id', logInWith({ id: 'x', secret })],
    ['a name without a user', logInWith({ name: 'deploy', secret })],
    ['another name', logInWith({ name: 'x', user, secret })],
    ['another user', logInWith({ name: 'deploy', user: { id: 'x' }, secret })],
    ['no credential', { auth: { identity: { methods: ['application_credential'] } } }],
    [
      'another project',
      logInWith({ id, secret }, { project: { name: 'beta', domain: { id: 'default' } } }),
    ],
    ['no project', logInWith({ id, secret }, { unscoped: {} })],
  ]
  for (const [rule, body] of bodies) {
    await checkCalls(t, anonymous, [{ rule, call: 'POST /auth/tokens', body, status: 401 }])
    clock.advanceMillis(60_000)
  }
  const own = logInWith({ id, secret }, { project: { id: 'alpha' } })
  t.equal(
    (await callIdentity(anonymous, 'POST /auth/tokens', own)).status,
    201,
    'its own may be said',
  )
})

t.test('its secret is guessed at as often as a password', async t => {
  const { memberClient, anonymous, path } = await start(t)
  const { id, secret } = await create(memberClient, path, { application_credential: { name: 'a' } })
  const statusOf = async (given: string) =>
    (await callIdentity(anonymous, 'POST /auth/tokens', logInWith({ id, secret: given }))).status
  for (let i = 0; i < 10; i++) t.equal(await statusOf('guess'), 401)
  t.equal(await statusOf(secret), 429)
})

t.test('it may be no more than its roles, and its user’s', async t => {
  const api = await start(t)
  const { memberClient, admin, store, member, path } = api
  const credential = { name: 'look', roles: [{ name: 'reader' }] }
  const made = await create(memberClient, path, { application_credential: credential })
  t.match(made.roles, [{ name: 'reader' }])
  const client = await clientWith(api, made)
  const roles = async () => {
    const [token = ''] = [client.headers['x-auth-token']]
    const { body } = await callIdentity(
      client.with({ 'x-subject-token': token }),
      'GET /auth/tokens',
    )
    return body.token.roles.map(({ name }: { name: string }) => name)
  }
  t.strictSame(await roles(), ['reader'])
  const grants = `/projects/alpha/users/${member.user.id}/roles`
  const memberRole = store.find('roles', 'byName', 'member')?.id
  await callIdentity(admin, `DELETE ${grants}/${memberRole}`)
  t.equal((await callIdentity(client, 'GET /auth/catalog')).status, 401, 'no role, no rights')
  const observer = await create(admin, '/roles', { role: { name: 'observer' } })
  await callIdentity(admin, `PUT ${grants}/${observer.id}`)
  t.equal((await callIdentity(client, 'GET /auth/catalog')).status, 401, 'nor by another one')
})

type Ending = readonly [rule: string, end: (api: IdentityApi, id: string) => Promise<unknown>]

const endings: readonly Ending[] = [
  [
    'it is deleted',
    ({ memberClient, member }, id) =>
      callIdentity(memberClient, `DELETE /users/${member.user.id}/application_credentials/${id}`),
  ],
  ['it expires', async ({ clock }) => clock.advanceMillis(600_000)],
  [
    'its user is disabled',
    ({ admin, member }) =>
      callIdentity(admin, `PATCH /users/${member.user.id}`, { user: { enabled: false } }),
  ],
  [
    'its user is deleted',
    ({ admin, member }) => callIdentity(admin, `DELETE /users/${member.user.id}`),
  ],
  ['its project is deleted', ({ admin }) => callIdentity(admin, 'DELETE /projects/alpha')],
]

t.test('it ends with its tokens when', async t => {
  for (const [rule, end] of endings) {
    const api = await start(t)
    const expires_at = '2026-11-21T12:10:00'
    const credential = { name: 'deploy', expires_at }
    const made = await create(api.memberClient, api.path, { application_credential: credential })
    t.equal(made.expires_at, '2026-11-21T12:10:00.000000Z')
    const client = await clientWith(api, made)
    t.equal((await callIdentity(client, 'GET /auth/catalog')).status, 200)
    await end(api, made.id)
    t.equal((await callIdentity(client, 'GET /auth/catalog')).status, 401, rule)
    await t.rejects(clientWith(api, made), rule)
  }
})

t.test('a new password of its user does not end it', async t => {
  const api = await start(t)
  const made = await create(api.memberClient, api.path, { application_credential: { name: 'a' } })
  const client = await clientWith(api, made)
  await callIdentity(api.admin, `PATCH /users/${api.member.user.id}`, { user: { password: 'new' } })
  t.equal((await callIdentity(api.memberClient, 'GET /auth/catalog')).status, 401)
  t.equal((await callIdentity(client, 'GET /auth/catalog')).status, 200)
})

t.test('a token got by showing its token is its token as well', async t => {
  const api = await start(t)
  const { anonymous, memberClient, path } = api
  const made = await create(memberClient, path, { application_credential: { name: 'a' } })
  const client = await clientWith(api, made)
  const token = { id: client.headers['x-auth-token'] }
  const byToken = (scope?: object) => ({
    auth: { identity: { methods: ['token'], token }, ...(scope !== undefined && { scope }) },
  })
  const { status, body, headers } = await callIdentity(anonymous, 'POST /auth/tokens', byToken())
  t.equal(status, 201)
  t.match(body.token, {
    methods: ['application_credential', 'token'],
    application_credential: { id: made.id },
    project: { id: 'alpha' },
  })
  await checkCalls(t, anonymous, [
    { rule: 'no way out', call: 'POST /auth/tokens', body: byToken({ unscoped: {} }), status: 401 },
  ])
  await callIdentity(memberClient, `DELETE ${path}/${made.id}`)
  const second = anonymous.with({ 'x-auth-token': headers.get('x-subject-token') ?? '' })
  t.equal((await callIdentity(second, 'GET /auth/catalog')).status, 401)
})

t.test('only an unrestricted one handles others', async t => {
  const api = await start(t)
  const { memberClient, path } = api
  const restricted = await create(memberClient, path, { application_credential: { name: 'a' } })
  const free = await create(memberClient, path, {
    application_credential: { name: 'b', unrestricted: true },
  })
  const body = { application_credential: { name: 'c' } }
  await checkCalls(t, await clientWith(api, restricted), [
    { rule: 'sees', call: `GET ${path}`, status: 200 },
    { rule: 'makes none', call: `POST ${path}`, body, status: 403 },
    { rule: 'deletes none', call: `DELETE ${path}/${free.id}`, status: 403 },
  ])
  await checkCalls(t, await clientWith(api, free), [
    { rule: 'makes one', call: `POST ${path}`, body, status: 201 },
    { rule: 'deletes one', call: `DELETE ${path}/${restricted.id}`, status: 204 },
  ])
})

t.test('what is wrong with an application credential is reported', async t => {
  const { memberClient, path } = await start(t)
  await create(memberClient, path, { application_credential: { name: 'taken' } })
  const bodies: readonly [rule: string, credential: object, status: number][] = [
    ['no name', {}, 400],
    ['an empty secret', { name: 'x', secret: '' }, 400],
    ['a time that is none', { name: 'x', expires_at: 'tomorrow' }, 400],
    ['a time that is over', { name: 'x', expires_at: '2026-11-21T12:00:00Z' }, 400],
    ['a role that its maker does not have', { name: 'x', roles: [{ name: 'admin' }] }, 400],
    ['a role that there is not', { name: 'x', roles: [{ id: 'x' }] }, 400],
    ['a role without a name', { name: 'x', roles: [{}] }, 400],
    ['no role at all', { name: 'x', roles: [] }, 400],
    [
      'access rules',
      { name: 'x', access_rules: [{ method: 'GET', path: '/', service: 'dns' }] },
      400,
    ],
    ['another project', { name: 'x', project_id: 'beta' }, 400],
    ['a key that is none', { name: 'x', color: 'red' }, 400],
    ['a name that is taken', { name: 'Taken' }, 409],
    [
      'all that clients send',
      { name: 'x', access_rules: null, secret: null, expires_at: null, project_id: 'alpha' },
      201,
    ],
  ]
  await checkCalls(
    t,
    memberClient,
    bodies.map(([rule, application_credential, status]) => ({
      rule,
      call: `POST ${path}`,
      body: { application_credential },
      status,
    })),
  )
})

t.test('a user has so many at most', async t => {
  const { memberClient, store, member, path } = await start(t)
  await store.commit(tx => {
    for (let i = 0; i < 200; i++)
      tx.put('applicationCredentials', {
        id: `c${i}`,
        version: 1,
        createdAt: tx.atMicros,
        updatedAt: null,
        userId: member.user.id,
        projectId: 'alpha',
        name: `c${i}`,
        description: '',
        secretHash: '',
        roleIds: [],
        expiresAt: null,
        isUnrestricted: false,
      })
  })
  const body = { application_credential: { name: 'one more' } }
  t.equal((await callIdentity(memberClient, `POST ${path}`, body)).status, 403)
})

t.test('nobody makes one for another, not even an administrator', async t => {
  const { admin, anonymous, path, store } = await start(t)
  const body = { application_credential: { name: 'x' } }
  await checkCalls(t, admin, [
    { rule: 'another’s', call: `POST ${path}`, body, status: 403 },
    { rule: 'another’s are seen', call: `GET ${path}`, status: 200 },
    { rule: 'nobody’s', call: 'GET /users/x/application_credentials', status: 404 },
  ])
  const user = { name: 'admin', domain: { id: 'default' }, password: testAdminPassword }
  const unscoped = await callIdentity(anonymous, 'POST /auth/tokens', {
    auth: { identity: { methods: ['password'], password: { user } }, scope: 'unscoped' },
  })
  const client = anonymous.with({ 'x-auth-token': unscoped.headers.get('x-subject-token') ?? '' })
  const own = `/users/${store.find('users', 'byName', 'default\nadmin')?.id}/application_credentials`
  t.equal((await callIdentity(client, `POST ${own}`, body)).status, 403, 'nor one for no project')
})
