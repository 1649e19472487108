import t from 'tap'
import { requireRow } from '../../../src/identity/directory/rows.ts'
import { conflict, forbidden, notFound, openDirectory } from '../../helpers/directory.ts'

const lab = { name: 'lab', description: '', isEnabled: true }

t.test('of two who create a domain of one name at the same time one does', async t => {
  const { directory, store } = await openDirectory()
  const results = await Promise.allSettled([
    directory.domains.create(lab),
    directory.domains.create({ ...lab, name: 'LAB' }),
  ])
  t.strictSame(
    results.map(({ status }) => status),
    ['fulfilled', 'rejected'],
  )
  t.equal(directory.domains.list({ name: 'Lab' }).length, 1)
  t.throws(() => requireRow(store, 'domains', 'lab'), notFound, 'an id is not a name')
})

t.test('a change that changes nothing writes nothing', async t => {
  const { directory } = await openDirectory()
  const domain = await directory.domains.create(lab)
  const same = await directory.domains.update(domain.id, { name: 'lab', isEnabled: undefined })
  t.equal(same, domain)
  const changed = await directory.domains.update(domain.id, { isEnabled: false })
  t.match(changed, { version: 2, createdAt: domain.createdAt, isEnabled: false })
})

t.test('one sees the domains that one belongs to', async t => {
  const { directory, admin, member } = await openDirectory()
  const other = await directory.domains.create(lab)
  t.equal(directory.domains.get(member, 'default').name, 'Default')
  t.throws(() => directory.domains.get(member, other.id), forbidden)
  t.throws(() => directory.domains.get(member, 'none'), forbidden)
  t.equal(directory.domains.get(admin, other.id), other)
  t.throws(() => directory.domains.get(admin, 'none'), notFound)
})

t.test('a domain goes when it is disabled, and the first one never', async t => {
  const { directory } = await openDirectory()
  const domain = await directory.domains.create(lab)
  await t.rejects(directory.domains.delete(domain.id), forbidden)
  await directory.domains.update(domain.id, { isEnabled: false })
  await directory.domains.delete(domain.id)
  await t.rejects(directory.domains.delete(domain.id), notFound)
  await t.rejects(directory.domains.delete('default'), forbidden)
  await t.rejects(directory.domains.update('default', { isEnabled: false }), conflict)
})
