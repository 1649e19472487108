import t from 'tap'
import { requireRow } from '../../../src/identity/directory/rows.ts'
import { conflict, forbidden, notFound, openDirectory } from '../../helpers/directory.ts'
import { putZone } from '../../helpers/identity-rows.ts'

const beta = { domainId: 'default', name: 'beta', description: '', isEnabled: true }

t.test('of two who create a project of one name at the same time one does', async t => {
  const { directory } = await openDirectory()
  const results = await Promise.allSettled([
    directory.projects.create(beta),
    directory.projects.create(beta),
  ])
  t.strictSame(
    results.map(({ status }) => status),
    ['fulfilled', 'rejected'],
  )
  await t.rejects(directory.projects.create({ ...beta, domainId: 'none' }), notFound)
})

t.test('one sees the projects that one has a role in', async t => {
  const { directory, store, admin, member, roleId } = await openDirectory()
  const { id: projectId } = await directory.projects.create(beta)
  t.equal(directory.projects.get(member, 'alpha').name, 'alpha')
  t.throws(() => directory.projects.get(member, projectId), forbidden)
  t.throws(() => directory.projects.get(member, 'none'), forbidden)
  const grant = { userId: member.user.id, projectId, roleId: roleId('reader') }
  await directory.roleAssignments.grant(grant)
  t.equal(directory.projects.get(member, projectId), requireRow(store, 'projects', projectId))
  const ids = directory.projects.listOfUser(member, member.user.id).map(({ id }) => id)
  t.strictSame(ids, ['alpha', projectId])
  t.throws(() => directory.projects.listOfUser(member, admin.user.id), forbidden)
})

t.test('several roles in a project do not list it twice', async t => {
  const { directory, member, roleId } = await openDirectory()
  const grant = { userId: member.user.id, projectId: 'alpha', roleId: roleId('reader') }
  await directory.roleAssignments.grant(grant)
  t.equal(directory.projects.listOpen(member).length, 1)
})

t.test('a project that owns zones stays, and nothing of it is gone', async t => {
  const { directory, store } = await openDirectory()
  for (const name of ['example.com.', 'example.net.'])
    await putZone(store, { name, projectId: 'alpha' })
  await t.rejects(directory.projects.delete('alpha'), { ...conflict, message: /owns 2 zones/ })
  t.equal(store.count('roleAssignments', 'byProject', 'alpha'), 1)
})

t.test('a project takes its budget with it', async t => {
  const { directory, store } = await openDirectory()
  const { id: projectId } = await directory.projects.create(beta)
  const stamp = { version: 1, createdAt: 1, updatedAt: null }
  await store.commit(tx => {
    const reached = { budgetId: 'b1', projectId, month: '2026-11', threshold: 80, cost: '9' }
    tx.put('budgets', { ...stamp, id: 'b1', projectId, amount: '10', thresholds: [80] })
    tx.put('budgetCrossings', { ...stamp, id: 'c1', ...reached, amount: '10' })
  })
  await directory.projects.delete(projectId)
  t.equal(store.get('budgets', 'b1'), undefined)
  t.equal(store.get('budgetCrossings', 'c1'), undefined)
})

t.test(
  'the first project is neither deleted nor renamed, and stays open for its administrator',
  async t => {
    const { directory, admin } = await openDirectory()
    const id = admin.scope?.project.id ?? ''
    await t.rejects(directory.projects.delete(id), forbidden)
    await t.rejects(directory.projects.update(id, { name: 'other' }), forbidden)
    await t.rejects(directory.projects.update(id, { isEnabled: false }), conflict)
    t.match(await directory.projects.update(id, { description: 'New' }), { description: 'New' })
  },
)
