import t from 'tap'
import { types } from '../../../src/dns/codes.ts'
import { formatName, type Name, parseName } from '../../../src/dns/name.ts'
import { parseRdata } from '../../../src/dns/rdata/index.ts'
import type { OwnedRrset, Rrset } from '../../../src/zone/rrset.ts'
import { rrsetsFromText, zoneFromText } from '../zone.ts'
import { ZoneImage } from './image.ts'

const soaText = 'example. 3600 SOA ns1 hostmaster 7 7200 900 1209600 300'
const apex = parseName('example.')

function rrset(text: string): OwnedRrset {
  const found = rrsetsFromText(`example. 60 HINFO first line\n${text}`).at(-1)
  if (found === undefined) throw new Error('no RRset in the text')
  return found
}

function name(text: string): Name {
  return parseName(text, apex)
}

function put(image: ZoneImage, text: string): void {
  const given = rrset(text)
  image.putRrset(given.owner, given)
}

t.test('a zone starts with its SOA and nothing else', async t => {
  const image = new ZoneImage(rrset(soaText))
  t.equal(image.apex, apex)
  t.equal(image.serial, 7)
  t.equal(image.nodeCount, 1)
  t.equal(image.rrsetCount, 1)
  t.equal(image.isExpired, false)
  t.throws(() => new ZoneImage(rrset('@ 60 TXT x')), { name: 'RangeError' })
})

t.test('put: makes the names in between, remove: takes them away again', async t => {
  const image = zoneFromText(soaText)
  put(image, 'a.b.c 60 A 192.0.2.1')
  t.equal(image.nodeCount, 4)
  t.equal(image.hasNamesBelow(name('c')), true)
  t.equal(image.removeRrset(name('a.b.c'), types.A), true)
  t.equal(image.nodeCount, 1)
  t.equal(image.hasNamesBelow(apex), false)
})

t.test('remove: keeps a name that still has data or descendants', async t => {
  const image = zoneFromText(soaText)
  put(image, 'b 60 A 192.0.2.1')
  put(image, 'b 60 TXT x')
  put(image, 'a.b 60 A 192.0.2.2')
  image.removeRrset(name('b'), types.A)
  t.equal(image.lookup(name('b'), types.TXT).kind, 'hit')
  image.removeRrset(name('b'), types.TXT)
  t.equal(image.lookup(name('b'), types.TXT).kind, 'nodata')
  t.equal(image.lookup(name('a.b'), types.A).kind, 'hit')
})

t.test('remove: returns whether there was anything', async t => {
  const image = zoneFromText(soaText)
  t.equal(image.removeRrset(name('missing'), types.A), false)
  t.equal(image.removeRrset(apex, types.A), false)
  t.equal(image.rrsetCount, 1)
})

t.test('put: replaces the RRset of its owner and type, in any case', async t => {
  const image = zoneFromText(soaText)
  put(image, 'www 60 A 192.0.2.1')
  put(image, 'WWW 90 A 192.0.2.2')
  t.equal(image.rrsetCount, 2)
  t.equal(image.findRrset(name('www'), types.A)?.ttlSeconds, 90)
  const owners = [...image.rrsets()].map(({ owner }) => formatName(owner))
  t.same(owners, ['example.', 'WWW.example.'])
})

t.test('put: a new SOA changes serial and negative answers at once', async t => {
  const image = zoneFromText(soaText)
  put(image, '@ 3600 SOA ns1 hostmaster 8 7200 900 1209600 60')
  t.equal(image.serial, 8)
  const found = image.lookup(name('missing'), types.A)
  t.equal(found.kind === 'nxdomain' && found.soa.ttlSeconds, 60)
})

t.test('put: NS below the apex cut, and mend when they are removed', async t => {
  const image = zoneFromText(soaText)
  put(image, 'a.sub 60 A 192.0.2.1')
  t.equal(image.lookup(name('a.sub'), types.A).kind, 'hit')
  put(image, 'sub 60 NS ns.elsewhere.test.')
  t.equal(image.lookup(name('a.sub'), types.A).kind, 'referral')
  image.removeRrset(name('sub'), types.NS)
  t.equal(image.lookup(name('a.sub'), types.A).kind, 'hit')
})

t.test('refuses what would make it no zone', async t => {
  const image = zoneFromText(soaText)
  const a: Rrset = rrset('www 60 A 192.0.2.1')
  const soa = rrset(soaText)
  const outside = parseName('elsewhere.test.')
  t.throws(() => image.putRrset(outside, a), { name: 'RangeError' })
  t.throws(() => image.putRrset(apex, { ...a, rdatas: [] }), { name: 'RangeError' })
  t.throws(() => image.putRrset(name('www'), soa), { name: 'RangeError' })
  t.throws(() => image.putRrset(apex, { ...soa, rdatas: [...soa.rdatas, ...soa.rdatas] }), {
    name: 'RangeError',
  })
  t.throws(() => image.removeRrset(apex, types.SOA), { name: 'RangeError' })
  t.equal(image.nodeCount, 1)
  t.equal(image.serial, 7)
})

t.test('rrsetsAt: gives exactly one name, ascending by type, no wildcards', async t => {
  const image = zoneFromText(`${soaText}\nwww 60 TXT x\nwww 60 A 192.0.2.1\n* 60 MX 1 www`)
  t.same(
    image.rrsetsAt(name('WWW')).map(({ type }) => type),
    [types.A, types.TXT],
  )
  t.same(image.rrsetsAt(name('missing')), [])
})

t.test('rrsets: gives what was put, octet for octet, the SOA first', async t => {
  const image = zoneFromText(`example. 60 TXT x\nwww 60 A 192.0.2.1\n${soaText}\n* 60 MX 1 www`)
  const found = [...image.rrsets()]
  t.equal(found[0]?.type, types.SOA)
  t.equal(found.length, 4)
  const mx = found.find(({ type }) => type === types.MX)
  t.same(mx?.rdatas, [parseRdata(types.MX, '1 www.example.')])
})
