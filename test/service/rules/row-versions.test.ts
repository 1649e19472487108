import t from 'tap'
import type { RowVersion } from '../../../src/model/stamped.ts'
import { addresses, callerOf, openDns, primary } from '../../helpers/dns.ts'

const one = callerOf('one')

async function openZone() {
  const dns = await openDns()
  const { id } = await dns.zones.create(one, primary('example.com.'))
  const { recordset, zone } = await dns.recordsets.create(one, id, addresses('www.example.com.'))
  return { dns, zone, recordset, key: { zoneId: id, id: recordset.id } }
}

/** What becomes of changes that are all asked for before any is made. */
async function outcomesOf(changes: readonly Promise<unknown>[]): Promise<readonly string[]> {
  const settled = await Promise.allSettled(changes)
  return settled.map(each => (each.status === 'fulfilled' ? 'done' : each.reason.type))
}

t.test('of changes that wait for the same version, the first is made', async t => {
  const { dns, zone, recordset, key } = await openZone()
  const seen: RowVersion[] = [recordset]
  const ofRecordset = [
    dns.recordsets.update(one, key, { ttlSeconds: 100 }, seen),
    dns.recordsets.update(one, key, { ttlSeconds: 200 }, seen),
    dns.recordsets.delete(one, key, seen),
  ]
  t.same(await outcomesOf(ofRecordset), ['done', 'precondition_failed', 'precondition_failed'])
  t.equal(dns.recordsets.get(one, key).recordset.ttlSeconds, 100)
  const now = dns.zones.get(one, zone.id)
  t.equal(now.version, zone.version + 1, 'what was refused changed nothing')

  const deletion = { key: { id: recordset.id } }
  const set = { create: [], replace: [], delete: [deletion], expectedVersions: [now] }
  const ofZone = [
    dns.zones.update(one, zone.id, { email: 'a@example.com' }, [now]),
    dns.zones.update(one, zone.id, { email: 'b@example.com' }, [now]),
    dns.changeSets.apply(one, zone.id, set),
    dns.zones.delete(one, zone.id, [now]),
  ]
  t.same(await outcomesOf(ofZone), ['done', ...Array(3).fill('precondition_failed')])
  t.match(dns.zones.get(one, zone.id), { email: 'a@example.com', version: now.version + 1 })
})

t.test('a version of another row, or none, is not the one expected', async t => {
  const { dns, zone, recordset, key } = await openZone()
  const other: RowVersion = { id: zone.id, version: recordset.version }
  for (const expected of [[], [other]]) {
    const change = dns.recordsets.update(one, key, { ttlSeconds: 100 }, expected)
    t.same(await outcomesOf([change]), ['precondition_failed'])
  }
  const change = dns.recordsets.update(one, key, { ttlSeconds: 100 }, [other, recordset])
  t.same(await outcomesOf([change]), ['done'])
})
