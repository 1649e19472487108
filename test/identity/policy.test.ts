import t from 'tap'
import {
  isAllowed,
  type Rule,
  requireAllowed,
  withImpliedRoles,
} from '../../src/identity/policy.ts'

const rows: readonly [rule: Rule, least: string][] = [
  ['get_limits', 'anyone'],
  ['get_zone', 'reader'],
  ['create_zone', 'member'],
  ['delete_recordset', 'member'],
  ['abandon_zone', 'admin'],
  ['manage_pools', 'admin'],
  ['use_blacklisted_zone', 'admin'],
]

// What each kind of caller passes, by the least role a rule names.
const passes = {
  stranger: ['anyone'],
  reader: ['anyone', 'reader'],
  member: ['anyone', 'reader', 'member'],
  admin: ['anyone', 'reader', 'member', 'admin'],
}

t.test('a rule is passed by its least role and those above it', async t => {
  for (const [rule, least] of rows) {
    for (const [role, passed] of Object.entries(passes)) {
      const roles = withImpliedRoles([role])
      t.equal(isAllowed({ roles }, rule), passed.includes(least), `${role}: ${rule}`)
    }
  }
})

t.test('a caller that does not pass is refused', async t => {
  t.throws(() => requireAllowed({ roles: ['reader'] }, 'create_zone'), {
    name: 'ApiError',
    type: 'forbidden',
  })
  t.doesNotThrow(() => requireAllowed({ roles: ['member'] }, 'create_zone'))
})

t.test('an admin is a member is a reader, and other roles stay', async t => {
  t.strictSame(withImpliedRoles(['admin']), ['admin', 'member', 'reader'])
  t.strictSame(withImpliedRoles(['member', 'auditor']), ['member', 'auditor', 'reader'])
  t.strictSame(withImpliedRoles([]), [])
})
