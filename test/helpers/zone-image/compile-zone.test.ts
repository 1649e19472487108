import t from 'tap'
import { types } from '../../../src/dns/codes.ts'
import { parseName } from '../../../src/dns/name.ts'
import { rrsetsFromText } from '../zone.ts'
import { compileZone } from './compile-zone.ts'

const rrsets = rrsetsFromText(`
  Example.  3600 SOA ns1 hostmaster 7 7200 900 1209600 300
  www       60   A   192.0.2.1
  a.b       60   A   192.0.2.2
`)
const apex = parseName('example.')

t.test('the order of the RRsets does not matter, the SOA may be last', async t => {
  for (const given of [rrsets, rrsets.toReversed()]) {
    const image = compileZone(apex, given)
    t.equal(image.apex, apex)
    t.equal(image.rrsetCount, 3)
    t.equal(image.nodeCount, 4)
    t.equal(image.lookup(parseName('b.example.'), types.A).kind, 'nodata')
  }
})

t.test('an iterable that can be read once is enough', async t => {
  t.equal(compileZone(apex, rrsets.values()).rrsetCount, 3)
})

t.test('without a SOA at the apex there is no zone', async t => {
  t.throws(() => compileZone(apex, []), { name: 'RangeError' })
  t.throws(() => compileZone(apex, rrsets.slice(1)), { name: 'RangeError' })
  t.throws(() => compileZone(parseName('test.'), rrsets), { name: 'RangeError' })
})

t.test('an owner outside the zone is refused', async t => {
  const outside = rrsetsFromText('elsewhere.test. 60 A 192.0.2.1')
  t.throws(() => compileZone(apex, [...rrsets, ...outside]), { name: 'RangeError' })
})
