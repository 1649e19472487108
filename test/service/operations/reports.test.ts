import t from 'tap'
import { Reports } from '../../../src/service/operations/reports.ts'
import { addresses, callerOf, openDns, primary } from '../../helpers/dns.ts'

t.test('counts are those of the rows, whatever becomes of them', async t => {
  const { store, zones, recordsets } = await openDns()
  const reports = new Reports({ store, externalTargets: { unnotifiedCount: 3 } })
  const counts = () => (['zones', 'records', 'tenants'] as const).map(name => reports.count(name))
  t.same(counts(), [0, 0, 0])
  const zone = await zones.create(callerOf('one'), primary('one.example.'))
  const other = await zones.create(callerOf('two'), primary('two.example.'))
  const draft = addresses('www.one.example.', '192.0.2.1', '192.0.2.2')
  const { recordset } = await recordsets.create(callerOf('one'), zone.id, draft)
  t.same(counts(), [2, 6, 2])
  const place = { zoneId: zone.id, id: recordset.id }
  await recordsets.update(callerOf('one'), place, { records: ['192.0.2.1'] })
  t.same(counts(), [2, 5, 2])
  await zones.delete(callerOf('two'), other.id)
  t.same(counts(), [1, 3, 1])
  t.equal(reports.count('zonesDelayedNotify'), 3)
})

t.test('tenants are the projects that have zones now', async t => {
  const { zones, reports } = await openDns()
  const { id } = await zones.create(callerOf('two'), primary('b.example.'))
  await zones.create(callerOf('one'), primary('a.example.'))
  t.same(reports.tenants(), [
    { id: 'one', zoneCount: 1 },
    { id: 'two', zoneCount: 1 },
  ])
  t.same(reports.tenant('two'), { id: 'two', zoneCount: 1, zoneNames: ['b.example.'] })
  await zones.delete(callerOf('two'), id)
  t.same(reports.tenants(), [{ id: 'one', zoneCount: 1 }])
  t.same(reports.tenant('two'), { id: 'two', zoneCount: 0, zoneNames: [] })
})
