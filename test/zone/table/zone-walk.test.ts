import t from 'tap'
import { types } from '../../../src/dns/codes.ts'
import { formatName, parseName } from '../../../src/dns/name.ts'
import { parseRdata } from '../../../src/dns/rdata/index.ts'
import { Dice } from '../../helpers/dice.ts'
import { openTable, tableZoneFromText } from '../../helpers/zone-table.ts'

const soa = '3600 SOA ns1 hostmaster 7 7200 900 1209600 300'
const addresses = {
  type: types.A,
  ttlSeconds: 300,
  rdatas: [parseRdata(types.A, '192.0.2.1')],
}

t.test('a walk gives out each name once, empty non-terminals included, the apex first', async t => {
  const zone = tableZoneFromText(openTable(), `example. ${soa}\na.b.example. 60 A 192.0.2.1`)
  const names = [...zone.names()].map(formatName)
  t.equal(names[0], 'example.')
  t.same(names.sort(), ['a.b.example.', 'b.example.', 'example.'])
})

t.test('names that come, go and are moved meanwhile do not disturb a walk', async t => {
  const count = 90_000
  const dice = new Dice(1)
  const table = openTable()
  const zone = tableZoneFromText(table, `example. ${soa}`)
  const nameOf = (i: number) => parseName(`host-${i}.example.`)
  for (let i = 0; i < count; i += 1) zone.putRrset(nameOf(i), addresses)
  const counts = new Map<string, number>()
  let next = 0
  let hasMoved = false
  for (const name of zone.names()) {
    counts.set(name, (counts.get(name) ?? 0) + 1)
    // All but each sixth are gone before the walk is halfway, so that the rest is moved together.
    for (let i = 0; i < 3; i += 1, next += 1) {
      if (next < count && next % 6 !== 0) zone.removeRrset(nameOf(next), types.A)
    }
    if (dice.below(20) === 0)
      zone.putRrset(parseName(`new-${dice.below(5000)}.example.`), addresses)
    if (table.reclaim(10) === 'more') hasMoved = true
  }
  t.ok(hasMoved, 'memory was moved together meanwhile')
  const stayed = Array.from({ length: count / 6 }, (_, i) => nameOf(6 * i))
  t.same(
    stayed.filter(name => counts.get(name) !== 1),
    [],
  )
  t.same(
    [...counts.values()].filter(count => count > 1),
    [],
  )
})

t.test('a walk ends with its zone', async t => {
  const table = openTable()
  const zone = tableZoneFromText(table, `example. ${soa}\na.example. 60 A 192.0.2.1`)
  const walk = zone.names()
  t.equal(walk.next().done, false)
  table.discard(zone)
  table.reclaim(100)
  t.same(walk.next(), { done: true, value: undefined })
})

t.test('a walk over all zones gives out each that stays, staged or served', async t => {
  const table = openTable()
  const target = table.addTarget()
  const apexOf = (i: number) => parseName(`z${i}.example.`)
  for (let i = 0; i < 100; i += 1) {
    const zone = tableZoneFromText(table, `z${i}.example. ${soa}`)
    if (i % 2 === 0) target.publish(zone)
  }
  const seen: string[] = []
  for (const { apex } of table.zones()) {
    seen.push(formatName(apex))
    target.withdraw(apexOf(98 - 4 * seen.length))
    table.reclaim(50)
  }
  t.equal(new Set(seen).size, seen.length)
  for (let i = 1; i < 100; i += 2) t.ok(seen.includes(`z${i}.example.`))
})
