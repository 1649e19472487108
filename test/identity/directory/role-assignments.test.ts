import t from 'tap'
import { conflict, forbidden, notFound, openDirectory } from '../../helpers/directory.ts'

t.test('a role given twice at the same time is given once', async t => {
  const { directory, store, member, roleId } = await openDirectory()
  const grant = { userId: member.user.id, projectId: 'alpha', roleId: roleId('reader') }
  const { roleAssignments } = directory
  await Promise.all([roleAssignments.grant(grant), roleAssignments.grant(grant)])
  t.equal(store.count('roleAssignments', 'byUser', member.user.id), 2)
  const results = await Promise.allSettled([
    roleAssignments.revoke(grant),
    roleAssignments.revoke(grant),
  ])
  t.strictSame(
    results.map(({ status }) => status),
    ['fulfilled', 'rejected'],
  )
})

t.test('of two administrators who are taken away at the same time one stays', async t => {
  const { directory, store, admin, member, roleId } = await openDirectory()
  const second = { userId: member.user.id, projectId: 'alpha', roleId: roleId('admin') }
  await directory.roleAssignments.grant(second)
  const first = {
    userId: admin.user.id,
    projectId: admin.scope?.project.id ?? '',
    roleId: roleId('admin'),
  }
  const results = await Promise.allSettled([
    directory.roleAssignments.revoke(first),
    directory.roleAssignments.revoke(second),
  ])
  const [refused] = results.filter(result => result.status === 'rejected')
  t.match(refused?.reason, conflict)
  t.equal(store.count('roleAssignments', 'byRole', roleId('admin')), 1)
})

t.test('one sees one’s own', async t => {
  const { directory, admin, member, roleId } = await openDirectory()
  const { roleAssignments } = directory
  const userId = member.user.id
  const grant = { userId, projectId: 'alpha', roleId: roleId('member') }
  const [own] = roleAssignments.list(member, { userId, isEffective: false })
  t.match(own, grant)
  t.match(roleAssignments.describe(grant), {
    role: { name: 'member' },
    user: { id: userId },
    userDomain: { id: 'default' },
    project: { id: 'alpha' },
    projectDomain: { id: 'default' },
  })
  t.doesNotThrow(() => roleAssignments.requireGranted(member, grant))
  t.throws(() => roleAssignments.list(member, { isEffective: false }), forbidden)
  const others = { ...grant, userId: admin.user.id }
  t.throws(() => roleAssignments.rolesOf(member, others), forbidden)
  t.throws(() => roleAssignments.requireGranted(member, others), forbidden)
  t.throws(() => roleAssignments.requireGranted(admin, others), notFound)
})
