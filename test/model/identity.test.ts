import t from 'tap'
import { adminName, builtInRoles } from '../../src/model/identity.ts'

t.test('the administrator’s role is one that the policy knows', async t => {
  t.ok(builtInRoles.some(name => name === adminName))
  t.equal(new Set(builtInRoles).size, builtInRoles.length)
})
