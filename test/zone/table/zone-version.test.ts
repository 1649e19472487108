import t from 'tap'
import { formatName, parseName } from '../../../src/dns/name.ts'
import { nameOfEntry } from '../../../src/zone/table/entries.ts'
import { countShift, rrset, typeMask } from '../../../src/zone/table/layout.ts'
import { TableMemory } from '../../../src/zone/table/memory.ts'
import type { TableZone } from '../../../src/zone/table/table-zone.ts'
import { ownerOfEntry } from '../../../src/zone/table/zone-signing.ts'
import { type FrozenZone, listHead } from '../../../src/zone/table/zone-version.ts'
import { Dice } from '../../helpers/dice.ts'
import { openTable, tableZoneFromText } from '../../helpers/zone-table.ts'

/** One line for each RRset of a version: owner, type, TTL, how many. */
function linesOf({ memory, list, rrsetCount, zone }: FrozenZone): readonly string[] {
  const table = new TableMemory(memory)
  const refs = new Int32Array(list)
  const lines = Array.from({ length: rrsetCount }, (_, i) => {
    const node = refs[listHead + 2 * i] as number
    const block = refs[listHead + 2 * i + 1] as number
    const head = table.words[block + rrset.head] as number
    const ttl = table.words[block + rrset.ttlSeconds] as number
    const owner = formatName(node < 0 ? ownerOfEntry(table, zone, -node) : nameOfEntry(table, node))
    return `${owner} ${head & typeMask} ${ttl} ${head >>> countShift}`
  })
  t.match(lines[0], / 6 /, 'the SOA is first')
  return lines.toSorted()
}

function linesServed(zone: TableZone): readonly string[] {
  return [...zone.rrsets()]
    .map(({ owner, type, ttlSeconds, rdatas }) =>
      `${formatName(owner)} ${type} ${ttlSeconds} ${rdatas.length}`.toLowerCase(),
    )
    .toSorted()
}

function open() {
  const table = openTable()
  const target = table.addTarget()
  const zone = tableZoneFromText(table, 'example. 300 SOA ns host 7 7200 900 1209600 300')
  target.publish(zone)
  const dice = new Dice(5936)
  /** Puts or removes something at one of 50 names. */
  const change = () => {
    const depth = dice.below(2) === 0 ? '' : 'deep.'
    const owner = parseName(`n${dice.below(25)}.${depth}example.`)
    const type = dice.below(2) === 0 ? 1 : 16
    if (dice.below(3) === 0) zone.removeRrset(owner, type)
    else zone.putRrset(owner, { type, ttlSeconds: dice.below(9), rdatas: [Uint8Array.of(1, 65)] })
  }
  return { table, target, zone, dice, change }
}

t.test(
  'a version is of the moment of its end, whatever changed in between and does later',
  async t => {
    const { table, target, zone, dice, change } = open()
    for (let i = 0; i < 300; i += 1) {
      for (let n = dice.below(10); n > 0; n -= 1) change()
      const version = table.openVersion(zone, target)
      while (version.step(1 + dice.below(4))) for (let n = dice.below(3); n > 0; n -= 1) change()
      const expected = linesServed(zone)
      const frozen = version.finish()
      t.notOk(version.isStale)
      t.strictSame(linesOf(frozen), expected)
      for (let n = 0; n < 200; n += 1) change()
      t.ok(version.isStale)
      t.strictSame(linesOf(frozen), expected, 'nothing of it is used again')
      version.close()
    }
  },
)

t.test('a zone that is withdrawn can be read to its end', async t => {
  const { table, target, zone, change } = open()
  for (let i = 0; i < 50; i += 1) change()
  const version = table.openVersion(zone, target)
  while (version.step(10));
  const expected = linesServed(zone)
  const frozen = version.finish()
  target.withdraw(parseName('example.'))
  while (table.reclaim(100) === 'more');
  t.strictSame(linesOf(frozen), expected)
  version.close()
  while (table.reclaim(100) === 'more');
  t.equal([...table.zones()].length, 0)
})

t.test('a revoked version says so', async t => {
  const { table, target, zone } = open()
  const version = table.openVersion(zone, target)
  version.step(10)
  const { list } = version.finish()
  t.equal(new Int32Array(list)[0], 0)
  version.revoke()
  t.equal(new Int32Array(list)[0], 1)
  version.close()
})

t.test('signatures and NSEC3 are among it', async t => {
  const { table, target } = open()
  const zone = tableZoneFromText(
    table,
    `signed. 300 SOA ns host 7 7200 900 1209600 300
    @ 300 RRSIG SOA 13 1 300 20300101000000 20200101000000 1 signed. AAAA
    0p9mhaveqvm6t7vbl5lop2u3t2rp3tom 300 NSEC3 1 0 0 - 2t7b4g4vsa5smi47k61mv5bv1a22bojr SOA
    0p9mhaveqvm6t7vbl5lop2u3t2rp3tom 300 RRSIG NSEC3 13 2 300 20300101000000 20200101000000 1 signed. AAAA`,
  )
  target.publish(zone)
  const version = table.openVersion(zone, target)
  while (version.step(1));
  const lines = linesOf(version.finish())
  t.equal(lines.length, 4)
  t.strictSame(lines, linesServed(zone))
  version.close()
})
