import t from 'tap'
import { formatName, parseName } from '../../../src/dns/name.ts'
import type { ServedZones } from '../../../src/zone/lookup.ts'
import { AttachedZones } from '../../../src/zone/table/attached-zones.ts'
import { TableMemory } from '../../../src/zone/table/memory.ts'
import type { TargetZones } from '../../../src/zone/table/target-zones.ts'
import type { ZoneTable } from '../../../src/zone/table/zone-table.ts'
import { TableReader } from '../../../src/zone/table/zone-view.ts'
import { openTable, tableZoneFromText } from '../../helpers/zone-table.ts'

const soa = '3600 SOA ns1 hostmaster 1 7200 900 1209600 300'

function found(zones: ServedZones, qname: string): string | undefined {
  const zone = zones.find(parseName(qname))
  return zone === undefined ? undefined : formatName(zone.apex)
}

/** The target as a thread sees it that was given its handle. */
function attach(table: ZoneTable, zones: TargetZones): ServedZones {
  const { memory, target } = structuredClone(table.seats.open(zones).handle)
  return new AttachedZones(new TableReader(new TableMemory(memory)), target)
}

t.test('find: the longest apex at or above the name, as writer and as reader', async t => {
  const table = openTable()
  const target = table.addTarget()
  const zones = attach(table, target)
  for (const apex of ['example.', 'sub.example.', 'b.a.c.test.', 'Xn.Example.']) {
    target.publish(tableZoneFromText(table, `${apex} ${soa}`))
  }
  const rows: [string, string | undefined][] = [
    ['example.', 'example.'],
    ['a.b.example.', 'example.'],
    ['sub.example.', 'sub.example.'],
    ['a.sub.example.', 'sub.example.'],
    ['asub.example.', 'example.'],
    ['sub\\.example.', undefined],
    ['xn.example.', 'xn.example.'],
    ['test.', undefined],
    ['c.test.', undefined],
    ['x.b.a.c.test.', 'b.a.c.test.'],
    ['.', undefined],
  ]
  for (const [qname, apex] of rows) {
    t.equal(found(target, qname), apex, qname)
    t.equal(found(zones, qname), apex, qname)
  }
  target.publish(tableZoneFromText(table, `. ${soa}`))
  t.equal(found(zones, 'www.test.'), '.')
  t.equal(found(zones, '.'), '.')
})

t.test('publish: replaces, withdraw: removes, both in any case', async t => {
  const table = openTable()
  const target = table.addTarget()
  const first = tableZoneFromText(table, `Example. ${soa}`)
  const second = tableZoneFromText(table, `example. ${soa}`)
  target.publish(first)
  target.publish(first)
  target.publish(second)
  t.equal(target.size, 1)
  t.equal(target.get(parseName('EXAMPLE.'))?.ref, second.ref)
  t.same(
    [...target].map(({ ref }) => ref),
    [second.ref],
  )
  t.equal(target.withdraw(parseName('eXample.')), true)
  t.equal(target.withdraw(parseName('example.')), false)
  t.equal(target.get(parseName('example.')), undefined)
  t.same([...target], [])
  t.equal(target.size, 0)
  t.equal(found(target, 'example.'), undefined)
})
