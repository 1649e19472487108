import t from 'tap'
import { withImpliedRoles } from '../../src/identity/policy.ts'
import type { Principal } from '../../src/identity/principal.ts'
import { callerFor, type Wishes } from '../../src/identity/scoping.ts'

const domain = { id: 'default', name: 'Default' }

const noPowers = {
  hasAllProjects: false,
  mayEditManagedRecords: false,
  wantsDeleteShares: false,
}
const noWishes = { ...noPowers, wantsHardDelete: false }

function principal(role: string): Principal {
  return {
    user: { id: 'u1', name: 'jo' },
    userDomain: domain,
    scope: {
      project: { id: 'alpha', name: 'alpha' },
      domain,
      roles: withImpliedRoles([role]).map(name => ({ id: name, name })),
    },
    credential: undefined,
  }
}

t.test('a caller is its account, project and roles', async t => {
  t.strictSame(callerFor(principal('member'), noWishes), {
    userId: 'u1',
    userName: 'jo',
    projectId: 'alpha',
    roles: ['member', 'reader'],
    ...noPowers,
  })
})

t.test('without a project nobody is a caller', async t => {
  const unscoped = { ...principal('admin'), scope: undefined }
  t.throws(() => callerFor(unscoped, noWishes), { name: 'ApiError', type: 'missing_project_id' })
})

const adminWishes = [
  { sudoProjectId: 'beta' },
  { hasAllProjects: true },
  { mayEditManagedRecords: true },
  { wantsHardDelete: true },
]

t.test('wishes beyond one’s own project are the administrator’s', async t => {
  for (const wish of adminWishes) {
    const wishes = { ...noWishes, ...wish }
    t.throws(() => callerFor(principal('member'), wishes), { name: 'ApiError', type: 'forbidden' })
    const { sudoProjectId, wantsHardDelete: _, ...powers } = wishes as Wishes
    t.match(callerFor(principal('admin'), wishes), {
      ...powers,
      projectId: sudoProjectId ?? 'alpha',
    })
  }
  const wishes = { ...noWishes, wantsDeleteShares: true }
  t.equal(callerFor(principal('member'), wishes).wantsDeleteShares, true)
})
