import t from 'tap'
import type { CredentialDraft } from '../../../src/identity/directory/application-credentials.ts'
import {
  badRequest,
  conflict,
  forbidden,
  notFound,
  openDirectory,
} from '../../helpers/directory.ts'

const draft: CredentialDraft = {
  name: 'key',
  description: '',
  secret: undefined,
  expiresAt: null,
  roles: undefined,
  isUnrestricted: false,
  projectId: undefined,
}

t.test('a secret is made up, told once and kept as a hash', async t => {
  const { directory, store, member } = await openDirectory()
  const { applicationCredentials } = directory
  const { credential, secret } = await applicationCredentials.create(member, member.user.id, draft)
  const stored = store.get('applicationCredentials', credential.id)
  t.equal(stored, credential)
  t.match(stored?.secretHash, /^scrypt\$/)
  t.notMatch(JSON.stringify(stored), secret)
  const other = await applicationCredentials.create(member, member.user.id, { ...draft, name: 'b' })
  t.not(other.secret, secret)
})

t.test('of two keys of one name made at the same time one is', async t => {
  const { directory, member } = await openDirectory()
  const create = () => directory.applicationCredentials.create(member, member.user.id, draft)
  const results = await Promise.allSettled([create(), create()])
  const [refused] = results.filter(result => result.status === 'rejected')
  t.match(refused?.reason, conflict)
  t.equal(directory.applicationCredentials.list(member, member.user.id).length, 1)
})

t.test('a role that was deleted since is not told any more', async t => {
  const { directory, store, member, roleId } = await openDirectory()
  const role = await directory.roles.create({ name: 'observer', description: '' })
  const grant = { userId: member.user.id, projectId: 'alpha', roleId: role.id }
  await directory.roleAssignments.grant(grant)
  const named = { id: role.id, name: role.name }
  const scope = member.scope && { ...member.scope, roles: [...member.scope.roles, named] }
  const { applicationCredentials } = directory
  const { credential } = await applicationCredentials.create(
    { ...member, scope },
    member.user.id,
    draft,
  )
  t.equal(applicationCredentials.rolesOf(credential).length, 3)
  await directory.roles.delete(role.id)
  const ids = applicationCredentials.rolesOf(credential).map(({ id }) => id)
  t.strictSame(ids, [roleId('member'), roleId('reader')])
  t.ok(store.get('applicationCredentials', credential.id))
})

t.test('whose key it is decides who sees and deletes it', async t => {
  const { directory, admin, member } = await openDirectory()
  const { applicationCredentials } = directory
  const userId = member.user.id
  const { credential } = await applicationCredentials.create(member, userId, draft)
  const place = { userId, id: credential.id }
  t.equal(applicationCredentials.get(admin, place), credential)
  t.throws(
    () => applicationCredentials.get(admin, { ...place, userId: admin.user.id }),
    notFound,
    'not below another user',
  )
  const stranger = { ...member, user: { ...member.user, id: 'stranger' } }
  t.throws(() => applicationCredentials.get(stranger, place), forbidden)
  await t.rejects(applicationCredentials.delete(stranger, place), forbidden)
  const restricted = { ...member, credential }
  await t.rejects(applicationCredentials.delete(restricted, place), forbidden)
  await t.rejects(applicationCredentials.create(restricted, userId, draft), forbidden)
  const [first, second] = await Promise.allSettled(
    [1, 2].map(() => applicationCredentials.delete(admin, place)),
  )
  t.equal(first?.status, 'fulfilled')
  t.match(second, { status: 'rejected', reason: notFound }, 'once, also at the same time')
  t.strictSame(applicationCredentials.list(member, userId), [])
})

t.test('a key is for the project that its maker acts for, and for later', async t => {
  const { directory, member, clock } = await openDirectory()
  const create = (changes: Partial<CredentialDraft>, principal = member) =>
    directory.applicationCredentials.create(principal, member.user.id, { ...draft, ...changes })
  await t.rejects(create({ projectId: 'beta' }), badRequest)
  await t.rejects(create({ expiresAt: clock.nowMillis() * 1000 }), badRequest)
  await t.rejects(create({ roles: [{ name: 'admin' }] }), badRequest)
  await t.rejects(create({}, { ...member, scope: undefined }), forbidden)
})
