import t from 'tap'
import { callIdentity, checkCalls, create, startIdentityApi } from '../../helpers/identity-calls.ts'

t.test('a role is given, told of and taken away', async t => {
  const { admin, store, member, url } = await startIdentityApi(t)
  const reader = store.find('roles', 'byName', 'reader')
  const beta = await create(admin, '/projects', { project: { name: 'beta' } })
  const roles = `/projects/${beta.id}/users/${member.user.id}/roles`
  const path = `${roles}/${reader?.id}`
  await checkCalls(t, admin, [
    { rule: 'not yet', call: `HEAD ${path}`, status: 404 },
    { rule: 'give', call: `PUT ${path}`, status: 204 },
    { rule: 'again', call: `PUT ${path}`, status: 204 },
    { rule: 'HEAD tells', call: `HEAD ${path}`, status: 204 },
    { rule: 'GET tells', call: `GET ${path}`, status: 204 },
    { rule: 'list', call: `GET ${roles}`, status: 200, answer: { roles: [{ name: 'reader' }] } },
    {
      rule: 'among all',
      call: `GET /role_assignments?scope.project.id=${beta.id}`,
      status: 200,
      answer: {
        role_assignments: [
          {
            role: { id: reader?.id },
            user: { id: member.user.id },
            scope: { project: { id: beta.id } },
            links: { assignment: `${url}/identity/v3${path}` },
          },
        ],
      },
    },
    { rule: 'take away', call: `DELETE ${path}`, status: 204 },
    { rule: 'it is gone', call: `DELETE ${path}`, status: 404 },
    { rule: 'none is left', call: `GET ${roles}`, status: 200, answer: { roles: [] } },
  ])
})

t.test('assignments are filtered, with names and with what they imply', async t => {
  const { admin, store, member } = await startIdentityApi(t)
  const roleId = (name: string) => store.find('roles', 'byName', name)?.id
  const adminUser = store.find('users', 'byName', 'default\nadmin')
  const rows: readonly [query: string, expected: readonly string[]][] = [
    ['', ['admin/admin', 'alpha/member']],
    [`user.id=${member.user.id}`, ['alpha/member']],
    ['scope.project.id=alpha', ['alpha/member']],
    ['scope.project.id=alpha&include_subtree=True', ['alpha/member']],
    [`role.id=${roleId('admin')}`, ['admin/admin']],
    [`role.id=${roleId('reader')}`, []],
    [`role.id=${roleId('reader')}&effective`, ['admin/reader', 'alpha/reader']],
    [`user.id=${member.user.id}&effective=True`, ['alpha/member', 'alpha/reader']],
    [`user.id=${adminUser?.id}&scope.project.id=alpha`, []],
    ['group.id=x', []],
    ['scope.domain.id=default', []],
    ['scope.system=all', []],
    ['scope.OS-INHERIT:inherited_to=projects', []],
  ]
  for (const [query, expected] of rows) {
    const { body } = await callIdentity(admin, `GET /role_assignments?include_names=True&${query}`)
    const found = body.role_assignments.map(
      // biome-ignore lint/suspicious/noExplicitAny: a body of the API
      (row: any) => `${row.scope.project.name}/${row.role.name}`,
    )
    t.strictSame(found.sort(), expected, query)
  }
  const { body } = await callIdentity(
    admin,
    'GET /role_assignments?include_names&group.id=&user.id=x',
  )
  t.strictSame(body.role_assignments, [])
})

t.test('names come with those of the domains', async t => {
  const { admin, member } = await startIdentityApi(t)
  const query = `user.id=${member.user.id}&include_names=1`
  const { body } = await callIdentity(admin, `GET /role_assignments?${query}`)
  const domain = { id: 'default', name: 'Default' }
  t.match(body.role_assignments, [
    {
      role: { name: 'member' },
      user: { id: member.user.id, name: member.user.name, domain },
      scope: { project: { id: 'alpha', name: 'alpha', domain } },
    },
  ])
})

t.test('an assignment is of what there is', async t => {
  const { admin, store, member } = await startIdentityApi(t)
  const reader = store.find('roles', 'byName', 'reader')?.id
  const adminRole = store.find('roles', 'byName', 'admin')?.id
  const adminUser = store.find('users', 'byName', 'default\nadmin')
  const user = member.user.id
  const own = `/projects/${adminUser?.defaultProjectId}/users/${adminUser?.id}/roles/${adminRole}`
  await checkCalls(t, admin, [
    { rule: 'no such project', call: `PUT /projects/x/users/${user}/roles/${reader}`, status: 404 },
    { rule: 'no such user', call: `PUT /projects/alpha/users/x/roles/${reader}`, status: 404 },
    { rule: 'no such role', call: `PUT /projects/alpha/users/${user}/roles/x`, status: 404 },
    { rule: 'no such project', call: `GET /projects/x/users/${user}/roles`, status: 404 },
    { rule: 'no such user', call: 'GET /projects/alpha/users/x/roles', status: 404 },
    { rule: 'the last administrator stays one', call: `DELETE ${own}`, status: 409 },
    { rule: 'an unknown filter', call: 'GET /role_assignments?role=x', status: 400 },
    {
      rule: 'domains have no roles',
      call: `PUT /domains/default/users/${user}/roles/${reader}`,
      status: 404,
    },
  ])
})

t.test('a role that is taken away is gone from tokens at once', async t => {
  const { admin, store, member, memberClient } = await startIdentityApi(t)
  const roleId = store.find('roles', 'byName', 'member')?.id
  const path = `/projects/alpha/users/${member.user.id}/roles/${roleId}`
  t.equal((await callIdentity(memberClient, 'GET /auth/catalog')).status, 200)
  await callIdentity(admin, `DELETE ${path}`)
  t.equal((await callIdentity(memberClient, 'GET /auth/catalog')).status, 401)
})
