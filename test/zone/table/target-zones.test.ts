import t from 'tap'
import { formatName, parseName } from '../../../src/dns/name.ts'
import type { ServedZones } from '../../helpers/oracle/served-zone.ts'
import { zonesOf } from '../../helpers/oracle/table-view.ts'
import { openTable, tableZoneFromText } from '../../helpers/zone-table.ts'

const soa = '3600 SOA ns1 hostmaster 1 7200 900 1209600 300'

function found(zones: ServedZones, qname: string): string | undefined {
  const zone = zones.find(parseName(qname))
  return zone === undefined ? undefined : formatName(zone.apex)
}

t.test('a reader finds the longest apex at or above the name', async t => {
  const table = openTable()
  const target = table.addTarget()
  const zones = zonesOf(table, target)
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
  t.equal(found(zonesOf(table, target), 'example.'), undefined)
})
