import t from 'tap'
import { types } from '../../../src/dns/codes.ts'
import { formatName, type Name, parseName } from '../../../src/dns/name.ts'
import { Counters, seatCounts, tcpCounts, zoneCounts } from '../../../src/zone/table/counters.ts'
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
  return { zones, epoch: new ReaderEpoch(new TableMemory(handle.memory), handle.seat) }
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
  t.equal(table.collect(10), 'nothing')
  t.equal(found(zonesOf(table, one), 'www.example.'), undefined)
  t.equal(found(zonesOf(table, other), 'www.example.'), 'example.')
  other.withdraw(zone.apex)
  t.equal(table.collect(1), 'more')
  t.equal(table.collect(10), 'nothing')
  t.equal(table.usage.usedOctets, before)
})

t.test('a reader in a batch keeps the zone it found whole', async t => {
  const table = openTable()
  const target = table.addTarget()
  const seat = table.seats.open(target)
  const { zones, epoch } = attach(seat.handle)
  const zone = tableZoneFromText(table, `example. ${soa}\nwww 60 A 192.0.2.1`)
  target.publish(zone)
  epoch.enter()
  const www = parseName('www.example.')
  const held = zones.find(www)
  target.withdraw(zone.apex)
  t.equal(table.collect(100), 'readers')
  t.equal(zones.find(www), undefined)
  t.equal(held?.lookup(www, types.A).kind, 'hit')
  epoch.leave()
  t.equal(table.collect(100), 'nothing')
})

t.test('a reader that ended in the middle of a batch holds nothing back', async t => {
  const table = openTable()
  const target = table.addTarget()
  const seat = table.seats.open(target)
  attach(seat.handle).epoch.enter()
  const zone = tableZoneFromText(table, `example. ${soa}`)
  target.publish(zone)
  target.withdraw(zone.apex)
  t.equal(table.collect(1), 'readers')
  seat.close()
  seat.close()
  t.equal(table.collect(100), 'nothing')
  const next = table.seats.open(target)
  t.equal(next.handle.seat, seat.handle.seat)
  t.equal(next.handle.counters, seat.handle.counters)
  t.not(table.seats.open(target).handle.seat, seat.handle.seat)
})

t.test('there are 512 seats', async t => {
  const table = openTable()
  const target = table.addTarget()
  for (let i = 0; i < 512; i += 1) table.seats.open(target)
  t.throws(() => table.seats.open(target), { name: 'RangeError' })
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
    table.collect(1000)
    if (round === 100) touched = table.usage.touchedOctets
  }
  t.equal(target.size, 7)
  t.equal(table.usage.touchedOctets, touched)
})

t.test('slots: one a zone, used again when nothing of the zone is left', async t => {
  const table = openTable()
  const target = table.addTarget()
  const zones = ['a.', 'b.', 'c.'].map(apex => tableZoneFromText(table, `${apex} ${soa}`))
  t.same(
    zones.map(({ slot }) => slot),
    [0, 1, 2],
  )
  for (const zone of zones) target.publish(zone)
  target.withdraw(parseName('b.'))
  t.equal(tableZoneFromText(table, `d. ${soa}`).slot, 3)
  table.collect(100)
  t.equal(tableZoneFromText(table, `e. ${soa}`).slot, 1)
})

t.test('counters: of a seat and of zones, and they outlive the thread', async t => {
  const table: ZoneTable = openTable()
  const target = table.addTarget()
  const seat = table.seats.open(target)
  const counters = new Counters(seat.handle.counters)
  counters.count(seatCounts.octets, 1)
  counters.countZone(7, zoneCounts.noError, 100)
  counters.countZone(7, zoneCounts.nxDomain, 50)
  counters.countZone(7, zoneCounts.noError + tcpCounts, 1000)
  seat.close()
  const [read] = table.seats.counters.map(buffer => new Counters(buffer))
  t.equal(read?.get(seatCounts.octets), 1)
  const ofZone = [0, tcpCounts].map(from => [0, 1, 2, 3, 4].map(i => read?.getOfZone(7, from + i)))
  t.same(ofZone, [
    [1, 1, 0, 0, 150],
    [1, 0, 0, 0, 1000],
  ])
  t.equal(read?.getOfZone(8, zoneCounts.octets), 0)
})

t.test('counters: those of all seats are added up', async t => {
  const table: ZoneTable = openTable()
  const target = table.addTarget()
  t.equal(table.seats.countOfZone(7, zoneCounts.noError), 0)
  for (const times of [1, 2]) {
    const counters = new Counters(table.seats.open(target).handle.counters)
    for (let i = 0; i < times; i += 1) counters.countZone(7, zoneCounts.noError, 100)
  }
  t.equal(table.seats.countOfZone(7, zoneCounts.noError), 3)
  t.equal(table.seats.countOfZone(7, zoneCounts.octets), 300)
})

t.test('who reads counters is told when nobody counts in a slot any more', async t => {
  const table: ZoneTable = openTable()
  const target = table.addTarget()
  const freed: number[] = []
  table.onSlotFreed = slot => freed.push(slot)
  target.publish(tableZoneFromText(table, `a. ${soa}`))
  t.equal(table.slotCount, 1)
  t.equal(table.zoneAt(0)?.apex, parseName('a.'))
  const reader = new ReaderEpoch(
    new TableMemory(table.memory),
    table.seats.open(target).handle.seat,
  )
  reader.enter()
  target.withdraw(parseName('a.'))
  table.collect(100)
  t.same(freed, [], 'a reader may still count in it')
  t.equal(table.zoneAt(0), undefined)
  reader.leave()
  table.collect(100)
  t.same(freed, [0])
})
