import t from 'tap'
import { defaultPoolId } from '../../../src/model/pool.ts'
import type { Zone } from '../../../src/model/zone.ts'
import { changedNsRecords } from '../../../src/service/pools/ns-records.ts'
import { advanceZone, raiseAboveLost } from '../../../src/service/rules/zone-rows.ts'
import { keyOf } from '../../../src/store/indexes.ts'
import { callerOf, openDns, primary, secondary } from '../../helpers/dns.ts'

const one = callerOf('one')

t.test('advancing a PRIMARY zone rewrites its SOA in the same transaction', async t => {
  const { store, zones } = await openDns()
  const zone = await zones.create(one, primary('example.com.'))
  const soaOf = ({ id, name }: Zone) =>
    store.find('recordsets', 'byNameAndType', keyOf(id, name, 'SOA'))
  const before = soaOf(zone)
  const after = await store.commit(tx => advanceZone(tx, zone, { description: 'text' }))
  t.match(after, { description: 'text', version: 2, serial: zone.serial + 1 })
  t.equal(soaOf(zone)?.id, before?.id)
  t.match(soaOf(zone)?.records, [new RegExp(` ${after.serial} `)])
})

t.test('the SOA follows the pool’s first name server, and comes back if it was lost', async t => {
  const { store, zones } = await openDns()
  const zone = await zones.create(one, primary('example.com.'))
  const key = keyOf(zone.id, zone.name, 'SOA')
  const pool = store.get('pools', defaultPoolId)
  if (pool === undefined) throw new Error('there is no default pool')
  await store.commit(tx => {
    const nsRecords = changedNsRecords(tx, pool.nsRecords, [
      { hostname: 'ns2.example.net.', priority: 2 },
      { hostname: 'ns1.example.net.', priority: 1 },
    ])
    tx.put('pools', { ...pool, nsRecords })
    tx.delete('recordsets', store.find('recordsets', 'byNameAndType', key)?.id ?? '')
    return advanceZone(tx, zone)
  })
  t.match(store.find('recordsets', 'byNameAndType', key)?.records, [/^ns1\.example\.net\. /])
})

t.test('advancing a SECONDARY zone leaves its serial to its master', async t => {
  const { store, zones } = await openDns()
  const zone = await zones.create(one, secondary('example.com.'))
  const after = await store.commit(tx => advanceZone(tx, zone))
  t.match(after, { version: 2, serial: zone.serial })
  t.equal(store.count('recordsets', 'byZone', zone.id), 0)
})

t.test('the serial of a zone is raised above what was served of a lost state', async t => {
  const { store, zones } = await openDns()
  const zone = await zones.create(one, primary('example.com.'))
  const raise = (serial: number) =>
    store.commit(tx => {
      const after = { ...zone, serial }
      raiseAboveLost(tx, [{ changes: [{ collection: 'zones', id: zone.id, after }] }])
      return tx.get('zones', zone.id)
    })
  const served = zone.serial + 5
  t.match(await raise(served), { serial: served + 1, raisedTo: served + 1 })
  t.match(await raise(served), { serial: served + 1 }, 'not again by another node')
  await store.commit(tx => {
    const current = tx.get('zones', zone.id)
    if (current !== undefined) advanceZone(tx, current, { serial: served + 50 })
  })
  t.match(
    await raise(served + 20),
    { serial: served + 51, raisedTo: served + 51 },
    'one that is ahead has had that serial, with another content',
  )
})

t.test('a SECONDARY zone whose transfer was lost keeps the serial of its master', async t => {
  const { store, zones } = await openDns()
  const zone = await zones.create(one, secondary('example.com.'))
  await store.commit(tx => {
    const after = { ...zone, serial: zone.serial + 1 }
    raiseAboveLost(tx, [{ changes: [{ collection: 'zones', id: zone.id, after }] }])
  })
  t.equal(store.get('zones', zone.id)?.serial, zone.serial)
})
