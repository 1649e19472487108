import t from 'tap'
import { eventsOf } from '../../../src/service/events/resource-event.ts'
import type { PastCommit } from '../../../src/store/store.ts'
import { openEventStore } from '../../helpers/event-store.ts'

function recorded() {
  const opened = openEventStore()
  const events = () => opened.commits.flatMap(commit => eventsOf(commit) ?? [])
  return { ...opened, events }
}

t.test('each change of a zone and its recordsets is an event with Designate’s name', async t => {
  const { putZone, putRecordset, delete: remove, events } = recorded()
  await putZone('z1')
  await putRecordset('r1')
  await putRecordset('r1', { records: ['192.0.2.2'] })
  await remove('recordsets', 'r1')
  await putZone('z1', { description: 'changed' })
  const told = events()
  t.same(
    told.map(({ type }) => type),
    [
      'dns.zone.create',
      'dns.recordset.create',
      'dns.recordset.update',
      'dns.recordset.delete',
      'dns.zone.update',
    ],
  )
  t.ok(told.every(event => event.projectIds.join() === 'p1'))
  t.match(told[2]?.payload, { name: 'r1.z1.example.', zone_id: 'z1', records: ['192.0.2.2'] })
})

t.test('a zone is deleted once, when that is accepted, and its rows go in silence', async t => {
  const { putZone, putRecordset, delete: remove, events } = recorded()
  await putZone('z1')
  await putRecordset('r1')
  await putZone('z1', { isDeleting: true })
  await remove('recordsets', 'r1')
  await remove('zones', 'z1')
  const types = events().map(({ type }) => type)
  t.equal(types.filter(type => type === 'dns.zone.delete').length, 1)
  t.notOk(types.includes('dns.recordset.delete'))
})

t.test('an abandoned zone is deleted in events', async t => {
  const { putZone, putRecordset, delete: remove, events } = recorded()
  await putZone('z1')
  await putRecordset('r1')
  await putZone('z1', { isAbandoned: true })
  await putZone('z1', { isAbandoned: true, isDeleting: true })
  await remove('recordsets', 'r1')
  await remove('zones', 'z1')
  t.same(
    events().map(({ type }) => type),
    ['dns.zone.create', 'dns.recordset.create', 'dns.zone.delete'],
  )
})

t.test('what the server writes by itself is not reported', async t => {
  const { putZone, putRecordset, events } = recorded()
  await putZone('z1')
  await putRecordset('soa', { type: 'SOA', isManaged: true })
  t.same(
    events().map(({ type }) => type),
    ['dns.zone.create'],
  )
})

t.test('a zone that changes hands is told to both projects', async t => {
  const { putZone, events } = recorded()
  await putZone('z1')
  await putZone('z1', { projectId: 'p2' })
  t.same([...(events()[1]?.projectIds ?? [])].sort(), ['p1', 'p2'])
})

t.test('what administrators keep is told to them alone, and no secret with it', async t => {
  const { store, events } = recorded()
  const stamp = { version: 1, createdAt: 1, updatedAt: null }
  const description = null
  const key = { name: 'k', algorithm: 'hmac-md5', scope: 'POOL', resourceId: 'p' } as const
  await store.commit(tx => {
    tx.put('blacklists', { ...stamp, id: 'b', pattern: '^a', description })
    tx.put('tlds', { ...stamp, id: 't', name: 'com', description })
    tx.put('tsigKeys', { ...stamp, id: 'k', ...key, secret: 'hidden' })
  })
  const told = events()
  t.same(told.map(({ type }) => type).sort(), [
    'dns.blacklist.create',
    'dns.tld.create',
    'dns.tsigkey.create',
  ])
  t.ok(told.every(({ projectIds }) => projectIds.length === 0))
  t.notMatch(JSON.stringify(told), /hidden/)
})

t.test(
  'a commit that is read again makes the same events, whatever has become of its rows',
  async t => {
    const { putZone, putRecordset, delete: remove, commits, events } = recorded()
    await putZone('z1')
    await putRecordset('r1')
    await putRecordset('r1', { records: ['192.0.2.2'] })
    await remove('recordsets', 'r1')
    await putZone('z1', { projectId: 'p2' })
    await putZone('z1', { isDeleting: true })
    await remove('zones', 'z1')
    const again = commits.map(({ changes, ...commit }): PastCommit => {
      // What the log has of it.
      return JSON.parse(JSON.stringify({ ...commit, changes }))
    })
    t.same(
      again.flatMap(commit => eventsOf(commit) ?? []),
      events(),
    )
    t.match(events()[3], { type: 'dns.recordset.delete', payload: { id: 'r1', zone_id: 'z1' } })
  },
)

t.test('of a commit without facts nothing is known', async t => {
  const { putZone, commits } = recorded()
  await putZone('z1')
  const [{ lsn, atMicros, changes } = commits[0]!] = commits
  t.equal(eventsOf({ lsn, atMicros, changes }), undefined)
})

t.test('a budget is told of by its changes, and by each threshold it reaches once', async t => {
  const { store, events } = recorded()
  const stamp = { version: 1, createdAt: 1, updatedAt: null }
  const budget = { ...stamp, id: 'b1', projectId: 'p1', amount: '10', thresholds: [80] }
  const reached = { budgetId: 'b1', projectId: 'p1', month: '2026-11', threshold: 80 }
  const crossing = { ...stamp, id: 'c1', ...reached, amount: '10', cost: '8.5' }
  await store.commit(tx => tx.put('budgets', budget))
  await store.commit(tx => tx.put('budgetCrossings', crossing))
  await store.commit(tx => tx.delete('budgetCrossings', 'c1'))
  await store.commit(tx => tx.delete('budgets', 'b1'))
  const told = events()
  t.same(
    told.map(({ type }) => type),
    ['rating.budget.create', 'rating.budget.threshold', 'rating.budget.delete'],
  )
  t.ok(told.every(({ projectIds }) => projectIds.join() === 'p1'))
  t.strictSame(told[1]?.payload, {
    budget_id: 'b1',
    project_id: 'p1',
    month: '2026-11',
    threshold: 80,
    amount: '10',
    cost: '8.5',
  })
})
