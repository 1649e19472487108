import t from 'tap'
import { types } from '../../../src/dns/codes.ts'
import { formatName, type Name, parseName } from '../../../src/dns/name.ts'
import { Counters, readerCounts, tcpCounts, zoneCounts } from '../../../src/zone/table/counters.ts'
import { ReaderEpoch } from '../../../src/zone/table/epochs.ts'
import type { ZoneTableHandle } from '../../../src/zone/table/handle.ts'
import { TableMemory } from '../../../src/zone/table/memory.ts'
import type { ZoneTable } from '../../../src/zone/table/zone-table.ts'
import type { ServedZones } from '../../helpers/oracle/served-zone.ts'
import { TargetView, zonesOf } from '../../helpers/oracle/table-view.ts'
import { openTable, tableZoneFromText } from '../../helpers/zone-table.ts'

const soa = '3600 SOA ns1 hostmaster 1 7200 900 1209600 300'
const octets = { type: types.A, ttlSeconds: 60, rdatas: [Uint8Array.of(192, 0, 2, 1)] }

function found(zones: ServedZones, qname: string): string | undefined {
  const zone = zones.find(parseName(qname))
  return zone === undefined ? undefined : formatName(zone.apex)
}

function attach(handle: ZoneTableHandle): { zones: ServedZones; epoch: ReaderEpoch } {
  const zones = new TargetView(handle.memory, handle.target)
  return { zones, epoch: new ReaderEpoch(new TableMemory(handle.memory), handle.reader) }
}

t.test('targets: a zone lives until the last of them has withdrawn it', async t => {
  const table = openTable()
  const [one, other] = [table.addTarget(), table.addTarget()]
  const before = table.usage.usedOctets
  const zone = tableZoneFromText(table, `example. ${soa}\nwww 60 A 192.0.2.1`)
  one.publish(zone)
  t.equal(found(zonesOf(table, other), 'www.example.'), undefined)
  other.publish(zone)
  one.withdraw(zone.apex)
  table.discard(zone)
  t.equal(table.reclaim(10), 'nothing')
  t.equal(found(zonesOf(table, one), 'www.example.'), undefined)
  t.equal(found(zonesOf(table, other), 'www.example.'), 'example.')
  other.withdraw(zone.apex)
  t.equal(table.reclaim(1), 'more')
  t.equal(table.reclaim(10), 'nothing')
  t.equal(table.usage.usedOctets, before)
})

t.test('a reader in a batch keeps the zone it found whole', async t => {
  const table = openTable()
  const target = table.addTarget()
  const reader = table.readers.open(target)
  const { zones, epoch } = attach(reader.handle)
  const zone = tableZoneFromText(table, `example. ${soa}\nwww 60 A 192.0.2.1`)
  target.publish(zone)
  epoch.enter()
  const www = parseName('www.example.')
  const held = zones.find(www)
  target.withdraw(zone.apex)
  t.equal(table.reclaim(100), 'readers')
  t.equal(zones.find(www), undefined)
  t.equal(held?.lookup(www, types.A).kind, 'hit')
  epoch.leave()
  t.equal(table.reclaim(100), 'nothing')
})

t.test('a reader that ended in the middle of a batch holds nothing back', async t => {
  const table = openTable()
  const target = table.addTarget()
  const reader = table.readers.open(target)
  attach(reader.handle).epoch.enter()
  const zone = tableZoneFromText(table, `example. ${soa}`)
  target.publish(zone)
  target.withdraw(zone.apex)
  t.equal(table.reclaim(1), 'readers')
  reader.close()
  reader.close()
  t.equal(table.reclaim(100), 'nothing')
  const next = table.readers.open(target)
  t.equal(next.handle.reader, reader.handle.reader)
  t.equal(next.handle.counters, reader.handle.counters)
  t.not(table.readers.open(target).handle.reader, reader.handle.reader)
})

t.test('there are 512 readers', async t => {
  const table = openTable()
  const target = table.addTarget()
  for (let i = 0; i < 512; i += 1) table.readers.open(target)
  t.throws(() => table.readers.open(target), { name: 'RangeError' })
})

t.test('a full table refuses and goes on serving', async t => {
  const table = openTable({ reserveOctets: 2 ** 24 })
  const target = table.addTarget()
  const zone = tableZoneFromText(table, `example. ${soa}`)
  target.publish(zone)
  const names: Name[] = []
  t.throws(
    () => {
      for (let i = 0; ; i += 1) {
        zone.putRrset(parseName(`n${i}.example.`), octets)
        names.push(parseName(`n${i}.example.`))
      }
    },
    { name: 'RangeError', message: /full/ },
  )
  t.ok(names.length > 50_000, `${names.length} names in 16 MiB`)
  t.ok(names.every(name => zone.findRrset(name, types.A) !== undefined))
  t.equal(zone.rrsetCount, 1 + names.length)
  t.throws(() => table.createZone({ ...zone.rrsets().next().value, owner: parseName('x.') }))
  for (const name of names) zone.removeRrset(name, types.A)
  zone.putRrset(parseName('again.example.'), octets)
  t.equal(zone.nodeCount, 2)
})

t.test('churn of zones and names does not grow the table', async t => {
  const table = openTable()
  const target = table.addTarget()
  let touched = 0
  for (let round = 0; round < 300; round += 1) {
    const zone = tableZoneFromText(table, `z${round % 7}.example. ${soa}`)
    for (let i = 0; i < 100; i += 1) {
      zone.putRrset(
        parseName(`${'x'.repeat(1 + (round % 40))}${i}.${formatName(zone.apex)}`),
        octets,
      )
    }
    target.publish(zone)
    table.reclaim(1000)
    if (round === 200) touched = table.usage.touchedOctets
  }
  t.equal(target.size, 7)
  t.equal(table.usage.touchedOctets, touched)
})

t.test('zone numbers: one a zone, used again when nothing of the zone is left', async t => {
  const table = openTable()
  const target = table.addTarget()
  const zones = ['a.', 'b.', 'c.'].map(apex => tableZoneFromText(table, `${apex} ${soa}`))
  t.same(
    zones.map(({ number }) => number),
    [0, 1, 2],
  )
  for (const zone of zones) target.publish(zone)
  target.withdraw(parseName('b.'))
  t.equal(tableZoneFromText(table, `d. ${soa}`).number, 3)
  table.reclaim(100)
  t.equal(tableZoneFromText(table, `e. ${soa}`).number, 1)
})

t.test('counters: of a reader and of zones, and they outlive the thread', async t => {
  const table: ZoneTable = openTable()
  const target = table.addTarget()
  const reader = table.readers.open(target)
  const counters = new Counters(reader.handle.counters)
  counters.count(readerCounts.octets, 1)
  counters.countZone(7, zoneCounts.noError, 100)
  counters.countZone(7, zoneCounts.nxDomain, 50)
  counters.countZone(7, zoneCounts.noError + tcpCounts, 1000)
  reader.close()
  const [read] = table.readers.counters.map(buffer => new Counters(buffer))
  t.equal(read?.get(readerCounts.octets), 1)
  const ofZone = [0, tcpCounts].map(from => [0, 1, 2, 3, 4].map(i => read?.getOfZone(7, from + i)))
  t.same(ofZone, [
    [1, 1, 0, 0, 150],
    [1, 0, 0, 0, 1000],
  ])
  t.equal(read?.getOfZone(8, zoneCounts.octets), 0)
})

t.test('counters: those of all readers are added up', async t => {
  const table: ZoneTable = openTable()
  const target = table.addTarget()
  t.equal(table.readers.countOfZone(7, zoneCounts.noError), 0)
  for (const times of [1, 2]) {
    const counters = new Counters(table.readers.open(target).handle.counters)
    for (let i = 0; i < times; i += 1) counters.countZone(7, zoneCounts.noError, 100)
  }
  t.equal(table.readers.countOfZone(7, zoneCounts.noError), 3)
  t.equal(table.readers.countOfZone(7, zoneCounts.octets), 300)
})

t.test('who reads counters is told when nobody counts in a zone number any more', async t => {
  const table: ZoneTable = openTable()
  const target = table.addTarget()
  const freed: number[] = []
  table.onZoneNumberFreed = zoneNumber => freed.push(zoneNumber)
  target.publish(tableZoneFromText(table, `a. ${soa}`))
  t.equal(table.zoneNumberCount, 1)
  t.equal(table.zoneAt(0)?.apex, parseName('a.'))
  const reader = new ReaderEpoch(
    new TableMemory(table.memory),
    table.readers.open(target).handle.reader,
  )
  reader.enter()
  target.withdraw(parseName('a.'))
  table.reclaim(100)
  t.same(freed, [], 'a reader may still count in it')
  t.equal(table.zoneAt(0), undefined)
  reader.leave()
  table.reclaim(100)
  t.same(freed, [0])
})
