import t from 'tap'
import { callIdentity, checkCalls, create, startIdentityApi } from '../../helpers/identity-calls.ts'

t.test('a role is created, shown, listed, changed and deleted', async t => {
  const { admin, url, member } = await startIdentityApi(t)
  const made = await create(admin, '/roles', { role: { name: 'observer', description: 'Sees' } })
  t.strictSame(made, {
    id: made.id,
    name: 'observer',
    description: 'Sees',
    domain_id: null,
    options: {},
    links: { self: `${url}/identity/v3/roles/${made.id}` },
  })
  const path = `/roles/${made.id}`
  await checkCalls(t, admin, [
    { rule: 'show', call: `GET ${path}`, status: 200, answer: { role: made } },
    { rule: 'by name', call: 'GET /roles?name=OBSERVER', status: 200, answer: { roles: [made] } },
    {
      rule: 'none has a domain',
      call: 'GET /roles?domain_id=default',
      status: 200,
      answer: { roles: [] },
    },
    {
      rule: 'change',
      call: `PATCH ${path}`,
      body: { role: { name: 'watcher' } },
      status: 200,
      answer: { role: { name: 'watcher', description: 'Sees' } },
    },
    { rule: 'give', call: `PUT /projects/alpha/users/${member.user.id}${path}`, status: 204 },
    { rule: 'delete', call: `DELETE ${path}`, status: 204 },
    { rule: 'it is gone', call: `GET ${path}`, status: 404 },
    { rule: 'from all', call: `GET /projects/alpha/users/${member.user.id}${path}`, status: 404 },
  ])
})

t.test('a role that only others know appears in a token and means nothing here', async t => {
  const { admin, anonymous } = await startIdentityApi(t)
  const role = await create(admin, '/roles', { role: { name: 'observer' } })
  const jo = await create(admin, '/users', { user: { name: 'jo', password: 'secret' } })
  await callIdentity(admin, `PUT /projects/alpha/users/${jo.id}/roles/${role.id}`)
  const { body } = await callIdentity(anonymous, 'POST /auth/tokens', {
    auth: {
      identity: { methods: ['password'], password: { user: { id: jo.id, password: 'secret' } } },
      scope: { project: { id: 'alpha' } },
    },
  })
  t.strictSame(body.token.roles, [{ id: role.id, name: 'observer' }])
})

t.test('what is wrong with a role is reported', async t => {
  const { admin, store } = await startIdentityApi(t)
  const reader = store.find('roles', 'byName', 'reader')
  const made = await create(admin, '/roles', { role: { name: 'observer' } })
  const creates: readonly [rule: string, role: object, status: number][] = [
    ['no name', {}, 400],
    ['a domain of its own', { name: 'x', domain_id: 'default' }, 400],
    ['immutable', { name: 'x', options: { immutable: true } }, 400],
    ['not immutable', { name: 'x', options: { immutable: false } }, 201],
    ['a name that is taken', { name: 'Reader' }, 409],
  ]
  await checkCalls(t, admin, [
    ...creates.map(([rule, role, status]) => ({
      rule,
      call: 'POST /roles',
      body: { role },
      status,
    })),
    {
      rule: 'a taken name',
      call: `PATCH /roles/${made.id}`,
      body: { role: { name: 'admin' } },
      status: 409,
    },
    { rule: 'nobody’s', call: 'PATCH /roles/x', body: { role: {} }, status: 404 },
    { rule: 'nobody’s', call: 'DELETE /roles/x', status: 404 },
    { rule: 'the policy’s stay', call: `DELETE /roles/${reader?.id}`, status: 403 },
    {
      rule: 'with their names',
      call: `PATCH /roles/${reader?.id}`,
      body: { role: { name: 'x' } },
      status: 403,
    },
    {
      rule: 'and may be described',
      call: `PATCH /roles/${reader?.id}`,
      body: { role: { description: 'Looks' } },
      status: 200,
    },
  ])
})
