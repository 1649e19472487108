import t from 'tap'
import { requireRow } from '../../../src/identity/directory/rows.ts'
import {
  badRequest,
  conflict,
  forbidden,
  notFound,
  openDirectory,
} from '../../helpers/directory.ts'

const peer = '192.0.2.1'
const jo = {
  domainId: 'default',
  name: 'jo',
  description: '',
  email: null,
  isEnabled: true,
  defaultProjectId: null,
  password: 'secret',
}

t.test('a user is stored with a hash and logs in', async t => {
  const { directory, identity, store } = await openDirectory()
  const { id } = await directory.users.create(jo)
  const user = requireRow(store, 'users', id)
  t.match(user.passwordHash, /^scrypt\$/)
  t.notMatch(JSON.stringify(user), 'secret')
  const known = await identity.logins.provePassword({ id }, { password: 'secret', peer })
  t.equal(known.user, user)
})

t.test('of two who create a user of one name at the same time one does', async t => {
  const { directory } = await openDirectory()
  const results = await Promise.allSettled([
    directory.users.create(jo),
    directory.users.create({ ...jo, name: 'JO' }),
  ])
  t.equal(results.filter(({ status }) => status === 'fulfilled').length, 1)
  const [refused] = results.filter(result => result.status === 'rejected')
  t.match(refused?.reason, conflict)
})

t.test('a user belongs to a domain, and its default project exists', async t => {
  const { directory, member } = await openDirectory()
  await t.rejects(directory.users.create({ ...jo, domainId: 'none' }), notFound)
  await t.rejects(directory.users.create({ ...jo, defaultProjectId: 'none' }), badRequest)
  const { id } = member.user
  await t.rejects(directory.users.update(id, { defaultProjectId: 'none' }), badRequest)
  t.match(await directory.users.update(id, { defaultProjectId: null }), { defaultProjectId: null })
})

t.test('one sees oneself', async t => {
  const { directory, admin, member } = await openDirectory()
  t.equal(directory.users.get(member, member.user.id), member.user)
  t.throws(() => directory.users.get(member, admin.user.id), forbidden)
  t.throws(() => directory.users.get(member, 'none'), forbidden)
  t.throws(() => directory.users.get(admin, 'none'), notFound)
})

t.test('a password is changed by whoever knows it, and by a closed account not', async t => {
  const { directory, identity, member, clock } = await openDirectory()
  const { id } = member.user
  const change = { original: 'secret', password: 'better', peer }
  const refusal = { name: 'ApiError', type: 'unauthorized' }
  await t.rejects(directory.users.changePassword('none', change), refusal)
  await t.rejects(directory.users.changePassword(id, { ...change, original: 'x' }), refusal)
  await directory.users.changePassword(id, change)
  t.ok(await identity.logins.provePassword({ id }, { password: 'better', peer }))
  await t.rejects(directory.users.changePassword(id, change), refusal)
  clock.advanceMillis(60_000)
  await directory.users.update(id, { isEnabled: false })
  const again = { ...change, original: 'better' }
  await t.rejects(directory.users.changePassword(id, again), refusal)
})

t.test('a deleted user takes its roles and keys along', async t => {
  const { directory, store, member } = await openDirectory()
  const { id } = member.user
  await directory.applicationCredentials.create(member, id, {
    name: 'key',
    description: '',
    secret: undefined,
    expiresAt: null,
    roles: undefined,
    isUnrestricted: false,
    projectId: undefined,
  })
  await directory.users.delete(id)
  for (const collection of ['roleAssignments', 'applicationCredentials'] as const)
    t.equal(store.count(collection, 'byUser', id), 0, collection)
  await t.rejects(directory.users.delete(id), notFound)
})
