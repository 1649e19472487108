import t from 'tap'
import {
  compareEventIds,
  eventsOf,
  lsnOfEvent,
} from '../../../src/service/events/resource-event.ts'
import { openEventStore } from '../../helpers/event-store.ts'

function recorded() {
  const opened = openEventStore()
  const events = () =>
    opened.commits.flatMap(commit => eventsOf(commit, id => opened.store.get('zones', id)))
  return { ...opened, events }
}

t.test('each change of a zone and its record sets is an event with Designate’s name', async t => {
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

t.test('what the server writes by itself is not told', async t => {
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

t.test('ids are in order of the commits, by number', async t => {
  const { putZone, events } = recorded()
  await putZone('z1')
  await putZone('z2')
  const [first = '', second = ''] = events().map(({ id }) => id)
  t.ok((compareEventIds(first, second) ?? 0) < 0)
  t.equal(compareEventIds(first, first), 0)
  t.ok((compareEventIds('9-1', '10-0') ?? 0) < 0)
  t.equal(lsnOfEvent('12-3'), 12)
  for (const wrong of ['', '12', '12-', '-1', 'x-1', '1-2-3', `${'9'.repeat(20)}-1`]) {
    t.equal(lsnOfEvent(wrong), undefined, wrong)
    t.equal(compareEventIds(wrong, '1-1'), undefined, wrong)
  }
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
