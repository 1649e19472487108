import t from 'tap'
import { ensureMember, memberNameOf } from '../../helpers/accounts.ts'
import { startApi, type TestApi, testAdminPassword, testAdminToken } from '../../helpers/api.ts'
import { thingMounts } from '../../helpers/things.ts'

const path = '/identity/v3/auth/tokens'
const defaultDomain = { id: 'default', name: 'Default' }

const admin = { name: 'admin', domain: { id: 'default' }, password: testAdminPassword }

function byPassword(user: object, scope?: unknown) {
  return { auth: { identity: { methods: ['password'], password: { user } }, scope } }
}

function byToken(id: string, scope?: unknown) {
  return { auth: { identity: { methods: ['token'], token: { id } }, scope } }
}

async function logIn(api: TestApi, body: object = byPassword(admin)): Promise<string> {
  const { status, headers } = await api.anonymous.post(path, body)
  if (status !== 201) throw new Error(`login answered ${status}`)
  return headers.get('x-subject-token') ?? ''
}

t.test('a password gives a token, its claims and the catalog', async t => {
  const api = await startApi(t)
  const { status, headers, body } = await api.anonymous.post(path, byPassword(admin))
  t.equal(status, 201)
  t.match(headers.get('x-subject-token'), /^[A-Za-z0-9_.-]{50,254}$/)
  t.match(body.token, {
    methods: ['password'],
    user: { name: 'admin', domain: defaultDomain },
    project: { name: 'admin', domain: defaultDomain },
    is_domain: false,
    roles: [{ name: 'admin' }, { name: 'member' }, { name: 'reader' }],
    issued_at: '2026-11-21T12:00:00.000000Z',
    expires_at: '2026-11-21T13:00:00.000000Z',
    audit_ids: [String],
  })
  for (const { id } of [body.token.user, body.token.project, ...body.token.roles])
    t.match(id, /^[0-9a-f]{32}$/)
})

t.test('the catalog names each service at all its interfaces', async t => {
  const api = await startApi(t)
  const { body } = await api.anonymous.post(path, byPassword(admin))
  const urls = { dns: '/dns', rating: '/rating', identity: '/identity/v3' }
  const { catalog } = body.token
  t.same(
    catalog.map(({ type }: { type: string }) => type),
    Object.keys(urls),
  )
  for (const { type, endpoints } of catalog) {
    const url = `${api.url}${urls[type as keyof typeof urls]}`
    t.match(endpoints, [
      { interface: 'public', region: 'RegionOne', region_id: 'RegionOne', url },
      { interface: 'internal', region: 'RegionOne', region_id: 'RegionOne', url },
      { interface: 'admin', region: 'RegionOne', region_id: 'RegionOne', url },
    ])
  }
})

t.test('a client may leave the catalog out', async t => {
  const api = await startApi(t)
  const { body } = await api.anonymous.post(`${path}?nocatalog`, byPassword(admin))
  t.equal(body.token.catalog, undefined)
  t.ok(body.token.project)
})

type LoginCase = readonly [rule: string, body: (ids: { user: string; project: string }) => object]

const accepted: readonly LoginCase[] = [
  ['user by id', ({ user }) => byPassword({ id: user, password: testAdminPassword })],
  ['user by name, domain by name', () => byPassword({ ...admin, domain: { name: 'Default' } })],
  [
    'names in another case',
    () => byPassword({ ...admin, name: 'Admin', domain: { name: 'DEFAULT' } }),
  ],
  ['project by id', ({ project }) => byPassword(admin, { project: { id: project } })],
  [
    'project by name and domain',
    () => byPassword(admin, { project: { name: 'admin', domain: { id: 'default' } } }),
  ],
  ['the fixed admin token', () => byToken(testAdminToken)],
  [
    'project by name alone, of the user’s domain',
    () => byPassword(admin, { project: { name: 'admin' } }),
  ],
]

t.test('user and project may be named in every way clients know', async t => {
  const api = await startApi(t)
  const { token } = (await api.anonymous.post(path, byPassword(admin))).body
  const ids = { user: token.user.id, project: token.project.id }
  for (const [rule, body] of accepted) {
    const answer = await api.anonymous.post(path, body(ids))
    t.equal(answer.status, 201, rule)
    t.equal(answer.body.token?.project?.name, 'admin', rule)
  }
})

const refused: readonly [rule: string, body: object][] = [
  ['wrong password', byPassword({ ...admin, password: 'wrong' })],
  ['empty password', byPassword({ ...admin, password: '' })],
  ['unknown user', byPassword({ ...admin, name: 'nobody' })],
  ['unknown domain', byPassword({ ...admin, domain: { name: 'nowhere' } })],
  ['no domain', byPassword({ name: 'admin', password: testAdminPassword })],
  ['nobody at all', byPassword({ password: testAdminPassword })],
  ['unknown project', byPassword(admin, { project: { id: 'nothing' } })],
  ['a project without a role', byPassword(admin, { project: { id: 'alpha' } })],
  ['an unknown name of a project alone', byPassword(admin, { project: { name: 'nothing' } })],
  ['a domain as scope', byPassword(admin, { domain: { id: 'default' } })],
  ['the system as scope', byPassword(admin, { system: { all: true } })],
  ['a made-up token', byToken('made-up')],
  ['an unknown method', { auth: { identity: { methods: ['totp'] } } }],
  ['a method without its part', { auth: { identity: { methods: ['password'] } } }],
  [
    'one of two methods fails',
    {
      auth: {
        identity: {
          methods: ['password', 'token'],
          password: { user: admin },
          token: { id: 'made-up' },
        },
      },
    },
  ],
]

t.test('a login that does not fit is 401 in Keystone’s words', async t => {
  const api = await startApi(t)
  await ensureMember(api.store, { project: 'alpha', role: 'member' })
  for (const [rule, body] of refused) {
    const answer = await api.anonymous.post(path, body)
    t.equal(answer.status, 401, rule)
    t.match(
      answer.body,
      { error: { code: 401, type: 'unauthorized', title: 'Unauthorized', message: String } },
      rule,
    )
    t.equal(answer.headers.get('x-subject-token'), null, rule)
    api.clock.advanceMillis(60_000)
  }
})

const malformed: readonly [rule: string, body: unknown][] = [
  ['no auth', {}],
  ['no identity', { auth: {} }],
  ['no methods', { auth: { identity: {} } }],
  ['methods that are none', { auth: { identity: { methods: 'password' } } }],
  ['a password that is none', byPassword({ ...admin, password: 1 })],
  ['a scope that is none', byPassword(admin, 'everything')],
  ['no object', '[]'],
  ['no JSON', '{'],
]

t.test('a login of the wrong shape is 400 in Keystone’s envelope', async t => {
  const api = await startApi(t)
  for (const [rule, body] of malformed) {
    const answer = await api.anonymous.post(path, body)
    t.equal(answer.status, 400, rule)
    t.match(answer.body, { error: { code: 400, title: 'Bad Request', message: String } }, rule)
  }
})

t.test('a token without a project has no roles and no catalog', async t => {
  const api = await startApi(t)
  const { body } = await api.anonymous.post(path, byPassword(admin, 'unscoped'))
  for (const key of ['project', 'roles', 'catalog']) t.equal(body.token[key], undefined, key)
  const again = await api.anonymous.post(path, byPassword(admin, { unscoped: {} }))
  t.equal(again.body.token.project, undefined)
})

t.test('a token gives another one that does not outlive it', async t => {
  const api = await startApi(t)
  const first = await api.anonymous.post(path, byPassword(admin, 'unscoped'))
  const firstToken = first.headers.get('x-subject-token') ?? ''
  api.clock.advanceMillis(600_000)
  const scope = { project: { name: 'admin', domain: { id: 'default' } } }
  const second = await api.anonymous.post(path, byToken(firstToken, scope))
  t.equal(second.status, 201)
  t.match(second.body.token, {
    methods: ['password', 'token'],
    project: { name: 'admin' },
    issued_at: '2026-11-21T12:10:00.000000Z',
    expires_at: first.body.token.expires_at,
  })
  const [own, parent] = second.body.token.audit_ids
  t.not(own, parent)
  t.equal(parent, first.body.token.audit_ids[0])
})

t.test('a token opens the DNS service until it expires', async t => {
  const api = await startApi(t, { mounts: thingMounts })
  const client = api.anonymous.with({ 'x-auth-token': await logIn(api) })
  t.equal((await client.get('/v2/things/x')).status, 200)
  api.clock.advanceMillis(3_599_000)
  t.equal((await client.get('/v2/things/x')).status, 200)
  api.clock.advanceMillis(1_000)
  t.equal((await client.get('/v2/things/x')).status, 401)
})

t.test('a token outlives a restart of the server', async t => {
  const before = await startApi(t)
  const token = await logIn(before)
  await before.close()
  const { store, clock } = before
  const after = await startApi(t, { mounts: thingMounts, store, clock })
  const { status } = await after.anonymous.with({ 'x-auth-token': token }).get('/v2/things/x')
  t.equal(status, 200)
})

t.test('another server does not know the token', async t => {
  const token = await logIn(await startApi(t))
  const other = await startApi(t, { mounts: thingMounts })
  t.equal((await other.anonymous.with({ 'x-auth-token': token }).get('/v2/things/x')).status, 401)
})

t.test('GET shows the token that X-Subject-Token names', async t => {
  const api = await startApi(t)
  const { headers, body } = await api.anonymous.post(path, byPassword(admin))
  const token = headers.get('x-subject-token') ?? ''
  const client = api.anonymous.with({ 'x-auth-token': token, 'x-subject-token': token })
  const shown = await client.get(path)
  t.equal(shown.status, 200)
  t.same(shown.body, body)
  t.equal(shown.headers.get('x-subject-token'), token)
  t.equal((await client.get(`${path}?nocatalog`)).body.token.catalog, undefined)
  t.equal((await client.call('HEAD', path)).status, 200)
})

t.test('the fixed admin token can be looked at like any other, but not taken back', async t => {
  const api = await startApi(t)
  const client = api.admin.with({ 'x-subject-token': testAdminToken })
  const shown = await client.get(path)
  t.equal(shown.status, 200)
  t.match(shown.body.token, { user: { name: 'admin' }, project: { name: 'admin' } })
  t.equal((await client.delete(path)).status, 403)
})

t.test('DELETE takes a token back at once and for good', async t => {
  const api = await startApi(t, { mounts: thingMounts })
  const token = await logIn(api)
  const client = api.anonymous.with({ 'x-auth-token': token, 'x-subject-token': token })
  const deleted = await client.delete(path)
  t.equal(deleted.status, 204)
  t.equal(deleted.text, '')
  t.equal((await client.get('/v2/things/x')).status, 401)
  t.equal((await client.get(path)).status, 401)
  const { store, clock } = api
  const restarted = await startApi(t, { mounts: thingMounts, store, clock })
  t.equal((await restarted.anonymous.with(client.headers).get('/v2/things/x')).status, 401)
})

type SubjectCase = {
  readonly rule: string
  readonly headers: Readonly<Record<string, string>>
  readonly status: number
}

t.test('who may look at whose token', async t => {
  const api = await startApi(t)
  const adminToken = await logIn(api)
  const alpha = (await api.clientOf({ project: 'alpha' })).headers['x-auth-token'] ?? ''
  const beta = (await api.clientOf({ project: 'beta' })).headers['x-auth-token'] ?? ''
  const cases: readonly SubjectCase[] = [
    {
      rule: 'one’s own',
      headers: { 'x-auth-token': alpha, 'x-subject-token': alpha },
      status: 200,
    },
    {
      rule: 'the administrator all',
      headers: { 'x-auth-token': adminToken, 'x-subject-token': beta },
      status: 200,
    },
    { rule: 'another’s', headers: { 'x-auth-token': alpha, 'x-subject-token': beta }, status: 403 },
    { rule: 'without a token', headers: { 'x-subject-token': alpha }, status: 401 },
    {
      rule: 'with a wrong token',
      headers: { 'x-auth-token': 'x', 'x-subject-token': alpha },
      status: 401,
    },
    { rule: 'without a subject', headers: { 'x-auth-token': alpha }, status: 400 },
    {
      rule: 'a subject that is none',
      headers: { 'x-auth-token': alpha, 'x-subject-token': 'x' },
      status: 404,
    },
  ]
  for (const { rule, headers, status } of cases) {
    const answer = await api.anonymous.with(headers).get(path)
    t.equal(answer.status, status, rule)
    if (status >= 400) t.equal(answer.body.error.code, status, rule)
  }
})

t.test('failed logins of an account are limited from where they come', async t => {
  const api = await startApi(t)
  const wrong = byPassword({ ...admin, password: 'wrong' })
  for (let i = 0; i < 10; i++) t.equal((await api.anonymous.post(path, wrong)).status, 401)
  const { status, headers, body } = await api.anonymous.post(path, byPassword(admin))
  t.equal(status, 429, 'even the right password, which would tell that it is right')
  t.equal(body.error.title, 'Too Many Requests')
  t.equal(headers.get('retry-after'), '10')
  api.clock.advanceMillis(10_000)
  t.equal((await api.anonymous.post(path, byPassword(admin))).status, 201)
})

t.test('logins that succeed are not counted', async t => {
  const api = await startApi(t)
  for (let i = 0; i < 30; i++)
    t.equal((await api.anonymous.post(path, byPassword(admin))).status, 201)
})

t.test('a member logs in with its own project and roles', async t => {
  const api = await startApi(t)
  const member = { project: 'alpha', role: 'reader', password: 'secret' }
  await ensureMember(api.store, member)
  const user = { name: memberNameOf(member), domain: { id: 'default' }, password: 'secret' }
  const { body } = await api.anonymous.post(path, byPassword(user))
  t.match(body.token, { project: { id: 'alpha' }, roles: [{ name: 'reader' }] })
  t.equal(body.token.roles.length, 1)
})
