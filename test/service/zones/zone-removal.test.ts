import t from 'tap'
import { newStamp } from '../../../src/model/stamped.ts'
import type { Zone } from '../../../src/model/zone.ts'
import type { Targets } from '../../../src/service/rules/targets.ts'
import { shortRemovalRows, ZoneRemoval } from '../../../src/service/zones/zone-removal.ts'
import { addresses, callerOf, openDns, primary, type TestDns } from '../../helpers/dns.ts'

const caller = callerOf('one')

async function bigZone(dns: TestDns, count: number): Promise<Zone> {
  const zone = await dns.zones.create(caller, primary('example.com.'))
  await dns.store.commit(tx => {
    for (let i = 0; i < count; i += 1) {
      const own = { ...addresses(`h${i}.example.com.`), zoneId: zone.id }
      tx.put('recordsets', { ...newStamp(tx), ...own, isManaged: false })
    }
  })
  return zone
}

t.test('a large zone goes a chunk at a time and is not waited for', async t => {
  const dns = await openDns()
  const zone = await bigZone(dns, 3 * shortRemovalRows)
  const before = dns.store.count('recordsets', 'byZone', zone.id)
  await dns.zones.delete(caller, zone.id)
  t.equal(dns.served.size, 0, 'no target serves it')
  const left = dns.store.count('recordsets', 'byZone', zone.id)
  t.ok(left > 0 && left >= before - 2 * shortRemovalRows, 'and most of it is still stored')
  await dns.removal.finishAll()
  t.equal(dns.store.count('recordsets', 'byZone', zone.id), 0)
  t.equal(dns.store.get('zones', zone.id), undefined)
})

t.test('a zone of exactly a chunk leaves nothing behind', async t => {
  const dns = await openDns()
  // SOA and NS are recordsets as well.
  const zone = await bigZone(dns, shortRemovalRows - 2)
  t.equal(dns.removal.isShort(zone), false)
  await dns.zones.delete(caller, zone.id)
  await dns.removal.finishAll()
  t.equal(dns.store.get('zones', zone.id), undefined)
})

t.test('what a crash interrupted is finished at the next start', async t => {
  const before = await openDns()
  const zone = await bigZone(before, 10)
  await before.store.commit(tx => tx.put('zones', { ...zone, isDeleting: true }))
  const dns = await openDns({ store: before.store })
  await dns.removal.finishAll()
  t.equal(dns.store.get('zones', zone.id), undefined)
  t.equal(dns.store.count('recordsets', 'byZone', zone.id), 0)
})

t.test('a zone stays stored until its last target has let go of it', async t => {
  const { store, zones } = await openDns()
  const zone = await zones.create(caller, primary('example.com.'))
  await store.commit(tx => tx.put('zones', { ...zone, isDeleting: true }))
  const serials: (number | undefined)[] = [undefined, zone.serial]
  const targets: Targets = {
    reportsOf: () => serials.map((serial, i) => ({ target: `ns${i}`, serial, problem: undefined })),
    problemOf: () => undefined,
  }
  const removal = new ZoneRemoval({ store, targets })
  await removal.finishAll()
  t.not(store.get('zones', zone.id), undefined)
  serials[1] = undefined
  await removal.finishAll()
  t.equal(store.get('zones', zone.id), undefined)
})

t.test('who asks for a removal that is under way joins it', async t => {
  const dns = await openDns()
  const zone = await bigZone(dns, shortRemovalRows)
  await dns.zones.delete(caller, zone.id)
  t.equal(dns.removal.remove(zone), dns.removal.remove(zone))
  await dns.removal.remove(zone)
  t.equal(dns.store.get('zones', zone.id), undefined)
})
