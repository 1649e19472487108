import assert from 'node:assert/strict'
import t from 'tap'
import { types } from '../../src/dns/codes.ts'
import { formatName, type Name, parseName } from '../../src/dns/name.ts'
import { checkPut, zoneDefects } from '../../src/zone/check.ts'
import { isRuled } from '../../src/zone/check-name.ts'
import type { ZoneDefect } from '../../src/zone/defect.ts'
import { PackedRrsets } from '../../src/zone/packed-rrsets.ts'
import type { OwnedRrset } from '../../src/zone/rrset.ts'
import { rrsetsFromText, zoneFromText } from '../helpers/zone.ts'

const apex = parseName('example.')
const sound = `
  example.  3600 SOA ns1 hostmaster 7 7200 900 1209600 300
  @         3600 NS  ns1
`

/** `data-below-dname old.example.` */
function texts(defects: readonly ZoneDefect[]): string[] {
  return defects.map(defect =>
    'owner' in defect ? `${defect.kind} ${formatName(defect.owner)}` : defect.kind,
  )
}

function checked(text: string): string[] {
  return texts(wholeZone(rrsetsFromText(sound + text)))
}

function wholeZone(rrsets: readonly OwnedRrset[]): ZoneDefect[] {
  const packed = new PackedRrsets(0)
  for (const { owner, type, ttlSeconds, rdatas } of rrsets) {
    const index = packed.add(owner, type, ttlSeconds)
    for (const rdata of rdatas) packed.addRecord(index, rdata)
  }
  const defects = [...zoneDefects(apex, () => packed.names())]
  // Names that no rule is about may be left out.
  const names = (which: 'all' | 'ruled') => packed.names(which === 'all' ? undefined : isRuled)
  assert.deepEqual([...zoneDefects(apex, names)], defects)
  return defects
}

t.test('zoneDefects: a sound zone has no defects', async t => {
  t.same(
    checked(`
      www     60 CNAME host
      host    60 A     192.0.2.1
      old     60 DNAME new
      old     60 TXT   x
      sub     60 NS    ns.sub
      ns.sub  60 A     192.0.2.2
      sub     60 DS    1 13 2 ${'0'.repeat(64)}
      *       60 A     192.0.2.3`),
    [],
  )
})

t.test('zoneDefects: what only shows over the whole zone', async t => {
  t.same(texts(wholeZone([])), ['soa-missing', 'ns-missing'])
  const soa = rrsetsFromText(sound).slice(0, 1)
  t.same(texts(wholeZone(soa)), ['ns-missing'])
})

t.test('zoneDefects: names are judged in their order, and then the zone', async t => {
  const rrsets = rrsetsFromText(`
    x.example.  60 CNAME a
    x.example.  60 CNAME b
    a.example.  60 CNAME a
    a.example.  60 TXT x
    x.example.  60 TXT x`)
  t.same(texts(wholeZone(rrsets)), [
    'singleton-repeated x.example.',
    'cname-and-other-data x.example.',
    'cname-and-other-data a.example.',
    'soa-missing',
    'ns-missing',
  ])
})

t.test('zoneDefects: data below a DNAME, once per DNAME', async t => {
  t.same(
    checked(`
      Old        60 DNAME new
      a.old      60 A     192.0.2.1
      b.c.old    60 A     192.0.2.2
      other      60 DNAME new
      x.other    60 TXT   x`),
    ['data-below-dname Old.example.', 'data-below-dname other.example.'],
  )
})

t.test('zoneDefects: a DNAME at the apex leaves room for nothing but the apex', async t => {
  t.same(checked('@ 60 DNAME elsewhere.test.'), [])
  t.same(checked('@ 60 DNAME elsewhere.test.\nwww 60 A 192.0.2.1'), ['data-below-dname example.'])
})

t.test('zoneDefects: hashed denial below an apex DNAME is no data (RFC 5155 3)', async t => {
  t.same(
    checked(`
      @                                60 DNAME elsewhere.test.
      0p9mhaveqvm6t7vbl5lop2u3t2rp3tom 60 NSEC3 1 0 0 - 2t7b4g4vsa5smi47k61mv5bv1a22bojr A`),
    [],
  )
})

const image = zoneFromText(`${sound}
  www     60 CNAME host
  host    60 A     192.0.2.1
  old     60 DNAME new
  a.ent   60 A     192.0.2.2
`)

function checkedPut(text: string): string[] {
  const [rrset] = rrsetsFromText(`example. 60 TXT x\n${text}`).slice(-1)
  if (rrset === undefined) throw new Error('no RRset in the text')
  return texts(checkPut(image, rrset.owner, rrset))
}

t.test('checkPut: a change that fits has no defects', async t => {
  t.same(checkedPut('new 60 A 192.0.2.9'), [])
  t.same(checkedPut('www 90 CNAME other'), [])
  t.same(checkedPut('host 60 DNAME new'), [])
  t.same(checkedPut('example. 60 SOA ns1 hostmaster 8 7200 900 1209600 300'), [])
})

t.test('checkPut: judges the name with what it already has', async t => {
  t.same(checkedPut('www 60 A 192.0.2.9'), ['cname-and-other-data www.example.'])
  t.same(checkedPut('host 60 CNAME www'), ['cname-and-other-data host.example.'])
  t.same(checkedPut('@ 60 CNAME www'), ['cname-and-other-data example.'])
  t.same(checkedPut('OLD 60 NS ns1'), ['dname-at-cut OLD.example.'])
})

t.test('checkPut: a change is not blamed for what another RRset of its name has', async t => {
  const damaged = zoneFromText(`${sound}
    mixed 4294967295 TXT x
`)
  const owner = parseName('mixed.example.')
  const [fits] = rrsetsFromText('mixed.example. 60 A 192.0.2.1')
  t.same(fits && texts(checkPut(damaged, owner, fits)), [])
})

t.test('checkPut: judges what is above and below', async t => {
  t.same(checkedPut('a.b.old 60 A 192.0.2.9'), ['data-below-dname old.example.'])
  t.same(checkedPut('ent 60 DNAME new'), ['data-below-dname ent.example.'])
  t.same(checkedPut('@ 60 DNAME new.test.'), ['data-below-dname example.'])
})

t.test('checkPut: an owner outside the zone', async t => {
  const [rrset] = rrsetsFromText('elsewhere.test. 60 A 192.0.2.1')
  const owner = parseName('elsewhere.test.') as Name
  t.same(rrset && texts(checkPut(image, owner, rrset)), ['outside-zone elsewhere.test.'])
  t.equal(rrset?.type, types.A)
})

t.test('a name has 256 types at most, and keeps more that it has already', async t => {
  const crowd = (count: number) =>
    Array.from({ length: count }, (_, i) => `crowd 60 TYPE${1000 + i} \\# 1 00`).join('\n')
  t.same(checked(crowd(256)), [])
  t.same(checked(crowd(257)), ['too-many-types crowd.example.'])
  const put = (zone: string, type: number) => {
    const [rrset] = rrsetsFromText(`crowd.example. 60 TYPE${type} \\# 1 01`)
    return rrset && texts(checkPut(zoneFromText(`${sound}\n${zone}`), rrset.owner, rrset))
  }
  t.same(put(crowd(255), 2000), [])
  t.same(put(crowd(256), 2000), ['too-many-types crowd.example.'])
  t.same(put(crowd(300), 1000), [])
})
