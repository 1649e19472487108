import fc from 'fast-check'
import t from 'tap'
import { types } from '../../../src/dns/codes.ts'
import { formatName, parseName } from '../../../src/dns/name.ts'
import { ListedZone } from '../../helpers/oracle/listed-zone.ts'
import { viewOf } from '../../helpers/oracle/table-view.ts'
import { questionsPerZone, zoneStory } from '../../helpers/random-zone.ts'
import { rrsetsFromText } from '../../helpers/zone.ts'
import {
  changeZone,
  compareAnswers,
  contentsOf,
  sameOrThrow,
} from '../../helpers/zone-comparison.ts'
import { createZone, openTable, tableZoneFromText } from '../../helpers/zone-table.ts'

/** With `questionsPerZone` each, asked before and after the changes: 72,000 questions. */
const zoneCount = 300
const soaText = 'example. 3600 SOA ns1 hostmaster 7 7200 900 1209600 300'
const apex = parseName('example.')

t.test('the serial is that of the SOA, however long the names in it are', async t => {
  const table = openTable()
  for (const serial of [0, 1, 0x7fff_ffff, 0x8000_0000, 0xffff_ffff]) {
    for (const names of ['. .', 'ns1 hostmaster', `${'a'.repeat(63)}.b ${'c.'.repeat(60)}d.`]) {
      const zone = tableZoneFromText(table, `example. 60 SOA ${names} ${serial} 7200 900 86400 300`)
      t.equal(zone.serial, serial)
    }
  }
})

t.test('an A record with a short name takes 56 octets', async t => {
  const table = openTable()
  const zone = tableZoneFromText(table, soaText)
  const rrsets = rrsetsFromText(`${soaText}\nhost999999 60 A 192.0.2.1`)
  const { usedOctets } = table.usage
  for (const rrset of rrsets.slice(1)) zone.putRrset(rrset.owner, rrset)
  t.equal(table.usage.usedOctets - usedOctets, 56)
})

t.test('names are whole, whatever of them is left to the apex', async t => {
  const table = openTable()
  for (const apex of ['.', 'a.', 'bc.', 'def.', 'ghij.', 'example.net.', 'a.b.example.com.']) {
    const below = apex === '.' ? '' : apex
    const owners = [1, 2, 3, 4, 5, 62].flatMap(length => [
      `${'x'.repeat(length)}.${below}`,
      `*.${'y'.repeat(length)}.z.${below}`,
    ])
    const lines = owners.map(owner => `${owner} 60 A 192.0.2.1`)
    const zone = tableZoneFromText(table, [`${apex} ${soaText.slice(9)}`, ...lines].join('\n'))
    for (const owner of owners) t.ok(zone.findRrset(parseName(owner), types.A), owner)
    const names = new Set([...zone.names()].map(formatName))
    t.same(
      owners.filter(owner => !names.has(owner)),
      [],
    )
  }
})

t.test(
  'a name has the case it was given in last, in its own labels and in those of the zone',
  async t => {
    const table = openTable()
    const zone = tableZoneFromText(table, soaText)
    const [, rrset] = rrsetsFromText(`${soaText}\nwww 60 A 192.0.2.1`)
    const given = ['www.example.', 'www.exAMPle.', 'wWw.example.', 'www.examplE.', 'www.example.']
    for (const owner of given) {
      if (rrset !== undefined) zone.putRrset(parseName(owner), rrset)
      const owners = [...zone.rrsets()].map(each => formatName(each.owner))
      t.same(owners, ['example.', owner])
    }
  },
)

t.test('any zone: the table answers as the oracle', async t => {
  const table = openTable()
  let askedCount = 0
  fc.assert(
    fc.property(zoneStory, story => {
      const zone = createZone(table, story.rrsets)
      const oracle = new ListedZone(story.rrsets)
      askedCount += compareAnswers(viewOf(table, zone), oracle, story)
      changeZone(zone, story)
      changeZone(oracle, story)
      askedCount += compareAnswers(viewOf(table, zone), oracle, story)
      sameOrThrow('names', zone.nodeCount, oracle.nodeCount)
      sameOrThrow('RRsets', zone.rrsetCount, oracle.rrsets().length)
      sameOrThrow('contents', contentsOf(zone.rrsets()), contentsOf(oracle.rrsets()))
      // What is left of some lies beside those that follow.
      if (story.changes.length % 2 === 0) table.discard(zone)
      table.reclaim(100)
    }),
    { numRuns: zoneCount },
  )
  t.equal(askedCount, 2 * zoneCount * questionsPerZone)
})

t.test('any zone: discarded, it leaves no octet behind', async t => {
  const table = openTable()
  const { usedOctets } = table.usage
  const property = fc.property(zoneStory, story => {
    const zone = createZone(table, story.rrsets)
    changeZone(zone, story)
    table.discard(zone)
    sameOrThrow('remains', table.reclaim(1000), 'nothing')
    sameOrThrow('octets', table.usage.usedOctets, usedOctets)
  })
  t.doesNotThrow(() => fc.assert(property, { numRuns: zoneCount }))
})

t.test('any zone: emptied again, only the apex is left', async t => {
  const table = openTable()
  const property = fc.property(zoneStory, ({ rrsets }) => {
    const zone = createZone(table, rrsets)
    for (const { owner, type } of rrsets) if (type !== types.SOA) zone.removeRrset(owner, type)
    sameOrThrow('names', zone.nodeCount, 1)
    sameOrThrow('RRsets', zone.rrsetCount, 1)
  })
  t.doesNotThrow(() => fc.assert(property, { numRuns: zoneCount }))
})

t.test('what a zone refuses leaves it as it was', async t => {
  const table = openTable()
  const zone = tableZoneFromText(table, `${soaText}\n@ 60 A 192.0.2.1`)
  const before = contentsOf(zone.rrsets())
  const { usedOctets } = table.usage
  const [soa] = rrsetsFromText(soaText)
  const a = { type: types.A, ttlSeconds: 60, rdatas: [new Uint8Array(4)] }
  const refusals: (() => void)[] = [
    () => zone.putRrset(parseName('example.org.'), a),
    () => zone.putRrset(parseName('.'), a),
    () => zone.putRrset(parseName('a\\.example.'), a),
    () => zone.putRrset(apex, { ...a, rdatas: [] }),
    () => zone.putRrset(apex, { ...a, rdatas: Array(0x10000).fill(new Uint8Array(4)) }),
    () => zone.putRrset(apex, { ...a, rdatas: Array(0x800).fill(new Uint8Array(0xffff)) }),
    () => zone.putRrset(parseName('www.example.'), soa!),
    () => zone.putRrset(apex, { ...soa!, rdatas: [new Uint8Array(3)] }),
    () => zone.removeRrset(apex, types.SOA),
    () => table.createZone({ ...a, owner: apex }),
    () => table.createZone({ ...soa!, rdatas: [] }),
  ]
  for (const refused of refusals) t.throws(refused, { name: 'RangeError' }, String(refused))
  t.same(contentsOf(zone.rrsets()), before)
  t.same(viewOf(table, zone).findAddresses(parseName('elsewhere.test.')), [])
  t.equal(zone.removeRrset(parseName('elsewhere.test.'), types.A), false)
  t.equal(zone.removeRrset(apex, types.TXT), false)
  t.equal(table.usage.usedOctets, usedOctets)
})

t.test('the case of an owner is that of its newest data', async t => {
  const zone = tableZoneFromText(openTable(), `Example. ${soaText.slice(9)}`)
  const names = () => [...zone.rrsets()].map(({ owner }) => formatName(owner))
  const rrset = { type: types.A, ttlSeconds: 60, rdatas: [new Uint8Array(4)] }
  zone.putRrset(parseName('WWW.example.'), rrset)
  t.same(names(), ['Example.', 'WWW.example.'])
  zone.putRrset(parseName('www.Example.'), rrset)
  t.same(names(), ['Example.', 'www.Example.'])
  zone.putRrset(parseName('www.example.'), rrset)
  t.same(names(), ['Example.', 'www.example.'])
  t.equal(zone.apex, apex)
})

t.test('names and RRsets as long as they can be', async t => {
  const table = openTable()
  const zone = tableZoneFromText(table, soaText)
  const longest = parseName(`${`${'a'.repeat(63)}.`.repeat(3)}${'b'.repeat(53)}.example.`)
  t.equal(longest.length, 255)
  const rdatas = Array.from({ length: 0xffff }, (_, i) => Uint8Array.of(i >> 8, i))
  zone.putRrset(longest, { type: types.TXT, ttlSeconds: 0x7fff_ffff, rdatas })
  const found = zone.findRrset(longest, types.TXT)
  t.equal(found?.ttlSeconds, 0x7fff_ffff)
  t.same(found?.rdatas.at(-1), Uint8Array.of(0xff, 0xfe))
  const big = [new Uint8Array(0xffff).fill(7), new Uint8Array(0), new Uint8Array(0xffff).fill(8)]
  zone.putRrset(longest, { type: types.A, ttlSeconds: 0, rdatas: big })
  t.same(zone.findRrset(longest, types.A)?.rdatas, big)
  t.equal(zone.removeRrset(longest, types.TXT), true)
  t.equal(zone.removeRrset(longest, types.A), true)
  t.equal(zone.nodeCount, 1)
  const labels = parseName(`${'a.'.repeat(123)}example.`)
  zone.putRrset(labels, { type: types.A, ttlSeconds: 0, rdatas: [new Uint8Array(4)] })
  t.equal(zone.nodeCount, 124)
})
