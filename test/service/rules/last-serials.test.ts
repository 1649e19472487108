import t from 'tap'
import { isNewerSerial } from '../../../src/dns/serial.ts'
import { newSoaTimers } from '../../../src/model/soa.ts'
import { rewriteApex } from '../../../src/service/rules/zone-rows.ts'
import { callerOf, everyRow, openDns, primary, type TestDns } from '../../helpers/dns.ts'

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

t.test('a serial that comes with a zone file is newer than that of the former zone', async t => {
  const dns = await openDns()
  const { serial: former } = await dns.zones.create(caller, primary('example.com.'))
  const soa = (serial: number) => ({ soa: { serial, soaTimers: newSoaTimers(0) } })
  const makeAgain = async (given: number) => {
    const [zone] = (await dns.zones.list(caller, everyRow)).rows
    await dns.zones.delete(caller, zone?.id ?? '')
    dns.clock.advanceMillis(3_600_000)
    const draft = { ...primary('example.com.'), ...soa(given) }
    return (await dns.store.commit(tx => dns.zones.createIn(tx, caller, draft))).serial
  }
  const now = former + 3600
  t.equal(await makeAgain(17), now, 'older')
  t.equal(await makeAgain(now), now + 3600, 'the same, and the content may be another')
  t.equal(await makeAgain(2_100_010_100), 2_100_010_100, 'newer')
})

const otherPool = {
  ...{ name: 'other', description: null, projectId: null, provisioner: null },
  nsRecords: [{ hostname: 'ns1.example.net.', priority: 1 }],
}

t.test('what was served for another pool at the same addresses counts as well', async t => {
  const dns = await openDns()
  const admin = callerOf('one', 'admin')
  const dated = 2_100_010_100
  const shared = await dns.pools.create({ ...otherPool, attributes: {} })
  const own = await dns.pools.create({
    ...otherPool,
    name: 'own',
    attributes: { listen: '127.0.0.1:0' },
  })
  t.teardown(() => dns.servers.close())
  const gone = await dns.zones.create(caller, primary('example.com.'))
  await dns.store.commit(tx => tx.put('zones', { ...gone, serial: dated }))
  await dns.zones.delete(caller, gone.id)
  const at = (pool: { readonly id: string }) => ({ attributes: { pool_id: pool.id } })
  const elsewhere = await dns.zones.create(admin, primary('example.com.', at(own)))
  t.ok(isNewerSerial(dated, elsewhere.serial), 'other addresses')
  const moved = await dns.zones.movePool(admin, elsewhere.id, shared.id)
  t.equal(moved.serial, dated + 1)
  await dns.zones.delete(admin, moved.id)
  t.equal((await dns.zones.create(admin, primary('example.com.'))).serial, dated + 2)
})

t.test('so does an abandoned zone, which is answered until then', async t => {
  const dns = await openDns()
  const zone = await dns.zones.create(caller, primary('example.com.'))
  await dns.store.commit(tx => tx.put('zones', { ...zone, serial: 2_100_010_100 }))
  await dns.zones.abandon(caller, zone.id)
  const { serial } = await dns.zones.create(callerOf('two'), primary('example.com.'))
  t.equal(serial, 2_100_010_101)
})

t.test('a project has a thousand: those that the clock has passed go first', async t => {
  const dns = await openDns()
  const serial = 2_100_010_100
  await dns.store.commit(tx => {
    for (let i = 0; i < 1000; i += 1) {
      const passed = i === 5 ? { serial: 7 } : { serial }
      const own = { zoneName: `n${i}.example.`, poolId: 'p', projectId: 'one', ...passed }
      tx.put('lastSerials', {
        id: `${1000 + i}`,
        version: 1,
        createdAt: i,
        updatedAt: null,
        ...own,
      })
    }
  })
  for (const [name, dropped] of [
    ['example.com.', '1005'],
    ['example.net.', '1000'],
  ] as const) {
    const zone = await dns.zones.create(caller, primary(name))
    await dns.store.commit(tx => tx.put('zones', { ...zone, serial }))
    await dns.zones.delete(caller, zone.id)
    t.equal(dns.store.count('lastSerials', 'byProject', 'one'), 1000)
    t.equal(dns.store.get('lastSerials', dropped), undefined)
  }
  t.ok(dns.store.get('lastSerials', '1001'))
})
