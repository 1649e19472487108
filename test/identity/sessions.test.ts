import t from 'tap'
import type { Account } from '../../src/identity/accounts.ts'
import { FixedAdministrator } from '../../src/identity/administrator.ts'
import { bootstrapIdentity } from '../../src/identity/bootstrap.ts'
import { hashPassword } from '../../src/identity/passwords.ts'
import { Sessions } from '../../src/identity/sessions.ts'
import { newStamp } from '../../src/model/stamped.ts'
import { everything } from '../../src/store/indexes.ts'
import type { Store } from '../../src/store/store.ts'
import { ensureMember } from '../helpers/accounts.ts'
import { cheapCost } from '../helpers/cheap-cost.ts'
import { fakeClock } from '../helpers/clock.ts'
import { openMemoryStore } from '../helpers/memory-store.ts'

const proof = { methods: ['password'], shown: undefined } as const

async function openSessions(adminToken?: string) {
  const clock = fakeClock()
  const store = openMemoryStore({ clock })
  const given = { adminPassword: 'given', cost: cheapCost }
  const { signingKey } = await bootstrapIdentity(store, given)
  const administrator = new FixedAdministrator({ store, adminToken, allowsNoAuth: false })
  const sessions = new Sessions({ store, clock, signingKey, administrator })
  const member = await ensureMember(store, { project: 'alpha', role: 'member' })
  return { clock, store, sessions, member }
}

t.test('a token names its bearer, project and roles', async t => {
  const { sessions, member } = await openSessions()
  const { token } = sessions.issue(member, proof)
  const session = sessions.find(token)
  t.equal(session?.user.id, member.user.id)
  t.equal(session?.scope?.project.id, 'alpha')
  t.strictSame(
    session?.scope?.roles.map(({ name }) => name),
    ['member', 'reader'],
  )
})

type Ending = readonly [rule: string, end: (store: Store, member: Account) => Promise<unknown>]

const endings: readonly Ending[] = [
  [
    'the account is disabled',
    (store, { user }) => store.commit(tx => tx.put('users', { ...user, isEnabled: false })),
  ],
  ['the account is deleted', (store, { user }) => store.commit(tx => tx.delete('users', user.id))],
  [
    'the password is another',
    async (store, { user }) => {
      const passwordHash = await hashPassword('another', cheapCost)
      await store.commit(tx => tx.put('users', { ...user, passwordHash }))
    },
  ],
  [
    'the project is disabled',
    (store, { scope }) =>
      store.commit(tx => {
        if (scope !== undefined) tx.put('projects', { ...scope.project, isEnabled: false })
      }),
  ],
  ['the project is deleted', store => store.commit(tx => tx.delete('projects', 'alpha'))],
  [
    'the domain is disabled',
    (store, { userDomain }) =>
      store.commit(tx => tx.put('domains', { ...userDomain, isEnabled: false })),
  ],
  [
    'the last role in the project is taken away',
    (store, { user }) =>
      store.commit(tx => {
        const assignments = [...tx.list('roleAssignments', 'byUser', user.id)]
        for (const { id } of assignments) tx.delete('roleAssignments', id)
      }),
  ],
]

t.test('a token ends at once when', async t => {
  for (const [rule, end] of endings) {
    const { store, sessions, member } = await openSessions()
    const { token } = sessions.issue(member, proof)
    t.ok(sessions.find(token), rule)
    await end(store, member)
    t.equal(sessions.find(token), undefined, rule)
  }
})

t.test('roles are read when a token is used, not when it is given out', async t => {
  const { store, sessions, member } = await openSessions()
  const { token } = sessions.issue(member, proof)
  const admin = store.find('roles', 'byName', 'admin')
  await store.commit(tx => {
    for (const row of [...tx.list('roleAssignments', 'byUser', member.user.id)])
      tx.put('roleAssignments', { ...row, roleId: admin?.id ?? '' })
  })
  const names = sessions.find(token)?.scope?.roles.map(({ name }) => name)
  t.strictSame(names, ['admin', 'member', 'reader'])
})

t.test('what was revoked is forgotten when it would have expired anyway', async t => {
  const { clock, store, sessions, member } = await openSessions()
  const count = () => store.count('revokedTokens', 'all', everything)
  for (let i = 0; i < 3; i++) await sessions.revoke(sessions.issue(member, proof))
  t.equal(count(), 3)
  t.equal(await sessions.purgeRevoked(), 0)
  clock.advanceMillis(3_601_000)
  await sessions.revoke(sessions.issue(member, proof))
  t.equal(await sessions.purgeRevoked(), 3)
  t.equal(count(), 1)
})

t.test('the purge of many revoked tokens forgets them all', async t => {
  const { clock, store, sessions, member } = await openSessions()
  const revocations = Array.from({ length: 1_001 }, () =>
    sessions.revoke(sessions.issue(member, proof)),
  )
  await Promise.all(revocations)
  clock.advanceMillis(3_610_000)
  t.equal(await sessions.purgeRevoked(), 1_001)
  t.equal(store.count('revokedTokens', 'all', everything), 0)
})

t.test('a user has ten thousand revoked tokens at most', async t => {
  const { store, clock, sessions, member } = await openSessions()
  const { id: userId } = member.user
  await store.commit(tx => {
    for (let i = 0; i < 10_000; i++)
      tx.put('revokedTokens', { ...newStamp(tx, `${i}`), userId, expiresAt: tx.atMicros })
  })
  const kept = sessions.issue(member, proof)
  await t.rejects(sessions.revoke(kept), { name: 'ApiError', type: 'too_many_requests' })
  t.ok(sessions.find(kept.token))
  clock.advanceMillis(3_601_000)
  await sessions.purgeRevoked()
  const next = sessions.issue(member, proof)
  await sessions.revoke(next)
  t.equal(sessions.find(next.token), undefined)
})

t.test('a token got by showing another is revoked apart from it', async t => {
  const { sessions, member } = await openSessions()
  const first = sessions.issue(member, proof)
  const second = sessions.issue(member, { methods: ['password', 'token'], shown: first.claims })
  const third = sessions.issue(member, { methods: ['password', 'token'], shown: second.claims })
  t.equal(third.claims.parentAuditId, first.claims.auditId, 'the chain is named by its first')
  await sessions.revoke(first)
  t.equal(sessions.find(first.token), undefined)
  t.ok(sessions.find(second.token))
})

t.test('the fixed token is the administrator, whatever became of its user', async t => {
  const { store, sessions } = await openSessions('fixed')
  const session = sessions.find('fixed')
  t.match(session?.scope?.roles, [{ name: 'admin' }, { name: 'member' }, { name: 'reader' }])
  t.equal(sessions.find('fixed '), undefined)
  t.equal(sessions.find(''), undefined)
  const admin = store.get('users', session?.user.id ?? '')
  if (admin === undefined) throw new Error('the administrator is not known')
  await store.commit(tx => tx.put('users', { ...admin, isEnabled: false }))
  t.equal(sessions.find('fixed')?.user.id, admin.id)
  await store.commit(tx => tx.delete('users', admin.id))
  t.match(sessions.find('fixed'), { user: { id: 'admin' }, scope: { project: { name: 'admin' } } })
})
