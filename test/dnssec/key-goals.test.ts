import t from 'tap'
import { type GoalKey, type KeyRole, recordsOf, withGoals } from '../../src/dnssec/key-goals.ts'
import { omnipresent, withdrawn } from '../../src/dnssec/presence.ts'

const csk = { role: 'CSK', algorithm: 13, lifetimeSeconds: null } as const
const ed25519 = { ...csk, algorithm: 15 }
const ksk = { ...csk, role: 'KSK' } as const
const zsk = { ...csk, role: 'ZSK', lifetimeSeconds: 100 } as const

function keyOf(role: KeyRole, goal: GoalKey['goal'] = 'OMNIPRESENT', createdAt = 0): GoalKey {
  const id = `${role} ${createdAt}`
  return { id, role, algorithm: 13, goal, createdAt, ...recordsOf(role, omnipresent) }
}

const goals = ({ keys }: { keys: GoalKey[] }) => keys.map(({ id, goal }) => `${id} ${goal}`)

t.test('a zone without keys gets those of its policy', async t => {
  t.same(withGoals([], [ksk, zsk], { now: 0 }), { keys: [], missing: [ksk, zsk] })
})

t.test('a key that is too old is replaced, others stay', async t => {
  const keys = [keyOf('KSK'), keyOf('ZSK')]
  t.same(withGoals(keys, [ksk, zsk], { now: 99_999_999 }), { keys, missing: [] })
  const after = withGoals(keys, [ksk, zsk], { now: 100_000_000 })
  t.same(goals(after), ['KSK 0 OMNIPRESENT', 'ZSK 0 HIDDEN'])
  t.same(after.missing, [zsk])
})

t.test('a roll by hand makes a key of the role, and none more before it is over', async t => {
  const after = withGoals([keyOf('CSK')], [csk], { now: 1, retired: 'CSK' })
  t.same(goals(after), ['CSK 0 HIDDEN'])
  t.same(after.missing, [csk])
  const rolling = [...after.keys, keyOf('CSK', 'OMNIPRESENT', 1)]
  t.same(withGoals(rolling, [csk], { now: 2, retired: 'CSK' }), { keys: rolling, missing: [] })
  t.same(withGoals(rolling, [ed25519], { now: 2 }), { keys: rolling, missing: [] })
})

t.test('another policy replaces the keys that do not fit it', async t => {
  const after = withGoals([keyOf('CSK')], [ksk, zsk], { now: 1 })
  t.same(goals(after), ['CSK 0 HIDDEN'])
  t.same(after.missing, [ksk, zsk])
})

t.test('going insecure and back again keeps the keys that are still whole', async t => {
  const off = withGoals([keyOf('KSK'), keyOf('ZSK')], [], { now: 1 })
  t.same(goals(off), ['KSK 0 HIDDEN', 'ZSK 0 HIDDEN'])
  t.same(off.missing, [])
  const [first, second] = off.keys as [GoalKey, GoalKey]
  const begun = [{ ...first, ds: withdrawn(omnipresent, 1) }, second]
  const back = withGoals(begun, [ksk, zsk], { now: 2 })
  t.same(goals(back), ['KSK 0 OMNIPRESENT', 'ZSK 0 OMNIPRESENT'])
  const gone = [first, { ...second, zoneSignatures: withdrawn(omnipresent, 1) }]
  t.same(withGoals(gone, [ksk, zsk], { now: 2 }).missing, [zsk])
})
