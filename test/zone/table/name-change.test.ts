import t from 'tap'
import { types } from '../../../src/dns/codes.ts'
import { lowerCaseName, parseName } from '../../../src/dns/name.ts'
import type { OwnedRrset } from '../../../src/zone/rrset.ts'
import type { TableZone } from '../../../src/zone/table/table-zone.ts'
import { Dice } from '../../helpers/dice.ts'
import { randomRrset, randomSoa } from '../../helpers/random-zones.ts'
import { type Denial, signZone } from '../../helpers/sign-zone.ts'
import { contentsOf, sameOrThrow } from '../../helpers/zone-comparison.ts'
import { createZone, openTable } from '../../helpers/zone-table.ts'

const apex = 'example.'
const denials: readonly Denial[] = ['nsec', 'nsec3', 'opt-out']

function signedContents(dice: Dice, denial: Denial): OwnedRrset[] {
  const rrsets = [randomSoa(dice, apex)]
  for (let i = dice.pick([3, 20, 60, 120]); i > 0; i -= 1) rrsets.push(randomRrset(dice, apex))
  const distinct = new Map(rrsets.map(rrset => [keyOf(rrset), rrset]))
  return signZone([...distinct.values()], { denial, salt: Uint8Array.of(1, 2) })
}

function keyOf({ owner, type }: Pick<OwnedRrset, 'owner' | 'type'>): string {
  return `${lowerCaseName(owner)} ${type}`
}

/** Records one by one; the TTL of signatures is another matter. */
function recordsOf(rrsets: Iterable<OwnedRrset>): string[] {
  const single = [...rrsets].flatMap(rrset =>
    rrset.rdatas.map(rdata => ({
      ...rrset,
      ttlSeconds: rrset.type === types.RRSIG ? 0 : rrset.ttlSeconds,
      rdatas: [rdata],
    })),
  )
  return contentsOf(single)
}

function shuffled<T>(dice: Dice, items: readonly T[]): T[] {
  return items
    .map(item => ({ item, at: dice.below(2 ** 30) }))
    .sort((one, other) => one.at - other.at)
    .map(({ item }) => item)
}

function requireSame(zone: TableZone, rrsets: readonly OwnedRrset[]): void {
  const [found, wanted] = [recordsOf(zone.rrsets()), recordsOf(rrsets)]
  const i = wanted.findIndex((record, at) => record !== found[at])
  sameOrThrow('records', [found.length, found[i]], [wanted.length, wanted[i]])
  sameOrThrow('RRsets', zone.rrsetCount, rrsets.length)
  for (const { owner, type, rdatas } of rrsets) {
    const found = zone.findRrset(owner, type)?.rdatas.map(hex).sort()
    sameOrThrow(`${owner} ${type}`, found, rdatas.map(hex).sort())
  }
}

function hex(rdata: Uint8Array): string {
  return Buffer.from(rdata).toString('hex')
}

t.test('any signed zone, in any order, is what was put, and leaves nothing behind', async t => {
  const table = openTable()
  table.reclaim(1e6)
  const { usedOctets } = table.usage
  for (let seed = 1; seed <= 60; seed += 1) {
    const dice = new Dice(seed)
    const rrsets = signedContents(dice, dice.pick(denials))
    const zone = createZone(table, shuffled(dice, rrsets))
    requireSame(zone, rrsets)
    const left = changeSome(zone, shuffled(dice, rrsets), dice)
    requireSame(zone, left)
    if (seed % 2 === 0) {
      removeAll(zone, left)
      sameOrThrow('names', zone.nodeCount, 1)
    }
    table.discard(zone)
    for (let left = table.reclaim(1e4); left !== 'nothing'; ) left = table.reclaim(1e4)
    sameOrThrow('octets', table.usage.usedOctets, usedOctets)
  }
  t.equal(table.usage.usedOctets, usedOctets)
})

/** Removes and replaces some RRsets and returns what is there then. */
function changeSome(zone: TableZone, rrsets: readonly OwnedRrset[], dice: Dice): OwnedRrset[] {
  return rrsets.flatMap(rrset => {
    const { owner, type, ttlSeconds } = rrset
    if (type === types.SOA || dice.below(3) === 0) return [rrset]
    if (!zone.removeRrset(owner, type)) throw new Error('it was not there')
    if (dice.below(3) > 0) return []
    const changed = { ...rrset, ttlSeconds: (1 + ttlSeconds / 2) >>> 0 }
    zone.putRrset(owner, changed)
    return [changed]
  })
}

function removeAll(zone: TableZone, rrsets: readonly OwnedRrset[]): void {
  for (const { owner, type } of rrsets) if (type !== types.SOA) zone.removeRrset(owner, type)
}

t.test('compaction moves signatures, order and NSEC3 of a zone along', async t => {
  for (const denial of denials) {
    const table = openTable()
    const soa = randomSoa(new Dice(5), apex)
    const hosts = Array.from({ length: 15_000 }, (_, i) => ({
      owner: parseName(`n${i}.example.`),
      type: types.A,
      ttlSeconds: 60,
      rdatas: [Uint8Array.of(192, 0, 2, 1)],
    }))
    const all = signZone([soa, ...hosts], { denial })
    const zone = createZone(table, all)
    const isKept = ({ owner }: OwnedRrset, i: number) => owner === soa.owner || i % 20 === 0
    const kept = all.filter(isKept)
    for (const [i, rrset] of all.entries()) {
      if (!isKept(rrset, i)) zone.removeRrset(rrset.owner, rrset.type)
    }
    const before = table.usage.pageOctets
    let sweepCount = 0
    while (table.reclaim(1000) !== 'nothing') sweepCount += 1
    t.ok(sweepCount > 0)
    t.ok(table.usage.pageOctets < before / 2, `${table.usage.pageOctets} of ${before}`)
    requireSame(zone, kept)
    removeAll(zone, kept)
    t.equal(zone.nodeCount, 1)
  }
})

t.test('a signature has the TTL of what it covers, whichever comes first', async t => {
  const table = openTable()
  const dice = new Dice(1)
  const soa = randomSoa(dice, apex)
  const a = {
    owner: parseName('a.example.'),
    type: types.A,
    ttlSeconds: 77,
    rdatas: [Uint8Array.of(192, 0, 2, 1)],
  }
  const signed = signZone([soa, a], { denial: 'nsec' })
  for (const order of [signed, signed.toReversed()]) {
    const zone = createZone(table, order)
    const ttls = () =>
      [...zone.rrsets()]
        .filter(({ owner, type }) => owner === a.owner && type !== types.NSEC)
        .map(({ ttlSeconds }) => ttlSeconds)
    t.same(ttls(), [77, 77, 300])
    zone.putRrset(a.owner, { ...a, ttlSeconds: 5 })
    t.same(ttls(), [5, 5, 300])
  }
})

t.test('NSEC3 is no name, and belongs to a hash right below the apex', async t => {
  const table = openTable()
  const soa = randomSoa(new Dice(1), apex)
  const signed = signZone([soa], { denial: 'nsec3' })
  const zone = createZone(table, signed)
  t.equal(zone.nodeCount, 1)
  const nsec3 = signed.find(({ type }) => type === types.NSEC3) as OwnedRrset
  for (const owner of [
    'example.',
    'a.example.',
    `a.${'0'.repeat(32)}.example.`,
    `${'w'.repeat(32)}.example.`,
  ]) {
    t.throws(() => zone.putRrset(parseName(owner), nsec3), { name: 'RangeError' })
  }
  t.equal(zone.rrsetCount, signed.length)
})
