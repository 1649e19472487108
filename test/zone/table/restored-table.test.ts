import t, { type Test } from 'tap'
import { formatName, parseName } from '../../../src/dns/name.ts'
import { header, pageOctets, readerWords } from '../../../src/zone/table/layout.ts'
import { decodeTableState, encodeTableState } from '../../../src/zone/table/table-state.ts'
import type { TargetZones } from '../../../src/zone/table/target-zones.ts'
import { ZoneTable } from '../../../src/zone/table/zone-table.ts'
import { Dice } from '../../helpers/dice.ts'
import { rrsetsFromText } from '../../helpers/zone.ts'
import { openTable, tableZoneFromText } from '../../helpers/zone-table.ts'

// A table is copied while it is changed, and another goes on from the copy: with everything that was in it, and as good
// as ever for more changes.

const reserveOctets = 2 ** 26
const soa = '3600 SOA ns1 hostmaster 1 7200 900 1209600 300'
const zoneNames = ['example.', 'sub.example.', 'other.']

/** Takes the pages that were written to, as many as there may be. */
function copyPages(table: ZoneTable, copy: Uint8Array, count = Number.POSITIVE_INFINITY): void {
  let from = 0
  for (let left = count; left > 0; left -= 1) {
    const next = table.written.take(from)
    if (next === undefined) return
    copy.set(next.octets, next.page * pageOctets)
    from = next.page + 1
  }
}

function restore(table: ZoneTable, memory: SharedArrayBuffer): ZoneTable {
  copyPages(table, new Uint8Array(memory))
  return ZoneTable.restore(memory, decodeTableState(encodeTableState(table.state)))
}

/** All that a target serves. */
function contents(zones: TargetZones): readonly string[] {
  return [...zones].flatMap(zone => textOf(zone)).sort()
}

function textOf(zone: ReturnType<ZoneTable['createZone']>): readonly string[] {
  return Array.from(zone.rrsets(), ({ owner, type, ttlSeconds, rdatas }) =>
    [
      formatName(zone.apex),
      formatName(owner),
      type,
      ttlSeconds,
      ...rdatas.map(rdata => Buffer.from(rdata).toString('hex')),
    ].join(' '),
  )
}

class Changes {
  readonly table: ZoneTable
  readonly zones: TargetZones
  readonly #dice: Dice

  constructor(table: ZoneTable, zones: TargetZones, seed: number) {
    this.table = table
    this.zones = zones
    this.#dice = new Dice(seed)
  }

  make(): void {
    const dice = this.#dice
    const name = dice.pick(zoneNames)
    const zone = this.zones.get(parseName(name))
    if (zone === undefined) this.zones.publish(tableZoneFromText(this.table, `${name} ${soa}`))
    else if (dice.below(300) === 0) this.zones.withdraw(parseName(name))
    else if (dice.below(10) === 0) this.table.reclaim(dice.below(200))
    else if (dice.below(4) === 0) {
      const rrsets = [...zone.rrsets()].filter(({ type }) => type !== 6)
      if (rrsets.length === 0) return
      const { owner, type } = dice.pick(rrsets)
      zone.removeRrset(owner, type)
    } else {
      const [rrset] = rrsetsFromText(`${name} ${soa}\n${this.#record(name)}`).slice(-1)
      if (rrset !== undefined) zone.putRrset(rrset.owner, rrset)
    }
  }

  #record(name: string): string {
    const dice = this.#dice
    const label = `${dice.pick(['', 'A.b.', '*.c.'])}H${dice.below(2000)}`
    const data = dice.pick([
      `A 192.0.2.${dice.below(250)}`,
      `TXT "${'x'.repeat(dice.below(255))}"`,
      `RRSIG A 13 2 60 20300101000000 20200101000000 1 ${name} ${'A'.repeat(84)}AA==`,
      `NSEC h${dice.below(2000)}.${name} A RRSIG NSEC`,
    ])
    return `${label}.${name} ${60 + dice.below(3)} ${data}`
  }
}

for (const seed of [1, 2]) {
  t.test(`a table that changes while it is copied goes on elsewhere (seed ${seed})`, async t => {
    const dice = new Dice(seed)
    let table = openTable({ reserveOctets, seed })
    let zones = table.addTarget()
    let changes = new Changes(table, zones, seed)
    const reader = table.readers.open(zones)
    for (let life = 0; life < 3; life += 1) {
      const memory = new SharedArrayBuffer(reserveOctets)
      if (life > 0) table.written.markAll()
      const copy = new Uint8Array(memory)
      for (let i = 0; i < 1200; i += 1) {
        changes.make()
        copyPages(table, copy, dice.pick([0, 5, Number.POSITIVE_INFINITY]))
        if (i % 100 === 0) requireSame(t, table, copy)
      }
      const next = restore(table, memory)
      const nextZones = next.target(zones.ref)
      t.same(contents(nextZones), contents(zones))
      t.equal(next.usage.touchedOctets, table.usage.touchedOctets)
      zones = nextZones
      table = next
      changes = new Changes(table, zones, seed + life)
    }
    reader.close()
    for (const name of zoneNames) zones.withdraw(parseName(name))
    while (table.reclaim(10_000) !== 'nothing') t.pass()
    t.equal(table.zoneAt(0), undefined)
    const before = table.usage.usedOctets
    for (let i = 0; i < 500; i += 1) changes.make()
    t.ok(table.usage.usedOctets > before)
  })
}

/** Nothing was written to without a mark, but for the header, where readers are. */
function requireSame(t: Test, table: ZoneTable, copy: Uint8Array): void {
  copyPages(table, copy)
  const { touchedOctets } = table.usage
  const original = Buffer.from(table.memory, pageOctets, touchedOctets - pageOctets)
  if (original.compare(copy, pageOctets, touchedOctets) !== 0) t.fail('a mark is missing')
}

t.test('staged zones are gone, and withdrawn ones are taken apart', async t => {
  const table = openTable({ reserveOctets })
  const zones = table.addTarget()
  const [served, withdrawn] = ['a.', 'b.'].map(name => tableZoneFromText(table, `${name} ${soa}`))
  for (const zone of [served, withdrawn]) if (zone !== undefined) zones.publish(zone)
  tableZoneFromText(table, `staged. ${soa}`)
  zones.withdraw(parseName('b.'))
  const next = restore(table, new SharedArrayBuffer(reserveOctets))
  t.same(
    Array.from(next.zones(), ({ apex }) => formatName(apex)),
    ['a.'],
  )
  const freed: number[] = []
  next.onZoneNumberFreed = zoneNumber => freed.push(zoneNumber)
  while (next.reclaim(10) !== 'nothing') t.pass()
  t.same(freed.sort(), [1, 2])
  t.equal(tableZoneFromText(next, `new. ${soa}`).number < 3, true)
})

t.test('who read the table does not hold up the next one', async t => {
  const table = openTable({ reserveOctets })
  const zones = table.addTarget()
  const { handle } = table.readers.open(zones)
  Atomics.store(new Int32Array(handle.memory), header.readers + handle.reader * readerWords, 1)
  const next = restore(table, new SharedArrayBuffer(reserveOctets))
  t.equal(new Int32Array(next.memory)[header.readers], 0)
})
