import t from 'tap'
import { callIdentity, checkCalls, create, startIdentityApi } from '../../helpers/identity-calls.ts'

const logIn = (name: string, password: string) => ({
  auth: {
    identity: {
      methods: ['password'],
      password: { user: { name, domain: { id: 'default' }, password } },
    },
  },
})

t.test('a user is created, shown, changed and deleted', async t => {
  const { admin, url } = await startIdentityApi(t)
  const jo = await create(admin, '/users', {
    user: {
      name: 'jo',
      password: 'secret',
      email: 'jo@example.com',
      description: 'Jo',
      default_project_id: 'alpha',
      options: {},
    },
  })
  t.strictSame(jo, {
    id: jo.id,
    name: 'jo',
    description: 'Jo',
    email: 'jo@example.com',
    domain_id: 'default',
    default_project_id: 'alpha',
    enabled: true,
    password_expires_at: null,
    options: {},
    links: { self: `${url}/identity/v3/users/${jo.id}` },
  })
  const path = `/users/${jo.id}`
  await checkCalls(t, admin, [
    { rule: 'show', call: `GET ${path}`, status: 200, answer: { user: jo } },
    { rule: 'list by name', call: 'GET /users?name=JO', status: 200, answer: { users: [jo] } },
    {
      rule: 'change',
      call: `PATCH ${path}`,
      body: { user: { name: 'joe', email: null, default_project_id: null } },
      status: 200,
    },
  ])
  const { body } = await callIdentity(admin, `GET ${path}`)
  t.equal(body.user.name, 'joe')
  t.notOk('email' in body.user)
  t.notOk('default_project_id' in body.user)
  await checkCalls(t, admin, [
    { rule: 'delete', call: `DELETE ${path}`, status: 204 },
    { rule: 'it is gone', call: `GET ${path}`, status: 404 },
  ])
})

t.test('no answer holds a password or its hash', async t => {
  const { admin } = await startIdentityApi(t)
  const made = await callIdentity(admin, 'POST /users', {
    user: { name: 'jo', password: 's3cret' },
  })
  const list = await callIdentity(admin, 'GET /users')
  for (const { text } of [made, list]) t.notMatch(text, /s3cret|scrypt|passwordHash|"password"/)
})

t.test('lists of users are filtered', async t => {
  const { admin, member } = await startIdentityApi(t)
  const lab = await create(admin, '/domains', { domain: { name: 'lab' } })
  await create(admin, '/users', { user: { name: 'admin', domain_id: lab.id, enabled: false } })
  const rows: readonly [query: string, names: readonly string[]][] = [
    ['', ['admin', 'admin', member.user.name]],
    ['?name=Admin', ['admin', 'admin']],
    [`?domain_id=${lab.id}`, ['admin']],
    ['?domain_id=default&name=admin', ['admin']],
    ['?enabled=False', ['admin']],
    ['?name=none', []],
  ]
  for (const [query, names] of rows) {
    const { body } = await callIdentity(admin, `GET /users${query}`)
    const found = body.users.map(({ name }: { name: string }) => name)
    t.strictSame(found.sort(), names, query)
  }
})

t.test('what is wrong with a user is reported', async t => {
  const { admin, store, member } = await startIdentityApi(t)
  const first = store.find('users', 'byName', 'default\nadmin')
  const creates: readonly [rule: string, user: object, status: number][] = [
    ['no name', {}, 400],
    ['a name that is too long', { name: 'x'.repeat(256) }, 400],
    ['an empty password', { name: 'x', password: '' }, 400],
    ['a password that is none', { name: 'x', password: 1 }, 400],
    ['a key that is none', { name: 'x', phone: '1' }, 400],
    ['a default project that there is not', { name: 'x', default_project_id: 'none' }, 400],
    ['a domain that there is not', { name: 'x', domain_id: 'none' }, 404],
    ['a name that is taken', { name: 'ADMIN' }, 409],
    ['no password', { name: 'x', password: null }, 201],
  ]
  await checkCalls(t, admin, [
    ...creates.map(([rule, user, status]) => ({
      rule,
      call: 'POST /users',
      body: { user },
      status,
    })),
    {
      rule: 'a taken name',
      call: `PATCH /users/${member.user.id}`,
      body: { user: { name: 'admin' } },
      status: 409,
    },
    { rule: 'nobody’s', call: 'PATCH /users/x', body: { user: { password: 'y' } }, status: 404 },
    { rule: 'nobody’s', call: 'DELETE /users/x', status: 404 },
    { rule: 'the last administrator stays', call: `DELETE /users/${first?.id}`, status: 409 },
    {
      rule: 'and may log in',
      call: `PATCH /users/${first?.id}`,
      body: { user: { enabled: false } },
      status: 409,
    },
    {
      rule: 'but gets another name',
      call: `PATCH /users/${first?.id}`,
      body: { user: { name: 'root' } },
      status: 200,
    },
    { rule: 'an unknown filter', call: 'GET /users?name__contains=a', status: 400 },
  ])
})

t.test('of two administrators one may go', async t => {
  const { admin, store } = await startIdentityApi(t)
  const first = store.find('users', 'byName', 'default\nadmin')
  const role = store.find('roles', 'byName', 'admin')
  const second = await create(admin, '/users', { user: { name: 'second', password: 'secret' } })
  await checkCalls(t, admin, [
    {
      rule: 'a second one',
      call: `PUT /projects/alpha/users/${second.id}/roles/${role?.id}`,
      status: 204,
    },
    { rule: 'the first goes', call: `DELETE /users/${first?.id}`, status: 204 },
    { rule: 'the second stays', call: `DELETE /users/${second.id}`, status: 409 },
    { rule: 'and so does its project', call: 'DELETE /projects/alpha', status: 409 },
  ])
})

t.test('a user without a password cannot log in with one', async t => {
  const { admin, anonymous } = await startIdentityApi(t)
  await create(admin, '/users', { user: { name: 'robot' } })
  for (const password of ['', 'null', 'undefined'])
    t.equal(
      (await callIdentity(anonymous, 'POST /auth/tokens', logIn('robot', password))).status,
      401,
    )
})

t.test('a new password by the administrator ends the tokens of the old one', async t => {
  const { admin, member, memberClient, anonymous } = await startIdentityApi(t)
  const path = `/users/${member.user.id}`
  t.equal((await callIdentity(memberClient, `GET ${path}`)).status, 200)
  await callIdentity(admin, `PATCH ${path}`, { user: { password: 'given' } })
  t.equal((await callIdentity(memberClient, `GET ${path}`)).status, 401)
  const login = logIn(member.user.name, 'given')
  t.equal((await callIdentity(anonymous, 'POST /auth/tokens', login)).status, 201)
})

t.test('whoever knows a password may change it', async t => {
  const { admin, anonymous, clock } = await startIdentityApi(t)
  const jo = await create(admin, '/users', { user: { name: 'jo', password: 'old' } })
  const change = (original_password: string, password: string) => ({
    user: { original_password, password },
  })
  const call = `POST /users/${jo.id}/password`
  await checkCalls(t, anonymous, [
    { rule: 'not the old one', call, body: change('wrong', 'new'), status: 401 },
    { rule: 'an empty new one', call, body: change('old', ''), status: 400 },
    { rule: 'no old one', call, body: { user: { password: 'new' } }, status: 400 },
    { rule: 'nobody’s', call: 'POST /users/x/password', body: change('old', 'new'), status: 401 },
    { rule: 'the old one', call, body: change('old', 'new'), status: 204 },
    { rule: 'it is old now', call, body: change('old', 'newer'), status: 401 },
  ])
  for (let i = 0; i < 8; i++) await callIdentity(anonymous, call, change('guess', 'mine'))
  t.equal((await callIdentity(anonymous, call, change('new', 'mine'))).status, 429)
  clock.advanceMillis(10_000)
  t.equal((await callIdentity(anonymous, call, change('new', 'mine'))).status, 204)
  t.equal((await callIdentity(anonymous, 'POST /auth/tokens', logIn('jo', 'mine'))).status, 201)
})
