import t from 'tap'
import type { RecordDraft } from '../../../src/model/record-draft.ts'
import { recordIdOf } from '../../../src/model/record-id.ts'
import { newStamp } from '../../../src/model/stamped.ts'
import {
  type RecordOfZone,
  type RecordRange,
  Records,
} from '../../../src/service/recordsets/records.ts'
import { openLowdbStore } from '../../../src/store/lowdb-store.ts'
import { fakeClock } from '../../helpers/clock.ts'
import { countingStore } from '../../helpers/counting-store.ts'
import {
  addresses,
  callerOf,
  openDns,
  primary,
  type TestDns,
  type TestDnsOptions,
} from '../../helpers/dns.ts'
import { openMemoryStore } from '../../helpers/memory-store.ts'
import { checkPublished } from '../../helpers/publish-check.ts'
import { refusal } from '../../helpers/refusal.ts'

const one = callerOf('one')
const whole: RecordRange = { marker: undefined, limit: Number.POSITIVE_INFINITY }

function draftOf(name: string, data: string, fields: Partial<RecordDraft> = {}): RecordDraft {
  return { name, type: 'A', data, priority: null, ttlSeconds: null, description: null, ...fields }
}

const idOf = ({ recordset, mark }: RecordOfZone): string => recordIdOf(recordset, mark)

async function openZone(options: TestDnsOptions = {}) {
  const dns = await openDns(options)
  const zone = await dns.zones.create(one, primary('example.com.'))
  const { records } = dns
  return {
    dns,
    zone,
    records,
    add: (name: string, data: string, fields: Partial<RecordDraft> = {}) =>
      records.create(one, zone.id, draftOf(`${name}.example.com.`, data, fields)),
    get: (id: string) => records.get(one, { zoneId: zone.id, id }),
    put: (record: RecordOfZone, patch: Partial<RecordDraft>) =>
      records.update(one, { zoneId: zone.id, id: idOf(record) }, patch),
    remove: (record: RecordOfZone) => records.delete(one, { zoneId: zone.id, id: idOf(record) }),
    list: (range = whole) => [...records.list(one, zone.id, range)].flat(),
  }
}

/** The zone's own recordsets: name, type, TTL and values. */
function recordsetsOf({ store }: TestDns, zoneId: string): readonly string[] {
  return [...store.list('recordsets', 'byZone', zoneId)]
    .filter(({ isManaged }) => !isManaged)
    .map(({ name, type, ttlSeconds, records }) => `${name} ${type} ${ttlSeconds} ${records.join()}`)
}

t.test('a recordset comes with its first record and goes with its last', async t => {
  const { dns, zone, add, remove } = await openZone()
  const first = await add('www', '192.0.2.1', { ttlSeconds: 60 })
  const second = await add('WWW', '192.0.2.2', { ttlSeconds: 90 })
  t.same(recordsetsOf(dns, zone.id), ['www.example.com. A 60 192.0.2.1,192.0.2.2'])
  t.match(second.recordset, { name: 'www.example.com.', ttlSeconds: 60 })
  await remove(first)
  t.same(recordsetsOf(dns, zone.id), ['www.example.com. A 60 192.0.2.2'])
  await remove(second)
  t.same(recordsetsOf(dns, zone.id), [])
  checkPublished(t, dns)
})

t.test('each change is one of its zone: serial, SOA and version move on', async t => {
  const { zone, add, put } = await openZone()
  const record = await add('www', '192.0.2.1')
  t.equal(record.zone.serial, zone.serial + 1)
  const changed = await put(record, { data: '192.0.2.2' })
  t.equal(changed.zone.serial, zone.serial + 2)
  t.equal(changed.zone.version, zone.version + 2)
})

t.test('a renamed record keeps its id, times and description wherever it goes', async t => {
  const { dns, zone, add, put, get, list, remove } = await openZone()
  const record = await add('www', '192.0.2.1', { description: 'mine', ttlSeconds: 60 })
  const id = idOf(record)
  for (const name of ['a.example.com.', 'b.example.com.', 'www.example.com.']) {
    await put(record, { name })
    t.match(get(id), { recordset: { name, ttlSeconds: 60 }, mark: { description: 'mine' } })
    t.equal(get(id).mark.createdAt, record.mark.createdAt)
  }
  t.equal(get(id).mark.version, 4)
  await put(record, { type: 'MX', data: 'mail.example.', priority: 10 })
  t.same(recordsetsOf(dns, zone.id), ['www.example.com. MX 60 10 mail.example.'])
  await dns.recordsets.update(
    one,
    { zoneId: zone.id, id: get(id).recordset.id },
    { records: ['20 mail.example.', '30 other.example.'] },
  )
  t.throws(() => get(id), refusal('record_not_found'), 'one for two: both are new')
  const last = list().at(-1)
  t.equal(last?.value, '30 other.example.')
  if (last !== undefined) await remove(last)
  t.same(recordsetsOf(dns, zone.id), ['www.example.com. MX 60 20 mail.example.'])
  checkPublished(t, dns)
})

t.test('a record that cannot go where it is sent stays as it is', async t => {
  const { dns, zone, add, put } = await openZone()
  const www = await add('www', '192.0.2.1')
  await add('taken', '192.0.2.1')
  await add('alias', 'www.example.com.', { type: 'CNAME' })
  const before = recordsetsOf(dns, zone.id)
  const rows: readonly [Partial<RecordDraft>, Parameters<typeof refusal>[0]][] = [
    [{ name: 'taken.example.com.' }, 'duplicate_record'],
    [{ name: 'alias.example.com.' }, 'invalid_recordset_location'],
    [{ name: 'www.example.net.' }, 'invalid_recordset_location'],
    [{ name: 'example.com.', type: 'NS', data: 'ns.example.' }, 'bad_request'],
    [{ name: 'www' }, 'invalid_object'],
  ]
  for (const [patch, type] of rows) await t.rejects(put(www, patch), refusal(type), type)
  t.same(recordsetsOf(dns, zone.id), before)
  await t.resolves(put(www, { type: 'CNAME', data: 'a.example.' }), 'alone it may become a CNAME')
})

t.test('TTLs below the least are refused, quotas hold', async t => {
  const { dns, add, put } = await openZone({ minTtlSeconds: 60 })
  await dns.quotas.set('one', { zoneRecordsets: 3, recordsetRecords: 2 })
  await t.rejects(add('www', '192.0.2.1', { ttlSeconds: 30 }), refusal('invalid_ttl'))
  const record = await add('www', '192.0.2.1', { ttlSeconds: 60 })
  await t.rejects(put(record, { ttlSeconds: 59 }), refusal('invalid_ttl'))
  await t.rejects(add('more', '192.0.2.1'), refusal('over_quota'))
  const second = await add('www', '192.0.2.2')
  await t.rejects(add('www', '192.0.2.3'), refusal('over_quota'))
  await t.rejects(put(second, { name: 'more.example.com.' }), refusal('over_quota'))
})

t.test('a text keeps the form it was given in as long as it stays', async t => {
  const { dns, zone, add, put } = await openZone()
  const record = await add('www', 'v=spf1 mx ~all', { type: 'TXT' })
  t.match(recordsetsOf(dns, zone.id), ['www.example.com. TXT null "v=spf1 mx ~all"'])
  t.equal(record.mark.data, 'v=spf1 mx ~all')
  t.equal((await put(record, { ttlSeconds: 60 })).mark.data, 'v=spf1 mx ~all')
  t.equal((await put(record, { data: '"quoted now"' })).mark.data, undefined)
  await t.rejects(add('www', 'quoted now', { type: 'TXT' }), refusal('duplicate_record'))
})

t.test('nothing is stored for recordsets that only v2 has touched', async t => {
  const { dns, zone, list } = await openZone()
  const { recordset } = await dns.recordsets.create(
    one,
    zone.id,
    addresses('www.example.com.', '192.0.2.1', '192.0.2.2'),
  )
  const ids = list().map(idOf)
  const place = { zoneId: zone.id, id: recordset.id }
  const { recordset: after } = await dns.recordsets.update(one, place, {
    ttlSeconds: 60,
    records: ['192.0.2.1', '192.0.2.3'],
  })
  t.notOk('recordMarks' in after)
  t.same(list().map(idOf), ids)
})

t.test('500 records: any is found, and any page listed, at the same cost', async t => {
  const clock = fakeClock()
  const counting = countingStore(openMemoryStore({ clock }))
  const { dns, zone, get, list, records } = await openZone({ store: counting.store })
  // In one transaction, as an import writes them: their times do not tell them apart.
  await dns.store.commit(tx => {
    for (let i = 0; i < 400; i += 1) {
      const own = { zoneId: zone.id, isManaged: false }
      tx.put('recordsets', { ...newStamp(tx), ...addresses(`h${i}.example.com.`), ...own })
    }
  })
  for (let i = 0; i < 100; i += 1) {
    await records.create(one, zone.id, draftOf('www.example.com.', `192.0.2.${i}`))
  }
  const all = list()
  t.equal(all.length, 502)
  t.equal(new Set(all.map(idOf)).size, 502)
  const costs = new Set<number>()
  for (const record of all) {
    counting.takeCount()
    t.equal(get(idOf(record)).value, record.value)
    costs.add(counting.takeCount())
  }
  t.same([...costs], [2], 'the zone and the recordset')
  const pageCosts = new Set<number>()
  let seen: readonly RecordOfZone[] = []
  while (seen.length < 400) {
    const last = seen.at(-1)
    counting.takeCount()
    const page = list({ marker: last && idOf(last), limit: 20 })
    pageCosts.add(counting.takeCount())
    seen = [...seen, ...page]
  }
  t.same(seen.map(idOf), all.slice(0, seen.length).map(idOf), 'pages are the list in pieces')
  t.same([...pageCosts].sort(), [21, 22], 'the zone, the marker and the page')
})

t.test('a list of long records comes in more pieces', async t => {
  const { dns, zone, records } = await openZone()
  const long = `"${'x'.repeat(250)}" `.repeat(200).trim()
  for (let i = 0; i < 12; i += 1) {
    const owner = addresses(`h${i}.example.com.`)
    await dns.recordsets.create(one, zone.id, { ...owner, type: 'TXT', records: [long] })
  }
  const pieces = [...records.list(one, zone.id, whole)]
  t.ok(pieces.length > 1)
  t.equal(pieces.flat().length, 14)
})

t.test('a page begins and ends within a recordset', async t => {
  const { list, add } = await openZone()
  for (let i = 1; i <= 5; i += 1) await add('www', `192.0.2.${i}`)
  const all = list().map(idOf)
  const pages: string[][] = []
  for (let marker: string | undefined; ; ) {
    const page = list({ marker, limit: 3 }).map(idOf)
    if (page.length === 0) break
    pages.push(page)
    marker = page.at(-1)
  }
  t.same(pages, [all.slice(0, 3), all.slice(3, 6), all.slice(6)])
  t.throws(
    () => list({ marker: all[0]?.replace(/.$/, 'f'), limit: 3 }),
    refusal('marker_not_found'),
  )
})

t.test('ids are the same after the store is opened again', async t => {
  const directory = t.testdir()
  const clock = fakeClock()
  const options = { directory, clock, report: () => undefined }
  const first = await openLowdbStore(options)
  const { zone, dns, add, put, list } = await openZone({ store: first })
  const record = await add('www', '192.0.2.1', { description: 'kept' })
  await add('www', '192.0.2.2')
  await put(record, { name: 'moved.example.com.' })
  await dns.recordsets.create(one, zone.id, addresses('v2.example.com.', '192.0.2.1', '192.0.2.2'))
  const before = list().map(({ value, mark, ...placed }) => [
    idOf({ value, mark, ...placed }),
    mark,
  ])
  await first.checkpoint()
  await first.close()
  const second = await openLowdbStore(options)
  t.teardown(() => second.close())
  const records = new Records({ store: second })
  const after = [...records.list(one, zone.id, whole)].flat()
  t.same(
    after.map(placed => [idOf(placed), placed.mark]),
    before,
  )
  for (const placed of after) {
    const found = records.get(one, { zoneId: zone.id, id: idOf(placed) })
    t.equal(found.value, placed.value)
  }
})

t.test('records go with their zone', async t => {
  const { dns, zone, add, put, get } = await openZone()
  const record = await add('www', '192.0.2.1')
  await put(record, { name: 'moved.example.com.' })
  await dns.zones.delete(one, zone.id)
  t.throws(() => get(idOf(record)), refusal('zone_not_found'))
  t.equal(dns.store.count('recordsets', 'byMovedRecord', idOf(record)), 0)
})
