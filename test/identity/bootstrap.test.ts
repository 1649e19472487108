import t from 'tap'
import { bootstrapIdentity } from '../../src/identity/bootstrap.ts'
import { verifyPassword } from '../../src/identity/passwords.ts'
import { defaultDomainId } from '../../src/model/identity.ts'
import { everything, keyOf } from '../../src/store/indexes.ts'
import type { Store } from '../../src/store/store.ts'
import { cheapCost } from '../helpers/cheap-cost.ts'
import { fakeClock } from '../helpers/clock.ts'
import { openMemoryStore } from '../helpers/memory-store.ts'

const cost = cheapCost

function getAdmin(store: Store) {
  const admin = store.find('users', 'byName', keyOf(defaultDomainId, 'admin'))
  if (admin === undefined) throw new Error('there is no administrator')
  return admin
}

function isAdminPassword(store: Store, password: string): Promise<boolean> {
  return verifyPassword(password, getAdmin(store).passwordHash)
}

t.test('the first start makes a domain, a project, an administrator and three roles', async t => {
  const store = openMemoryStore({ clock: fakeClock() })
  await bootstrapIdentity(store, { adminPassword: 'given', cost })
  t.match(store.get('domains', defaultDomainId), { name: 'Default', isEnabled: true })
  const admin = getAdmin(store)
  const project = store.get('projects', admin.defaultProjectId ?? '')
  t.match(project, { name: 'admin', domainId: defaultDomainId, isEnabled: true })
  const roles = [...store.list('roles', 'all', everything)].map(({ name }) => name)
  t.strictSame(roles.sort(), ['admin', 'member', 'reader'])
  const [assignment, ...others] = store.list('roleAssignments', 'byUser', admin.id)
  t.equal(others.length, 0)
  t.equal(store.get('roles', assignment?.roleId ?? '')?.name, 'admin')
  t.equal(assignment?.projectId, project?.id)
})

t.test('a password that is not given is made up and reported once', async t => {
  const store = openMemoryStore({ clock: fakeClock() })
  const first = await bootstrapIdentity(store, { adminPassword: undefined, cost })
  t.match(first.generatedPassword, /^.{22}$/)
  t.equal(await isAdminPassword(store, first.generatedPassword ?? ''), true)
  const second = await bootstrapIdentity(store, { adminPassword: undefined, cost })
  t.equal(second.generatedPassword, undefined)
  t.equal(await isAdminPassword(store, first.generatedPassword ?? ''), true)
})

t.test('a password that is given is never told', async t => {
  const store = openMemoryStore({ clock: fakeClock() })
  const { generatedPassword } = await bootstrapIdentity(store, { adminPassword: 'given', cost })
  t.equal(generatedPassword, undefined)
  t.equal(await isAdminPassword(store, 'given'), true)
})

t.test('a password given later replaces the one before', async t => {
  const store = openMemoryStore({ clock: fakeClock() })
  await bootstrapIdentity(store, { adminPassword: undefined, cost })
  await bootstrapIdentity(store, { adminPassword: 'given', cost })
  t.equal(await isAdminPassword(store, 'given'), true)
  t.equal(getAdmin(store).version, 2)
  await bootstrapIdentity(store, { adminPassword: 'another', cost })
  t.equal(await isAdminPassword(store, 'another'), true)
})

t.test('a start that changes nothing writes nothing', async t => {
  const store = openMemoryStore({ clock: fakeClock() })
  await bootstrapIdentity(store, { adminPassword: 'given', cost })
  const before = getAdmin(store)
  await bootstrapIdentity(store, { adminPassword: 'given', cost })
  t.strictSame(getAdmin(store), before)
})

t.test('a given password is the way back in after the administrator was deleted', async t => {
  const store = openMemoryStore({ clock: fakeClock() })
  await bootstrapIdentity(store, { adminPassword: 'given', cost })
  await store.commit(tx => tx.delete('users', getAdmin(store).id))
  await bootstrapIdentity(store, { adminPassword: undefined, cost })
  t.throws(() => getAdmin(store), 'without the setting it stays deleted')
  await bootstrapIdentity(store, { adminPassword: 'given', cost })
  t.equal(await isAdminPassword(store, 'given'), true)
})

t.test('the key that signs tokens is made once', async t => {
  const store = openMemoryStore({ clock: fakeClock() })
  const first = await bootstrapIdentity(store, { adminPassword: 'given', cost })
  const second = await bootstrapIdentity(store, { adminPassword: 'given', cost })
  t.equal(first.signingKey.length, 32)
  t.ok(first.signingKey.equals(second.signingKey))
})

t.test('of servers that start for the first time at once, one makes key and password', async t => {
  const store = openMemoryStore({ clock: fakeClock() })
  const kept = new Set<string>()
  const start = () =>
    bootstrapIdentity(store, {
      adminPassword: undefined,
      cost,
      async keepPassword(password) {
        kept.add(password)
        return async () => void kept.delete(password)
      },
    })
  const starts = await Promise.all([start(), start(), start()])
  const passwords = starts.flatMap(({ generatedPassword }) => generatedPassword ?? [])
  t.equal(passwords.length, 1)
  t.strictSame([...kept], passwords, 'the others have taken theirs back')
  t.equal(await isAdminPassword(store, passwords[0] ?? ''), true)
  t.equal(new Set(starts.map(({ signingKey }) => signingKey.toString('hex'))).size, 1)
  t.equal(store.count('users', 'all', everything), 1)
})

t.test('servers that are given the same password at once write it once', async t => {
  const store = openMemoryStore({ clock: fakeClock() })
  const start = () => bootstrapIdentity(store, { adminPassword: 'given', cost })
  await Promise.all([start(), start(), start()])
  t.equal(await isAdminPassword(store, 'given'), true)
  t.equal(getAdmin(store).version, 1)
})
