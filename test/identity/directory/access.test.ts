import t from 'tap'
import {
  isAdministrator,
  requireAdministrator,
  requireSelfOrAdministrator,
  requireUnrestricted,
} from '../../../src/identity/directory/access.ts'
import { forbidden, openDirectory } from '../../helpers/directory.ts'

const { admin, member } = await openDirectory()

t.test('administrators see and change all, others what is their own', async t => {
  t.ok(isAdministrator(admin))
  t.notOk(isAdministrator(member))
  requireAdministrator(admin)
  t.throws(() => requireAdministrator(member), forbidden)
  for (const userId of [admin.user.id, member.user.id, undefined])
    requireSelfOrAdministrator(admin, userId)
  requireSelfOrAdministrator(member, member.user.id)
  t.throws(() => requireSelfOrAdministrator(member, admin.user.id), forbidden)
  t.throws(() => requireSelfOrAdministrator(member, undefined), forbidden, 'all of them')
})

t.test('without a project nobody administers', async t => {
  t.notOk(isAdministrator({ ...admin, scope: undefined }))
})

t.test('a restricted application credential handles no others', async t => {
  requireUnrestricted(member)
  const credential = { id: 'c1', name: 'backup', isUnrestricted: false }
  t.throws(() => requireUnrestricted({ ...member, credential }), forbidden)
  requireUnrestricted({ ...member, credential: { ...credential, isUnrestricted: true } })
})
