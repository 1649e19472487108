import t from 'tap'
import { types } from '../../src/dns/codes.ts'
import { parseName } from '../../src/dns/name.ts'
import { nameDefects } from '../../src/zone/check-name.ts'
import type { Rrset } from '../../src/zone/rrset.ts'
import { rrsetsFromText } from '../helpers/zone.ts'

const origin = '; names are relative to the first\n'
const owner = parseName('www.example.')

function kinds(rrsets: readonly Rrset[], { isApex = false, at = owner } = {}): string[] {
  return [...nameDefects({ owner: at, isApex, rrsets })].map(({ kind }) => kind)
}

function kindsOf(text: string, options?: { isApex?: boolean }): string[] {
  return kinds(rrsetsFromText(origin + text), options)
}

const a: Rrset = { type: types.A, ttlSeconds: 60, rdatas: [Uint8Array.from([192, 0, 2, 1])] }

t.test('several records of a singleton type', async t => {
  t.same(kindsOf('www.example. 60 CNAME a.test.\n@ 60 CNAME b.test.'), ['singleton-repeated'])
  t.same(kindsOf('www.example. 60 DNAME a.test.\n@ 60 DNAME b.test.'), ['singleton-repeated'])
  t.same(kindsOf('example. 60 SOA a. b. 1 2 3 4 5\n@ 60 SOA a. b. 2 2 3 4 5', { isApex: true }), [
    'singleton-repeated',
  ])
})

t.test('CNAME and other data, but for its own proof', async t => {
  t.same(kindsOf('www.example. 60 CNAME a.test.\n@ 60 TXT x'), ['cname-and-other-data'])
  t.same(kindsOf('www.example. 60 CNAME a.test.\n@ 60 DNAME b.test.'), ['cname-and-other-data'])
  t.same(kindsOf('www.example. 60 CNAME a.test.\n@ 60 NSEC b.test. CNAME NSEC'), [])
})

t.test('the same record twice', async t => {
  t.same(kinds([{ ...a, rdatas: [...a.rdatas, ...a.rdatas] }]), ['record-repeated'])
})

t.test('an RRset without records', async t => {
  t.same(kinds([{ ...a, rdatas: [] }]), ['rrset-empty'])
})

t.test('a TTL outside 31 bits', async t => {
  t.same(kinds([{ ...a, ttlSeconds: 2 ** 31 - 1 }]), [])
  for (const ttlSeconds of [2 ** 31, -1, 1.5, Number.NaN]) {
    t.same(kinds([{ ...a, ttlSeconds }]), ['ttl-out-of-range'])
  }
})

t.test('types that are no data', async t => {
  for (const type of [0, types.OPT, types.TSIG, types.AXFR, types.ANY, 128, 65_536]) {
    t.same(kinds([{ ...a, type }]), ['not-zone-data'], String(type))
  }
  for (const type of [1, 127, 256, 65_280]) t.same(kinds([{ ...a, type }]), [], String(type))
})

t.test('types that belong elsewhere', async t => {
  t.same(kindsOf('www.example. 60 SOA a. b. 1 2 3 4 5'), ['soa-below-apex'])
  t.same(kindsOf(`example. 60 DS 1 13 2 ${'0'.repeat(64)}`, { isApex: true }), ['ds-at-apex'])
  t.same(kindsOf('sub.example. 60 NS a.test.\n@ 60 DNAME b.test.'), ['dname-at-cut'])
  t.same(kindsOf('example. 60 NS a.test.\n@ 60 DNAME b.test.', { isApex: true }), [])
  const ns = rrsetsFromText('*.example. 60 NS a.test.')
  t.same(kinds(ns, { at: parseName('*.example.') }), ['ns-at-wildcard'])
})
