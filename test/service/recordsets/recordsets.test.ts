import t from 'tap'
import type { Recordset } from '../../../src/model/recordset.ts'
import { newStamp } from '../../../src/model/stamped.ts'
import type { Zone } from '../../../src/model/zone.ts'
import { Recordsets } from '../../../src/service/recordsets/recordsets.ts'
import {
  addresses,
  callerOf,
  everyRow,
  openDns,
  primary,
  secondary,
  type TestDns,
} from '../../helpers/dns.ts'
import { inParallel } from '../../helpers/in-parallel.ts'
import { checkPublished } from '../../helpers/publish-check.ts'
import { refusal } from '../../helpers/refusal.ts'

const one = callerOf('one')
const two = callerOf('two')
const admin = callerOf('one', 'admin')

async function openZone(draft = primary('example.com.')) {
  const dns = await openDns()
  const zone = await dns.zones.create(one, draft)
  const create = (name: string, type: string, ...records: string[]) =>
    dns.recordsets.create(one, zone.id, { ...addresses(name, ...records), type })
  return { dns, zone, create }
}

t.test('a new recordset advances the zone and is ACTIVE at once', async t => {
  const { dns, zone, create } = await openZone()
  const placed = await create('www.example.com.', 'A', '192.0.2.1')
  t.match(placed.recordset, { version: 1, updatedAt: null, isManaged: false })
  t.equal(placed.zone.version, zone.version + 1)
  t.equal(placed.zone.serial, zone.serial + 1)
  t.equal(dns.recordsets.stateOf(placed).status, 'ACTIVE')
})

t.test('records keep their order, each once', async t => {
  const { create } = await openZone()
  const { recordset } = await create('www.example.com.', 'A', '192.0.2.3', '192.0.2.1', '192.0.2.3')
  t.same(recordset.records, ['192.0.2.3', '192.0.2.1'])
})

t.test('a name and type are there once, in any case', async t => {
  const { create } = await openZone()
  await create('www.example.com.', 'A', '192.0.2.1')
  await t.rejects(create('WWW.example.com.', 'A', '192.0.2.2'), refusal('duplicate_recordset'))
  await t.rejects(create('example.com.', 'NS', 'ns1.example.net.'), refusal('duplicate_recordset'))
  await t.resolves(create('www.example.com.', 'AAAA', '2001:db8::1'))
})

t.test('of 64 parallel creations one succeeds, of 64 different ones all', async t => {
  const { dns, zone, create } = await openZone()
  const outcomes = await inParallel(64, Array.from({ length: 64 }), () =>
    create('www.example.com.', 'A', '192.0.2.1').then(
      () => 'created',
      error => error.type,
    ),
  )
  t.equal(outcomes.filter(outcome => outcome === 'created').length, 1)
  t.equal(outcomes.filter(outcome => outcome === 'duplicate_recordset').length, 63)
  const numbers = Array.from({ length: 64 }, (_, i) => i)
  const placed = await inParallel(64, numbers, i => create(`h${i}.example.com.`, 'A', '192.0.2.1'))
  for (const each of placed) t.equal(dns.recordsets.stateOf(each).status, 'ACTIVE')
  t.equal(
    dns.zones.get(one, zone.id).serial,
    zone.serial + 65,
    'each change has a serial of its own',
  )
  checkPublished(t, dns)
})

t.test('of a CNAME and an address created at once one succeeds', async t => {
  const { dns, create } = await openZone()
  const results = await Promise.allSettled([
    create('www.example.com.', 'A', '192.0.2.1'),
    create('www.example.com.', 'CNAME', 'example.net.'),
  ])
  t.same(results.map(({ status }) => status).sort(), ['fulfilled', 'rejected'])
  checkPublished(t, dns)
})

t.test('what may be where', async t => {
  const { dns, create } = await openZone()
  await dns.zones.create(one, primary('child.example.com.'))
  await create('www.example.com.', 'A', '192.0.2.1')
  await create('alias.example.com.', 'CNAME', 'example.net.')
  await create('below.gone.example.com.', 'A', '192.0.2.1')
  await create('moved.example.com.', 'DNAME', 'example.net.')
  await create('cut.example.com.', 'NS', 'ns.example.net.')

  const refused: [rule: string, name: string, type: string, record: string][] = [
    ['outside the zone', 'www.example.org.', 'A', '192.0.2.1'],
    ['at the apex of a child zone', 'child.example.com.', 'A', '192.0.2.1'],
    ['below a child zone', 'a.b.Child.example.com.', 'A', '192.0.2.1'],
    ['a CNAME at the apex', 'example.com.', 'CNAME', 'example.net.'],
    ['a CNAME beside an address', 'WWW.example.com.', 'CNAME', 'example.net.'],
    ['an address beside a CNAME', 'alias.example.com.', 'A', '192.0.2.1'],
    ['DS at the apex', 'example.com.', 'DS', `1 13 2 ${'0a'.repeat(32)}`],
    ['a DNAME above data', 'gone.example.com.', 'DNAME', 'example.net.'],
    ['data below a DNAME', 'x.moved.example.com.', 'A', '192.0.2.1'],
    ['a DNAME beside NS', 'cut.example.com.', 'DNAME', 'example.net.'],
  ]
  for (const [rule, name, type, record] of refused) {
    const lsnBefore = await lastChange(dns)
    await t.rejects(create(name, type, record), refusal('invalid_recordset_location'), rule)
    t.equal(await lastChange(dns), lsnBefore, 'and nothing is written')
  }

  const accepted: [rule: string, name: string, type: string, record: string][] = [
    ['NS of a child zone, on the parent side', 'child.example.com.', 'NS', 'ns.example.net.'],
    ['DS of a child zone', 'child.example.com.', 'DS', `1 13 2 ${'0a'.repeat(32)}`],
    ['glue below a cut', 'ns.cut.example.com.', 'A', '192.0.2.1'],
    ['a DNAME with nothing below', 'other.example.com.', 'DNAME', 'example.net.'],
    ['a wildcard', '*.example.com.', 'TXT', 'text'],
    ['a name that ends like a child zone', 'grandchild.example.com.', 'A', '192.0.2.1'],
  ]
  for (const [rule, name, type, record] of accepted)
    await t.resolves(create(name, type, record), rule)
  checkPublished(t, dns)
})

t.test('a CNAME and a DNAME have one value, created or updated', async t => {
  const { dns, create } = await openZone()
  for (const type of ['CNAME', 'DNAME']) {
    const name = `${type}.example.com.`
    const two = ['a.example.net.', 'b.example.net.']
    await t.rejects(create(name, type, ...two), refusal('bad_request'))
    const { recordset } = await create(name, type, 'a.example.net.')
    const place = { zoneId: recordset.zoneId, id: recordset.id }
    await t.rejects(dns.recordsets.update(one, place, { records: two }), refusal('bad_request'))
    await t.resolves(dns.recordsets.update(one, place, { records: ['b.example.net.'] }))
  }
})

t.test('a set without records takes no room, but has to fit when it gets some', async t => {
  const { dns, zone, create } = await openZone()
  const { recordset } = await dns.recordsets.create(one, zone.id, {
    ...addresses('www.example.com.'),
    records: [],
  })
  await create('www.example.com.', 'CNAME', 'example.net.')
  const place = { zoneId: recordset.zoneId, id: recordset.id }
  const patch = { records: ['192.0.2.1'] }
  await t.rejects(dns.recordsets.update(one, place, patch), refusal('invalid_recordset_location'))
})

t.test('an update changes what it says and leaves the rest', async t => {
  const { dns, zone } = await openZone()
  const draft = { ...addresses('www.example.com.'), ttlSeconds: 60, description: 'text' }
  const { recordset } = await dns.recordsets.create(one, zone.id, draft)
  const place = { zoneId: zone.id, id: recordset.id }
  const updated = await dns.recordsets.update(one, place, { records: ['192.0.2.9'] })
  t.match(updated.recordset, {
    records: ['192.0.2.9'],
    ttlSeconds: 60,
    description: 'text',
    version: 2,
  })
  const cleared = await dns.recordsets.update(one, place, { ttlSeconds: null, description: null })
  t.match(cleared.recordset, {
    records: ['192.0.2.9'],
    ttlSeconds: null,
    description: null,
    version: 3,
  })
  t.equal(cleared.zone.serial, zone.serial + 3)
})

t.test('SOA and apex NS of a PRIMARY zone are the server’s', async t => {
  const { dns, zone, create } = await openZone()
  await t.rejects(create('example.com.', 'SOA', '. . 1 2 3 4 5'), refusal('bad_request'))
  for (const { id } of (await dns.recordsets.list(zone, everyRow)).rows) {
    const place = { zoneId: zone.id, id }
    await t.rejects(dns.recordsets.update(admin, place, { ttlSeconds: 1 }), refusal('bad_request'))
    await t.rejects(dns.recordsets.delete(admin, place), refusal('bad_request'))
  }
})

t.test('recordsets of a SECONDARY zone are written by administrators only', async t => {
  const { dns, zone } = await openZone(secondary('example.com.'))
  const row: Recordset = await dns.store.commit(tx => {
    const own = { ...addresses('www.example.com.'), zoneId: zone.id }
    const recordset = { ...newStamp(tx), ...own, isManaged: true }
    tx.put('recordsets', recordset)
    return recordset
  })
  const place = { zoneId: zone.id, id: row.id }
  const draft = addresses('other.example.com.')
  await t.rejects(dns.recordsets.create(one, zone.id, draft), refusal('forbidden'))
  await t.rejects(dns.recordsets.update(one, place, { ttlSeconds: 1 }), refusal('forbidden'))
  await t.rejects(dns.recordsets.delete(one, place), refusal('forbidden'))
  const created = await dns.recordsets.create(admin, zone.id, draft)
  t.equal(created.zone.serial, zone.serial, 'the serial stays its master’s')
  await t.resolves(dns.recordsets.update(admin, place, { ttlSeconds: 1 }))
  await t.resolves(dns.recordsets.delete(admin, place))
})

t.test('a recordset is found in its own zone and by its own project only', async t => {
  const { dns, zone, create } = await openZone()
  const other = await dns.zones.create(one, primary('example.org.'))
  const { recordset } = await create('www.example.com.', 'A', '192.0.2.1')
  const { id } = recordset
  const elsewhere = { zoneId: other.id, id }
  t.throws(() => dns.recordsets.get(one, elsewhere), refusal('recordset_not_found'))
  await t.rejects(dns.recordsets.update(one, elsewhere, {}), refusal('recordset_not_found'))
  await t.rejects(dns.recordsets.delete(one, elsewhere), refusal('recordset_not_found'))
  const place = { zoneId: zone.id, id }
  t.throws(() => dns.recordsets.get(two, place), refusal('zone_not_found'))
  t.throws(() => dns.recordsets.zoneOf(two, zone.id), refusal('zone_not_found'))
  await t.rejects(dns.recordsets.delete(two, place), refusal('zone_not_found'))
})

t.test('a list by name is of that owner only, in any case', async t => {
  const { dns, zone, create } = await openZone()
  await create('www.example.com.', 'A', '192.0.2.1')
  await create('www.example.com.', 'TXT', 'text')
  await create('web.example.com.', 'A', '192.0.2.1')
  const page = await dns.recordsets.list(zone, { ...everyRow, name: 'WWW.example.com.' })
  t.same(
    page.rows.map(({ type }) => type),
    ['A', 'TXT'],
  )
  t.equal(page.totalCount, 2)
})

/** When anything in the only project was last written. */
async function lastChange({ zones }: TestDns): Promise<number> {
  const { rows } = await zones.list(one, everyRow)
  return Math.max(...rows.map(({ updatedAt, createdAt }) => updatedAt ?? createdAt))
}

t.test('of recordsets that are looked at together the targets are asked once a zone', async t => {
  const { dns, zone } = await openZone()
  const other = await dns.zones.create(one, primary('example.org.'))
  const asked: string[] = []
  const targets = {
    reportsOf: ({ name, serial }: Zone) => {
      asked.push(name)
      return [
        { target: 'one', serial: name === zone.name ? serial : undefined, problem: undefined },
      ]
    },
    problemOf: () => undefined,
  }
  const recordsets = new Recordsets({ store: dns.store, targets })
  const rows = [...dns.store.rows('recordsets')].flatMap(row => recordsets.found(row) ?? [])
  const stateOf = recordsets.newStateReader()
  const states = new Set(rows.map(row => `${row.zone.name} ${stateOf(row).status}`))
  t.strictSame([...states].sort(), [`${zone.name} ACTIVE`, `${other.name} PENDING`])
  t.strictSame(asked.sort(), [zone.name, other.name])
})
