import t from 'tap'
import { types } from '../../../src/dns/codes.ts'
import { formatName, type Name, parseName } from '../../../src/dns/name.ts'
import type { OwnedRrset } from '../../../src/zone/rrset.ts'
import { nameOfEntry } from '../../../src/zone/table/entries.ts'
import { TableMemory } from '../../../src/zone/table/memory.ts'
import { NameKey } from '../../../src/zone/table/name-key.ts'
import { denials, maxIterations, TableDenial } from '../../../src/zone/table/table-denial.ts'
import { ownerOfEntry } from '../../../src/zone/table/zone-signing.ts'
import { type SigningOptions, signZone } from '../../helpers/sign-zone.ts'
import { rrsetsFromText } from '../../helpers/zone.ts'
import { createZone, openTable } from '../../helpers/zone-table.ts'

const text = `
  example.      300 SOA ns1 hostmaster 1 7200 900 1209600 300
  a.b           60  A   192.0.2.1
  sub           60  NS  ns1
  glue.sub      60  A   192.0.2.2
  zz            60  A   192.0.2.3
`

function open(rrsets: readonly OwnedRrset[]) {
  const table = openTable()
  const zone = createZone(table, rrsets)
  const memory = new TableMemory(table.memory)
  const denial = new TableDenial(memory)
  const kind = denial.begin(zone.ref)
  const key = (name: string): NameKey => {
    const read = new NameKey(memory)
    read.readName(parseName(name))
    return read
  }
  const nsecFor = (name: string): string =>
    formatName(nameOfEntry(memory, denial.findNsec(key(name))))
  const ownerOf = (found: number): Name | undefined =>
    found === 0 ? undefined : ownerOfEntry(memory, zone.ref, found)
  return { zone, denial, kind, key, nsecFor, ownerOf }
}

function signed(options: SigningOptions): OwnedRrset[] {
  return signZone(rrsetsFromText(text), options)
}

t.test('the NSEC that covers a name is that of the last name before it', async t => {
  const { kind, nsecFor } = open(signed({ denial: 'nsec' }))
  t.equal(kind, denials.nsec)
  for (const [name, expected] of [
    ['example.', 'example.'],
    ['a.example.', 'example.'],
    ['b.example.', 'example.'],
    ['a.b.example.', 'a.b.example.'],
    ['c.a.b.example.', 'a.b.example.'],
    ['glue.sub.example.', 'sub.example.'],
    ['zzz.example.', 'zz.example.'],
  ] as const) {
    t.equal(nsecFor(name), expected, name)
  }
})

t.test('what is occluded is not in the chain, even if somebody has given it an NSEC', async t => {
  const { zone, nsecFor } = open(signed({ denial: 'nsec' }))
  const [nsec] = rrsetsFromText('glue.sub.example. 60 NSEC zz.example. A')
  zone.putRrset(parseName('glue.sub.example.'), nsec as OwnedRrset)
  t.equal(nsecFor('hello.sub.example.'), 'sub.example.')
  t.equal(nsecFor('t.example.'), 'sub.example.')
})

t.test('each name has its NSEC3; others are covered, also those before the first', async t => {
  const rrsets = signed({ denial: 'nsec3', salt: Uint8Array.of(1, 2, 3), iterations: 2 })
  const { denial, kind, key, ownerOf } = open(rrsets)
  t.equal(kind, denials.nsec3)
  const owners = rrsets.filter(({ type }) => type === types.NSEC3).map(({ owner }) => owner)
  const matched = ['example.', 'b.example.', 'a.b.example.', 'sub.example.', 'zz.example.'].map(
    name => ownerOf(denial.match(key(name), 0)),
  )
  t.same(matched.toSorted(), owners.toSorted())
  t.equal(denial.match(key('glue.sub.example.'), 0), 0)
  const found = new Set<Name | undefined>()
  for (let i = 0; i < 100; i += 1) found.add(ownerOf(denial.cover(key(`n${i}.example.`), 0)))
  t.same([...found].sort(), owners.toSorted())
})

t.test('NSEC3 of another chain are passed over', async t => {
  const [one, other] = [
    signed({ denial: 'nsec3', salt: Uint8Array.of(1) }),
    signed({ denial: 'nsec3', salt: Uint8Array.of(2) }),
  ]
  const ofOther = other.filter(({ type }) => type === types.NSEC3)
  const { denial, key, ownerOf } = open([...one, ...ofOther])
  const others = ofOther.map(({ owner }) => owner)
  for (let i = 0; i < 100; i += 1) {
    const owner = ownerOf(denial.cover(key(`n${i}.example.`), 0))
    t.ok(owner !== undefined && !others.includes(owner))
  }
})

t.test('a chain that is not whole, or hashed too often, is none', async t => {
  for (const param of ['1 1 0 -', `1 0 ${maxIterations + 1} -`, '2 0 0 -']) {
    const rrsets = signed({ denial: 'nsec3' }).filter(({ type }) => type !== types.NSEC3PARAM)
    const [rrset] = rrsetsFromText(`example. 0 NSEC3PARAM ${param}`)
    t.equal(open([...rrsets, rrset as OwnedRrset]).kind, denials.none, param)
  }
  t.equal(open(rrsetsFromText(text)).kind, denials.none)
})

t.test('what was found for a name is found anew once the zone has changed', async t => {
  const { zone, denial, key } = open(
    signed({ denial: 'nsec3', salt: new Uint8Array(), iterations: 0 }),
  )
  const apex = key('example.')
  const found = () => {
    denial.begin(zone.ref)
    return [denial.matchEncloser(apex, 0), denial.coverWildcard(apex, 0)]
  }
  const first = found()
  t.same(first, [denial.match(apex, 0), denial.cover(key('*.example.'), 0)])
  t.same(found(), first)
  t.equal(denial.matchWildcard(apex, 0), 0)
  for (const name of [...zone.hashOwners()]) {
    const rrset = zone.findRrset(name, types.NSEC3)
    if (rrset === undefined) throw new Error(`no NSEC3 at ${name}`)
    zone.putRrset(name, { ...rrset, ttlSeconds: rrset.ttlSeconds + 1 })
  }
  const anew = found()
  t.same(anew, [denial.match(apex, 0), denial.cover(key('*.example.'), 0)])
  for (const [i, entry] of first.entries()) t.not(anew[i], entry)
})
