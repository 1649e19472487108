import t from 'tap'
import { bootstrapIdentity } from '../../../src/identity/bootstrap.ts'
import { openidUserOf } from '../../../src/identity/openid/openid-users.ts'
import { cheapCost } from '../../helpers/cheap-cost.ts'
import { fakeClock } from '../../helpers/clock.ts'
import { openMemoryStore } from '../../helpers/memory-store.ts'

t.test('of a claim, 1,000 roles are read', async t => {
  const store = openMemoryStore({ clock: fakeClock() })
  await bootstrapIdentity(store, { adminPassword: 'given', cost: cheapCost })
  const hasher = { hash: async () => 'hash' } as never
  const rolesFor = async (sub: string, roles: readonly string[]) => {
    const claims = { sub, roles } as never
    const issuer = 'https://example.com'
    const user = await openidUserOf(store, hasher, { issuer, claims, rolesClaim: 'roles' })
    return store.count('roleAssignments', 'byUser', user.id)
  }
  const others = Array.from({ length: 1000 }, (_, i) => `project${i}:member`)
  t.equal(await rolesFor('one', [...others.slice(1), 'admin:member']), 1)
  t.equal(await rolesFor('two', [...others, 'admin:member']), 0)
})
