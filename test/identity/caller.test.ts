import t from 'tap'
import { type Caller, isAdmin, reachesProject } from '../../src/identity/caller.ts'

const member: Caller = {
  userId: 'u1',
  userName: 'jo',
  projectId: 'alpha',
  roles: ['member', 'reader'],
  hasAllProjects: false,
  mayEditManagedRecords: false,
  wantsDeleteShares: false,
}

t.test('a caller reaches its own project, or all when it says so', async t => {
  t.equal(reachesProject(member, 'alpha'), true)
  t.equal(reachesProject(member, 'beta'), false)
  t.equal(reachesProject(member, null), false)
  const everywhere = { ...member, hasAllProjects: true }
  for (const projectId of ['alpha', 'beta', null])
    t.equal(reachesProject(everywhere, projectId), true)
})

t.test('the role makes the administrator', async t => {
  t.equal(isAdmin(member), false)
  t.equal(isAdmin({ ...member, roles: ['admin', 'member', 'reader'] }), true)
})
