import t from 'tap'
import { types } from '../../../src/dns/codes.ts'
import { formatName, parseName } from '../../../src/dns/name.ts'
import { zonesFromText } from '../zone.ts'
import { findZone } from './find-zone.ts'

const soa = '3600 SOA ns1 hostmaster 1 7200 900 1209600 300'
const zones = zonesFromText(
  `example. ${soa}\nsub 60 NS ns.elsewhere.test.\na.b.far 60 A 192.0.2.1`,
  `sub.example. ${soa}`,
  `stray.example. ${soa}`,
  `far.example. ${soa}`,
)

function found(qname: string, qtype: number): string | undefined {
  const zone = findZone(zones, parseName(qname), qtype)
  return zone && formatName(zone.apex)
}

t.test('the longest apex answers', async t => {
  t.equal(found('sub.example.', types.A), 'sub.example.')
  t.equal(found('a.sub.example.', types.A), 'sub.example.')
  t.equal(found('a.example.', types.A), 'example.')
  t.equal(found('a.test.', types.A), undefined)
})

t.test('DS at an apex goes to the zone above, where that knows the name', async t => {
  t.equal(found('sub.example.', types.DS), 'example.')
  t.equal(found('far.example.', types.DS), 'example.')
  t.equal(found('stray.example.', types.DS), 'stray.example.')
  t.equal(found('example.', types.DS), 'example.')
})

t.test('DS below an apex stays in the zone', async t => {
  t.equal(found('a.sub.example.', types.DS), 'sub.example.')
})

t.test('DS does not go to an expired zone', async t => {
  const parent = zones.get(parseName('example.'))
  if (parent) parent.isExpired = true
  t.equal(found('sub.example.', types.DS), 'sub.example.')
  if (parent) parent.isExpired = false
})
