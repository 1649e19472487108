import t from 'tap'
import { callIdentity, checkCalls, create, startIdentityApi } from '../../helpers/identity-calls.ts'
import { putZone } from '../../helpers/identity-rows.ts'

t.test('a project is created, shown, changed and deleted', async t => {
  const { admin, url } = await startIdentityApi(t)
  const web = await create(admin, '/projects', { project: { name: 'web', description: 'Pages' } })
  t.strictSame(web, {
    id: web.id,
    name: 'web',
    description: 'Pages',
    domain_id: 'default',
    parent_id: 'default',
    is_domain: false,
    enabled: true,
    tags: [],
    options: {},
    links: { self: `${url}/identity/v3/projects/${web.id}` },
  })
  const path = `/projects/${web.id}`
  await checkCalls(t, admin, [
    { rule: 'show', call: `GET ${path}`, status: 200, answer: { project: web } },
    { rule: 'show, as clients ask', call: `GET ${path}?subtree_as_ids`, status: 200 },
    {
      rule: 'rename and disable',
      call: `PATCH ${path}`,
      body: { project: { name: 'net', enabled: false } },
      status: 200,
      answer: { project: { name: 'net', description: 'Pages', enabled: false } },
    },
    { rule: 'delete', call: `DELETE ${path}`, status: 204 },
    { rule: 'it is gone', call: `GET ${path}`, status: 404 },
    {
      rule: 'its name is free',
      call: 'POST /projects',
      body: { project: { name: 'net' } },
      status: 201,
    },
  ])
})

t.test('lists of projects are filtered', async t => {
  const { admin } = await startIdentityApi(t)
  const lab = await create(admin, '/domains', { domain: { name: 'lab' } })
  await create(admin, '/projects', { project: { name: 'web' } })
  await create(admin, '/projects', { project: { name: 'web', domain_id: lab.id, enabled: false } })
  const rows: readonly [query: string, names: readonly string[]][] = [
    ['', ['admin', 'alpha', 'web', 'web']],
    ['?name=Web', ['web', 'web']],
    [`?name=web&domain_id=${lab.id}`, ['web']],
    [`?parent_id=${lab.id}`, ['web']],
    [`?domain_id=${lab.id}&parent_id=default`, []],
    ['?domain_id=default&enabled=true', ['admin', 'alpha', 'web']],
    ['?enabled=false', ['web']],
    ['?is_domain=false&name=web', ['web', 'web']],
    ['?is_domain=true', []],
    ['?domain_id=none', []],
  ]
  for (const [query, names] of rows) {
    const { body } = await callIdentity(admin, `GET /projects${query}`)
    const found = body.projects.map(({ name }: { name: string }) => name)
    t.strictSame(found.sort(), names, query)
  }
})

t.test('what is wrong with a project is reported', async t => {
  const { admin, store } = await startIdentityApi(t)
  const lab = await create(admin, '/domains', { domain: { name: 'lab' } })
  const first = store.find('projects', 'byName', 'default\nadmin')
  const creates: readonly [rule: string, project: object, status: number][] = [
    ['no name', {}, 400],
    ['a name that is too long', { name: 'x'.repeat(65) }, 400],
    ['a key that is none', { name: 'x', color: 'red' }, 400],
    ['a project for a domain', { name: 'x', is_domain: true }, 400],
    ['a project in a project', { name: 'x', domain_id: 'default', parent_id: 'alpha' }, 400],
    ['tags', { name: 'x', tags: ['a'] }, 400],
    ['a domain that there is not', { name: 'x', domain_id: 'none' }, 404],
    ['a name that is taken', { name: 'Alpha' }, 409],
    ['a name that is taken in another domain', { name: 'alpha', domain_id: lab.id }, 201],
    ['the domain as its parent', { name: 'x', domain_id: lab.id, parent_id: lab.id }, 201],
    ['a parent alone', { name: 'y', parent_id: lab.id }, 201],
  ]
  await checkCalls(t, admin, [
    ...creates.map(([rule, project, status]) => ({
      rule,
      call: 'POST /projects',
      body: { project },
      status,
    })),
    {
      rule: 'another domain',
      call: 'PATCH /projects/alpha',
      body: { project: { domain_id: lab.id } },
      status: 400,
    },
    {
      rule: 'a taken name',
      call: 'PATCH /projects/alpha',
      body: { project: { name: 'admin' } },
      status: 409,
    },
    { rule: 'nobody’s', call: 'PATCH /projects/x', body: { project: {} }, status: 404 },
    { rule: 'nobody’s', call: 'DELETE /projects/x', status: 404 },
    { rule: 'the first one stays', call: `DELETE /projects/${first?.id}`, status: 403 },
    {
      rule: 'the first one keeps its name',
      call: `PATCH /projects/${first?.id}`,
      body: { project: { name: 'x' } },
      status: 403,
    },
    {
      rule: 'and stays open',
      call: `PATCH /projects/${first?.id}`,
      body: { project: { enabled: false } },
      status: 409,
    },
    { rule: 'an unknown filter', call: 'GET /projects?tags=a', status: 400 },
  ])
})

t.test('a project with zones is not deleted, and says how many it has', async t => {
  const { admin, store } = await startIdentityApi(t)
  const zone = await putZone(store, { name: 'example.com.', projectId: 'alpha' })
  const refused = await callIdentity(admin, 'DELETE /projects/alpha')
  t.equal(refused.status, 409)
  t.match(refused.body.error.message, /The project alpha still owns 1 zone:/)
  await store.commit(tx => tx.delete('zones', zone.id))
  t.equal((await callIdentity(admin, 'DELETE /projects/alpha')).status, 204)
})

t.test('a project goes with the roles in it, and is nobody’s default any more', async t => {
  const { admin, store, member, memberClient } = await startIdentityApi(t)
  t.equal((await callIdentity(memberClient, 'GET /auth/projects')).status, 200)
  t.equal((await callIdentity(admin, 'DELETE /projects/alpha')).status, 204)
  t.equal((await callIdentity(memberClient, 'GET /auth/projects')).status, 401)
  t.equal(store.get('users', member.user.id)?.defaultProjectId, null)
  t.equal(store.count('roleAssignments', 'byProject', 'alpha'), 0)
})

t.test('a disabled user is shut out at once, and let in again', async t => {
  const { admin, memberClient, member } = await startIdentityApi(t)
  const rows: readonly [rule: string, path: string, key: string][] = [
    ['the project', '/projects/alpha', 'project'],
    ['the user', `/users/${member.user.id}`, 'user'],
  ]
  const isIn = async () => (await callIdentity(memberClient, 'GET /auth/projects')).status === 200
  for (const [rule, path, key] of rows) {
    await callIdentity(admin, `PATCH ${path}`, { [key]: { enabled: false } })
    t.equal(await isIn(), false, rule)
    await callIdentity(admin, `PATCH ${path}`, { [key]: { enabled: true } })
    t.equal(await isIn(), true, rule)
  }
})

t.test('one’s projects are those with a role, and to log in for those that are open', async t => {
  const { admin, member, memberClient, store } = await startIdentityApi(t)
  const beta = await create(admin, '/projects', { project: { name: 'beta', enabled: false } })
  const reader = store.find('roles', 'byName', 'reader')
  const grant = `PUT /projects/${beta.id}/users/${member.user.id}/roles/${reader?.id}`
  t.equal((await callIdentity(admin, grant)).status, 204)
  const names = async (call: string) => {
    const { body } = await callIdentity(memberClient, call)
    return body.projects.map(({ name }: { name: string }) => name)
  }
  t.strictSame(await names(`GET /users/${member.user.id}/projects`), ['alpha', 'beta'])
  t.strictSame(await names('GET /auth/projects'), ['alpha'])
  await checkCalls(t, admin, [
    { rule: 'another’s', call: `GET /users/${member.user.id}/projects`, status: 200 },
    { rule: 'nobody’s', call: 'GET /users/x/projects', status: 404 },
  ])
})

t.test('a token without a project is enough to see where one could go', async t => {
  const { identity, member, anonymous } = await startIdentityApi(t)
  const proof = { methods: ['password'], shown: undefined } as const
  const { token } = identity.sessions.issue({ ...member, scope: undefined }, proof)
  const client = anonymous.with({ 'x-auth-token': token })
  await checkCalls(t, client, [
    {
      rule: 'projects',
      call: 'GET /auth/projects',
      status: 200,
      answer: { projects: [{ id: 'alpha' }] },
    },
    { rule: 'oneself', call: `GET /users/${member.user.id}`, status: 200 },
    { rule: 'no catalog', call: 'GET /auth/catalog', status: 403 },
    { rule: 'no administration', call: 'GET /users', status: 403 },
  ])
})
