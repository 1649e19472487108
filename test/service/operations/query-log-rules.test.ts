import t from 'tap'
import { actingAs } from '../../../src/actor.ts'
import { QueryLogRules } from '../../../src/service/operations/query-log-rules.ts'
import { fakeClock } from '../../helpers/clock.ts'
import { openMemoryStore } from '../../helpers/memory-store.ts'
import { refusal } from '../../helpers/refusal.ts'

const draft = { zoneId: null, client: null, sampledOf: 1, description: null, seconds: 60 }

function open() {
  const clock = fakeClock()
  const store = openMemoryStore({ clock })
  return { clock, rules: new QueryLogRules(store, clock, true), store }
}

t.test('a rule is in force for its time, and then a record of who began it', async t => {
  const { clock, rules } = open()
  let changes = 0
  rules.onChanged = () => {
    changes += 1
  }
  const user = { id: 'u1', name: 'ann' }
  const started = await actingAs({ road: 'v2', user }, () => rules.start(draft))
  t.strictSame(rules.active(), [started])
  t.equal(started.endsAt - started.createdAt, 60_000_000)
  clock.advanceMillis(60_000)
  t.strictSame(rules.active(), [])
  t.match(rules.list(), [{ id: started.id, startedBy: { user }, endedBy: null }])
  await rules.end(started.id)
  t.equal(rules.get(started.id).endedBy, null, 'its time was over')
  const other = await rules.start(draft)
  await actingAs({ road: 'v2', user }, () => rules.end(other.id))
  t.strictSame(rules.active(), [])
  t.match(rules.get(other.id), { endedBy: { user }, version: 2 })
  t.equal(changes, 4)
})

t.test('rules are refused that cannot be, and that are too many', async t => {
  const { clock, rules, store } = open()
  await t.rejects(rules.start({ ...draft, client: '192.0.2.0/33' }), refusal('bad_request'))
  await t.rejects(rules.start({ ...draft, zoneId: 'none' }), refusal('zone_not_found'))
  await t.rejects(new QueryLogRules(store, clock, false).start(draft), refusal('bad_request'))
  await t.rejects(rules.end('none'), refusal('not_found'))
  for (let i = 0; i < 15; i += 1) await rules.start(draft)
  await t.rejects(rules.start(draft), refusal('over_quota'))
  t.equal(rules.list().length, 15)
  for (let i = 0; i < 250; i += 1) {
    clock.advanceMillis(60_000)
    await rules.start(draft)
  }
  t.equal(rules.list().length, 200)
  t.equal(rules.active().length, 1)
})
