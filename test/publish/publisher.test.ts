import t from 'tap'
import { types } from '../../src/dns/codes.ts'
import { parseName } from '../../src/dns/name.ts'
import { parseRdata, typeMnemonic } from '../../src/dns/rdata/index.ts'
import type { Recordset } from '../../src/model/recordset.ts'
import { newStamp } from '../../src/model/stamped.ts'
import type { Zone } from '../../src/model/zone.ts'
import type { Store } from '../../src/store/store.ts'
import { TableZone } from '../../src/zone/table/table-zone.ts'
import { addresses, callerOf, openDns, primary, secondary } from '../helpers/dns.ts'
import { checkPublished } from '../helpers/publish-check.ts'

const caller = callerOf('one')
const apex = parseName('example.com.')
const www = parseName('www.example.com.')

t.test('a zone is served when its creation resolves', async t => {
  const dns = await openDns()
  const zone = await dns.zones.create(caller, primary('example.com.'))
  t.equal(dns.served.get(apex)?.serial, zone.serial)
  t.equal(dns.zones.stateOf(zone).status, 'ACTIVE')
  checkPublished(t, dns)
})

t.test('every change of recordsets is served as stored', async t => {
  const dns = await openDns({ targetNames: ['first', 'second'] })
  const zone = await dns.zones.create(caller, primary('example.com.'))
  const names = ['www.example.com.', 'a.b.c.example.com.', '*.example.com.', 'example.com.']
  const created = []
  for (const name of names) {
    created.push(await dns.recordsets.create(caller, zone.id, addresses(name)))
    checkPublished(t, dns)
  }
  for (const { recordset } of created) {
    const place = { zoneId: zone.id, id: recordset.id }
    await dns.recordsets.update(caller, place, { records: ['192.0.2.7', '192.0.2.8'] })
    checkPublished(t, dns)
    await dns.recordsets.update(caller, place, { ttlSeconds: 60 })
    checkPublished(t, dns)
  }
  for (const { recordset } of created) {
    await dns.recordsets.delete(caller, { zoneId: zone.id, id: recordset.id })
    checkPublished(t, dns)
  }
  t.same(dns.problems, [])
})

t.test('a change of all of a large zone is served as a whole when it resolves', async t => {
  const dns = await openDns()
  const zone = await dns.zones.create(caller, primary('example.com.', { ttlSeconds: 300 }))
  const { recordset } = await dns.recordsets.create(caller, zone.id, addresses('a.example.com.'))
  await dns.store.commit(tx => {
    for (let i = 0; i < 5000; i += 1) {
      const name = `host${i}.example.com.`
      tx.put('recordsets', { ...recordset, ...newStamp(tx), name, ttlSeconds: i % 2 ? 60 : null })
    }
  })
  await dns.zones.update(caller, zone.id, { ttlSeconds: 900 })
  checkPublished(t, dns)
  t.equal(dns.served.get(apex)?.rrsetCount, 5003)
})

t.test('recordsets without a TTL take the zone’s new one, others keep theirs', async t => {
  const dns = await openDns()
  const zone = await dns.zones.create(caller, primary('example.com.', { ttlSeconds: 300 }))
  await dns.recordsets.create(caller, zone.id, addresses('www.example.com.'))
  const own = { ...addresses('own.example.com.'), ttlSeconds: 60 }
  await dns.recordsets.create(caller, zone.id, own)
  await dns.zones.update(caller, zone.id, { ttlSeconds: 900 })
  const image = dns.served.get(apex)
  t.equal(image?.findRrset(www, types.A)?.ttlSeconds, 900)
  t.equal(image?.findRrset(parseName('own.example.com.'), types.A)?.ttlSeconds, 60)
  t.equal(image?.findRrset(apex, types.SOA)?.ttlSeconds, 900)
  checkPublished(t, dns)
})

t.test('of one commit what is new is served first, then what is gone, then the serial', async t => {
  const dns = await openDns()
  const zone = await dns.zones.create(caller, primary('example.com.'))
  const alias = { ...addresses('www.example.com.', 'example.net.'), type: 'CNAME' }
  const { recordset } = await dns.recordsets.create(caller, zone.id, alias)
  const old = { ...alias, name: 'old.example.com.' }
  const { recordset: gone } = await dns.recordsets.create(caller, zone.id, old)
  const soa = [...dns.store.list('recordsets', 'byZone', zone.id)].find(
    ({ type }) => type === 'SOA',
  )
  const steps: string[] = []
  const { putRrset, removeRrset, changeName } = TableZone.prototype
  t.teardown(() => Object.assign(TableZone.prototype, { putRrset, removeRrset, changeName }))
  TableZone.prototype.changeName = function (owner, changes, part) {
    steps.push(`change ${changes.map(({ type }) => typeMnemonic(type)).join(' ')}`)
    changeName.call(this, owner, changes, part)
  }
  TableZone.prototype.putRrset = function (owner, rrset) {
    steps.push(`put ${typeMnemonic(rrset.type)}`)
    putRrset.call(this, owner, rrset)
  }
  TableZone.prototype.removeRrset = function (owner, type) {
    steps.push(`remove ${typeMnemonic(type)}`)
    return removeRrset.call(this, owner, type)
  }
  await dns.store.commit(tx => {
    tx.put('recordsets', { ...soa, version: 9 } as Recordset)
    tx.delete('recordsets', gone.id)
    tx.delete('recordsets', recordset.id)
    tx.put('recordsets', { ...recordset, id: 'new', type: 'A', records: ['192.0.2.1'] })
  })
  t.same(steps, ['change CNAME A', 'remove CNAME', 'put SOA'])
  checkPublished(t, dns)
})

t.test('a recordset that takes the place of another in one commit is served', async t => {
  const dns = await openDns()
  const zone = await dns.zones.create(caller, primary('example.com.'))
  const { recordset } = await dns.recordsets.create(caller, zone.id, addresses('www.example.com.'))
  await dns.store.commit(tx => {
    tx.delete('recordsets', recordset.id)
    tx.put('recordsets', { ...recordset, id: 'second', records: ['192.0.2.7'] })
  })
  checkPublished(t, dns)
})

t.test('a recordset without records is not served, until it has some', async t => {
  const dns = await openDns()
  const zone = await dns.zones.create(caller, primary('example.com.'))
  const { recordset } = await dns.recordsets.create(caller, zone.id, {
    ...addresses('www.example.com.'),
    records: [],
  })
  t.equal(dns.served.get(apex)?.findRrset(www, types.A), undefined)
  await dns.recordsets.update(
    caller,
    { zoneId: zone.id, id: recordset.id },
    { records: ['192.0.2.1'] },
  )
  t.equal(dns.served.get(apex)?.findRrset(www, types.A)?.rdatas.length, 1)
  await dns.recordsets.update(caller, { zoneId: zone.id, id: recordset.id }, { records: [] })
  t.equal(dns.served.get(apex)?.findRrset(www, types.A), undefined)
  checkPublished(t, dns)
})

t.test('a deleted zone is served no more when its deletion resolves', async t => {
  const dns = await openDns()
  const zone = await dns.zones.create(caller, primary('example.com.'))
  await dns.zones.delete(caller, zone.id)
  t.equal(dns.served.size, 0)
})

t.test('a start serves what an earlier process has stored', async t => {
  const { store, zones, recordsets } = await openDns()
  for (const name of ['example.com.', 'example.org.']) {
    const zone = await zones.create(caller, primary(name))
    await recordsets.create(caller, zone.id, addresses(`www.${name}`))
  }
  const restarted = await openDns({ store })
  t.equal(restarted.served.size, 2)
  checkPublished(t, restarted)
  const zone = await restarted.zones.create(caller, primary('example.net.'))
  t.equal(restarted.zones.stateOf(zone).status, 'ACTIVE', 'and follows from there')
})

t.test('a zone that is being deleted is not served after a start', async t => {
  const { store, zones } = await openDns()
  const zone = await zones.create(caller, primary('example.com.'))
  await store.commit(tx => tx.put('zones', { ...zone, isDeleting: true }))
  t.equal((await openDns({ store })).served.size, 0)
})

t.test('a stored value that does not parse costs itself, not the zone', async t => {
  const dns = await openDns()
  const zone = await dns.zones.create(caller, primary('example.com.'))
  const { recordset } = await dns.recordsets.create(
    caller,
    zone.id,
    addresses('www.example.com.', '192.0.2.1'),
  )
  await damage(dns.store, recordset, { records: ['192.0.2.1', 'nonsense'] })

  t.equal(dns.problems.length, 1)
  t.equal(dns.served.get(apex)?.findRrset(www, types.A)?.rdatas.length, 1)
  const stored = dns.store.get('recordsets', recordset.id) as Recordset
  t.match(dns.recordsets.stateOf({ recordset: stored, zone }), {
    status: 'ERROR',
    reason: /nonsense/,
  })
  t.match(dns.zones.stateOf(zone), { status: 'ERROR', reason: /nonsense/ })

  const other = await dns.recordsets.create(caller, zone.id, addresses('other.example.com.'))
  t.equal(dns.recordsets.stateOf(other).status, 'ACTIVE', 'the rest of the zone goes on')

  const place = { zoneId: zone.id, id: recordset.id }
  const kept = await dns.recordsets.update(caller, place, { ttlSeconds: 60 })
  t.equal(kept.recordset.records.length, 2, 'other changes do not lose it')

  const repaired = await dns.recordsets.update(caller, place, { records: ['192.0.2.2'] })
  t.equal(dns.zones.stateOf(repaired.zone).status, 'ACTIVE', 'and a good value ends it')
  checkPublished(t, dns)
})

t.test('a row outside its zone or of a strange type is left out', async t => {
  const dns = await openDns()
  const zone = await dns.zones.create(caller, primary('example.com.'))
  const placed = await dns.recordsets.create(caller, zone.id, addresses('www.example.com.'))
  const { recordset } = placed
  const damages = [{ name: 'www.example.org.' }, { name: 'a..b.' }, { type: 'NONSENSE' }]
  for (const changes of damages) {
    await damage(dns.store, { ...recordset, id: `damaged-${dns.problems.length}` }, changes)
  }
  t.equal(dns.problems.length, 3)
  t.equal(dns.served.get(apex)?.findRrset(www, types.A)?.rdatas.length, 1)

  const restarted = await openDns({ store: dns.store })
  t.equal(restarted.problems.length, 3, 'and reported again at the next start')
  t.equal(restarted.served.get(apex)?.findRrset(www, types.A)?.rdatas.length, 1)
})

t.test('a zone whose SOA is lost is in ERROR and does not stop the others', async t => {
  const { store, zones } = await openDns()
  const zone = await zones.create(caller, primary('example.com.'))
  const other = await zones.create(caller, primary('example.org.'))
  await store.commit(tx => {
    for (const row of tx.list('recordsets', 'byZone', zone.id)) tx.delete('recordsets', row.id)
  })
  const restarted = await openDns({ store })
  t.match(restarted.zones.stateOf(zone), { status: 'ERROR', reason: /no SOA/ })
  t.equal(restarted.zones.stateOf(other).status, 'ACTIVE')
})

t.test('a SECONDARY zone', async t => {
  const dns = await openDns()
  const zone = await dns.zones.create(caller, secondary('example.com.'))
  const soa = managed('SOA', 'ns1.example.com. hostmaster.example.com. 7 3600 600 86400 300')

  t.test('is not served while its first copy comes in parts', async t => {
    await dns.store.commit(tx => tx.put('recordsets', { ...newStamp(tx), ...soa }))
    t.equal(dns.served.size, 0)
    t.equal(dns.zones.stateOf(zone).status, 'PENDING')
  })

  t.test('is served whole once it is transferred', async t => {
    const transferred = await dns.store.commit(tx => {
      tx.put('recordsets', { ...newStamp(tx), ...managed('NS', 'ns1.example.net.') })
      const after: Zone = { ...zone, serial: 7, transferredAt: tx.atMicros }
      tx.put('zones', after)
      return after
    })
    t.equal(dns.served.get(apex)?.serial, 7)
    t.equal(dns.zones.stateOf(transferred).status, 'ACTIVE')
    checkPublished(t, dns)
  })

  t.test('is marked expired and well again with its row', async t => {
    const row = dns.store.get('zones', zone.id) as Zone
    for (const isExpired of [true, false]) {
      const transfer = { ...row.transfer, isExpired } as NonNullable<Zone['transfer']>
      await dns.store.commit(tx => tx.put('zones', { ...row, transfer }))
      t.equal(dns.served.get(apex)?.isExpired, isExpired)
    }
  })

  t.test('serves its old copy until a large new one is written to the end', async t => {
    const before = dns.store.get('zones', zone.id) as Zone
    const transfer = { ...before.transfer, isReplacing: true } as NonNullable<Zone['transfer']>
    const ns = dns.store.find('recordsets', 'byNameAndType', `${zone.id}\nexample.com.\nNS`)
    await dns.store.commit(tx => {
      tx.delete('recordsets', ns?.id ?? '')
      tx.put('zones', { ...before, transfer })
    })
    await dns.store.commit(tx => tx.put('recordsets', { ...newStamp(tx), ...managed('TXT', 'x') }))
    const image = dns.served.get(apex)
    t.ok(image?.findRrset(apex, types.NS))
    t.notOk(image?.findRrset(apex, types.TXT))

    await dns.store.commit(tx => {
      tx.put('recordsets', { ...newStamp(tx), ...managed('NS', 'ns2.example.net.') })
      tx.put('zones', { ...before, transfer: { ...transfer, isReplacing: false } })
    })
    t.ok(image?.findRrset(apex, types.TXT))
    checkPublished(t, dns)
  })

  t.test('is seen at one moment where it is signed, however much of it changes', async t => {
    const put = (record: string, owners: readonly string[]) =>
      dns.store.commit(tx => {
        const row = managed('TXT', `"${record}"`)
        for (const owner of owners) {
          const name = `${owner}.example.com.`
          const known = dns.store.find('recordsets', 'byNameAndType', `${zone.id}\n${name}\nTXT`)
          tx.put('recordsets', { ...newStamp(tx), ...known, ...row, name })
        }
      })
    await dns.store.commit(tx =>
      tx.put('recordsets', { ...newStamp(tx), ...managed('NSEC', 'a.example.com. SOA NS NSEC') }),
    )
    const many = Array.from({ length: 600 }, (_, i) => `h${i}`)
    await put('one', many)
    const first = dns.served.get(apex)?.ref
    await put('two', many.slice(0, 70))
    t.equal(dns.served.get(apex)?.ref, first)
    await put('three', many)
    t.not(dns.served.get(apex)?.ref, first)
    checkPublished(t, dns)
  })

  t.test('is not served after a restart while its rows are of two copies', async t => {
    const row = dns.store.get('zones', zone.id) as Zone
    const transfer = { ...row.transfer, isReplacing: true } as NonNullable<Zone['transfer']>
    await dns.store.commit(tx => tx.put('zones', { ...row, transfer }))
    const restarted = await openDns({ store: dns.store })
    t.equal(restarted.served.size, 0)
    await dns.store.commit(tx => tx.put('zones', row))
    checkPublished(t, restarted)
  })

  function managed(
    type: string,
    record: string,
  ): Omit<Recordset, keyof ReturnType<typeof newStamp>> {
    return {
      zoneId: zone.id,
      name: 'example.com.',
      type,
      ttlSeconds: 300,
      description: null,
      records: [record],
      isManaged: true,
    }
  }
})

/** Writes a row past all checks. */
async function damage(store: Store, row: Recordset, changes: Partial<Recordset>): Promise<void> {
  await store.commit(tx => tx.put('recordsets', { ...row, ...changes }))
}

t.test('what targets have made of a zone is brought back to what is stored', async t => {
  const dns = await openDns({ targetNames: ['first', 'second'] })
  const zone = await dns.zones.create(caller, primary('example.com.'))
  const { recordset } = await dns.recordsets.create(caller, zone.id, addresses('www.example.com.'))
  await dns.recordsets.create(caller, zone.id, addresses('other.example.com.'))
  const damages: readonly [what: string, damage: () => void][] = [
    ['a recordset is missing', () => dns.served.get(apex)?.removeRrset(www, types.A)],
    ['one has other values', () => put('www.example.com.', '198.51.100.1')],
    ['there is one that nobody has stored', () => put('stray.example.com.', '198.51.100.2')],
    ['one target has lost the zone', () => dns.targets[1]?.zones.withdraw(apex)],
    ['both have', () => dns.targets.map(({ zones }) => zones.withdraw(apex))],
  ]
  const put = (name: string, address: string) => {
    const rdatas = [parseRdata(types.A, address)]
    dns.served.get(apex)?.putRrset(parseName(name), { type: types.A, ttlSeconds: 1, rdatas })
  }
  for (const [what, damage] of damages) {
    damage()
    await dns.publisher.republish(zone.id)
    t.test(what, async t => checkPublished(t, dns))
  }
  put('www.example.com.', '198.51.100.3')
  t.equal(dns.publisher.republishRecordset(zone.id, recordset.id), true, 'one alone as well')
  checkPublished(t, dns)
  t.same(dns.problems, [])
})

t.test('a zone of many recordsets is brought back beside changes of it', async t => {
  const dns = await openDns()
  const zone = await dns.zones.create(caller, primary('example.com.'))
  const names = Array.from({ length: 300 }, (_, i) => `n${i}.example.com.`)
  const created = []
  for (const name of names)
    created.push((await dns.recordsets.create(caller, zone.id, addresses(name))).recordset)
  dns.served.get(apex)?.removeRrset(parseName('n299.example.com.'), types.A)
  const changes = created
    .slice(100, 200)
    .map(({ id }) => dns.recordsets.delete(caller, { zoneId: zone.id, id }))
  await Promise.all([dns.publisher.republish(zone.id), ...changes])
  checkPublished(t, dns)
})

t.test('what is not to be served is not brought back', async t => {
  const dns = await openDns()
  const copy = await dns.zones.create(caller, secondary('copy.example.com.'))
  await dns.publisher.republish(copy.id)
  await dns.publisher.republish('a zone that there is not')
  t.equal(dns.publisher.republishRecordset(copy.id, 'a recordset that there is not'), false)
  t.equal([...dns.served].length, 0)
  t.same(dns.problems, [])
})
