import t from 'tap'
import { requireRow } from '../../../src/identity/directory/rows.ts'
import { builtInRoles } from '../../../src/model/identity.ts'
import { conflict, forbidden, notFound, openDirectory } from '../../helpers/directory.ts'

t.test('a role that the policy knows stays what it is', async t => {
  const { directory, store, roleId } = await openDirectory()
  for (const name of builtInRoles) {
    const id = roleId(name)
    await t.rejects(directory.roles.delete(id), forbidden)
    await t.rejects(directory.roles.update(id, { name: 'other' }), forbidden)
    await t.rejects(directory.roles.create({ name: name.toUpperCase(), description: '' }), conflict)
    t.match(await directory.roles.update(id, { description: 'New' }), { name, description: 'New' })
    t.equal(requireRow(store, 'roles', id).description, 'New')
  }
})

t.test('any other may come and go', async t => {
  const { directory, store, member } = await openDirectory()
  const role = await directory.roles.create({ name: 'observer', description: '' })
  const grant = { userId: member.user.id, projectId: 'alpha', roleId: role.id }
  await directory.roleAssignments.grant(grant)
  await directory.roles.delete(role.id)
  t.equal(store.count('roleAssignments', 'byRole', role.id), 0)
  t.throws(() => directory.roles.get(role.id), notFound)
})
