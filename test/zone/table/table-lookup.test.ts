import t from 'tap'
import { types } from '../../../src/dns/codes.ts'
import { parseName } from '../../../src/dns/name.ts'
import { barrierFlag, entry } from '../../../src/zone/table/layout.ts'
import { TableMemory } from '../../../src/zone/table/memory.ts'
import { found, negativeTtlSeconds } from '../../../src/zone/table/table-lookup.ts'
import { TableReader } from '../../../src/zone/table/table-reader.ts'
import { openTable, tableZoneFromText } from '../../helpers/zone-table.ts'

// The lookup itself is held against the oracle in `table-zone.test.ts`; here is what others call beside it.

const soa = 'SOA ns1 hostmaster 1 7200 900 1209600'

function open(...texts: string[]) {
  const table = openTable()
  const target = table.addTarget()
  const zones = texts.map(text => tableZoneFromText(table, text))
  for (const zone of zones) target.publish(zone)
  const { handle } = table.readers.open(target)
  const { key, lookup, memory } = new TableReader(new TableMemory(handle.memory))
  const read = (name: string) => {
    key.readName(parseName(name))
    return key
  }
  return { zones: zones.map(({ ref }) => ref), target: handle.target, lookup, memory, read }
}

t.test('findZone: tries only as many labels as apexes have', async t => {
  const { zones, target, lookup, read } = open(
    `b.example. 60 ${soa} 5`,
    `d.c.b.example. 60 ${soa} 5`,
  )
  const rows: [string, number | undefined][] = [
    ['b.example.', zones[0]],
    ['x.b.example.', zones[0]],
    ['c.b.example.', zones[0]],
    ['d.c.b.example.', zones[1]],
    [`${'x.'.repeat(100)}d.c.b.example.`, zones[1]],
    ['example.', 0],
    ['.', 0],
  ]
  for (const [name, zone] of rows) t.equal(lookup.findZone(target, read(name)), zone, name)
})

t.test('a result is in the fields until the next lookup', async t => {
  const { zones, lookup, memory, read } = open(`
    example.  60 ${soa} 5
    sub       60 NS ns.sub
    www       60 A  192.0.2.1
  `)
  const [zone = 0] = zones
  lookup.lookUp(zone, read('a.sub.example.'), types.A)
  t.equal(lookup.kind, found.referral)
  const cut = lookup.owner
  t.equal(lookup.isAtOrBelow(cut, read('NS.sub.example.')), true)
  t.equal(lookup.isAtOrBelow(cut, read('sub.example.')), true)
  t.equal(lookup.isAtOrBelow(cut, read('xsub.example.')), false)
  t.equal(lookup.isAtOrBelow(cut, read('example.')), false)
  lookup.lookUp(zone, read('www.example.'), types.MX)
  t.equal(lookup.kind, found.nodata)
  lookup.lookUp(zone, read('x.www.example.'), types.MX)
  t.equal(lookup.kind, found.nxdomain)
  t.equal(lookup.isInZone(zone, read('example.org.')), false)
  t.equal(negativeTtlSeconds(memory, lookup.findSoa(zone)), 5)
})

t.test('an NS whose flag was read before it was set is a cut all the same', async t => {
  const { zones, lookup, memory, read } = open(`
    example.  60 ${soa} 5
    @         60 NS ns
    sub       60 NS ns.sub
  `)
  const [zone = 0] = zones
  const cut = lookup.findNode(zone, read('sub.example.'))
  const stateAt = cut + entry.state
  memory.words[stateAt] = (memory.words[stateAt] ?? 0) & ~barrierFlag
  for (const type of [types.NS, types.ANY]) {
    lookup.lookUp(zone, read('sub.example.'), type)
    t.same([lookup.kind, lookup.owner], [found.referral, cut], `type ${type}`)
  }
  lookup.lookUp(zone, read('example.'), types.NS)
  t.equal(lookup.kind, found.hit, 'but not at the apex')
})

t.test('the negative TTL is the smaller of the two (RFC 2308 section 5)', async t => {
  const rows = [
    ['60', '0', 0],
    ['60', '300', 60],
    ['2147483647', '2147483646', 2_147_483_646],
  ] as const
  for (const [ttl, minimum, seconds] of rows) {
    const { zones, lookup, memory } = open(`example. ${ttl} ${soa} ${minimum}`)
    t.equal(negativeTtlSeconds(memory, lookup.findSoa(zones[0] ?? 0)), seconds)
  }
})
