import t from 'tap'
import { isNewerSerial } from '../../../src/dns/serial.ts'
import { rewriteApex } from '../../../src/service/rules/zone-rows.ts'
import { callerOf, openDns, primary, type TestDns } from '../../helpers/dns.ts'

const caller = callerOf('one')

/** Makes a zone with a serial, deletes it, and makes it again; returns the serial then. */
async function again({ zones, store }: TestDns, serial: number, name = 'example.com.') {
  const zone = await zones.create(caller, primary(name))
  await store.commit(tx => tx.put('zones', { ...zone, serial }))
  await zones.delete(caller, zone.id)
  return (await zones.create(caller, primary(name.toUpperCase()))).serial
}

t.test('a zone that is made again goes on where the former one was', async t => {
  const dns = await openDns()
  const now = (await dns.zones.create(caller, primary('now.example.'))).serial
  const dated = 2_100_010_100
  t.equal(await again(dns, dated), dated + 1)
  t.equal(dns.store.count('lastSerials', 'byProject', 'one'), 0, 'and that is forgotten')
  t.equal(await again(dns, now, 'same-second.example.'), now + 1)
  t.equal(await again(dns, 2 ** 32 - 1, 'last.example.'), now, 'the clock is newer')
})

t.test('a zone that is restored goes on where the last one of its name was', async t => {
  const dns = await openDns()
  const first = await dns.zones.create(caller, primary('example.com.'))
  await dns.zones.delete(caller, first.id)
  const dated = 2_100_010_100
  const second = await dns.zones.create(caller, primary('example.com.'))
  await dns.store.commit(tx => tx.put('zones', { ...second, serial: dated }))
  await dns.zones.delete(caller, second.id)
  const deleted = { ...first, isDeleting: true }
  const restored = await dns.store.commit(tx =>
    rewriteApex(tx, dns.zones.restoreIn(tx, caller, deleted)),
  )
  t.ok(isNewerSerial(restored.serial, dated), `${restored.serial}`)
  t.equal(dns.store.count('lastSerials', 'byProject', 'one'), 0)
})

t.test('one whose serial the clock has passed leaves nothing behind', async t => {
  const dns = await openDns()
  const zone = await dns.zones.create(caller, primary('example.com.'))
  await dns.store.commit(tx => tx.put('zones', { ...zone, serial: 7 }))
  await dns.zones.delete(caller, zone.id)
  t.equal(dns.store.count('lastSerials', 'byProject', 'one'), 0)
})

t.test('a project has a thousand of them, the latest', async t => {
  const dns = await openDns()
  const serial = 2_100_010_100
  await dns.store.commit(tx => {
    for (let i = 0; i < 1000; i += 1) {
      const own = { zoneName: `n${i}.example.`, poolId: 'p', projectId: 'one', serial }
      tx.put('lastSerials', {
        id: `${1000 + i}`,
        version: 1,
        createdAt: i,
        updatedAt: null,
        ...own,
      })
    }
  })
  const zone = await dns.zones.create(caller, primary('example.com.'))
  await dns.store.commit(tx => tx.put('zones', { ...zone, serial }))
  await dns.zones.delete(caller, zone.id)
  t.equal(dns.store.count('lastSerials', 'byProject', 'one'), 1000)
  t.equal(dns.store.get('lastSerials', '1000'), undefined)
})
