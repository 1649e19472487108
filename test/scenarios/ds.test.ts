import t from 'tap'
import { parseName } from '../../src/dns/name.ts'
import { testRows } from '../helpers/rows.ts'
import { zonesFromText } from '../helpers/zone.ts'

const digest = '0'.repeat(64)

const parentText = `
  example.       3600 SOA ns1 hostmaster 1 7200 900 1209600 300
  @              3600 NS  ns1
  ns1            3600 A   192.0.2.53
  signed         3600 NS  ns.elsewhere.test.
  signed         3600 DS  60485 13 2 ${digest}
  unsigned       3600 NS  ns.elsewhere.test.
  below.signed   3600 DS  60485 13 2 ${digest}
  a.b.far        3600 A   192.0.2.1
`
const childText = `
  signed.example. 3600 SOA ns1 hostmaster 2 7200 900 1209600 60
  @               3600 NS  ns.elsewhere.test.
`
const farText = `
  far.example.    3600 SOA ns1 hostmaster 4 7200 900 1209600 60
`
const strayText = `
  stray.example.  3600 SOA ns1 hostmaster 3 7200 900 1209600 60
  @               3600 NS  ns.elsewhere.test.
`

const parentSoa = 'example. 300 SOA ns1.example. hostmaster.example. 1 7200 900 1209600 300'
const childSoa =
  'signed.example. 60 SOA ns1.signed.example. hostmaster.signed.example. 2 7200 900 1209600 60'
const straySoa =
  'stray.example. 60 SOA ns1.stray.example. hostmaster.stray.example. 3 7200 900 1209600 60'

t.test('with the parent zone alone', async t => {
  testRows(t, zonesFromText(parentText), [
    {
      rule: 'DS: at a cut is authoritative data of the parent (RFC 4035 3.1.4.1)',
      ask: 'signed.example. DS',
      answer: `signed.example. 3600 DS 60485 13 2 ${digest}`,
    },
    {
      rule: 'DS: missing at a cut is NODATA from the parent',
      ask: 'unsigned.example. DS',
      authority: parentSoa,
    },
    {
      rule: 'DS: below a cut is a referral like any type',
      ask: 'below.signed.example. DS',
      expectFlags: '',
      authority: 'signed.example. 3600 NS ns.elsewhere.test.',
    },
    {
      rule: 'DS: at the apex without the zone above is NODATA from the zone itself',
      ask: 'example. DS',
      authority: parentSoa,
    },
  ])
})

t.test('with parent and child', async t => {
  testRows(t, zonesFromText(parentText, childText, strayText, farText), [
    {
      rule: 'DS: is answered by the parent though the child is closer',
      ask: 'signed.example. DS',
      answer: `signed.example. 3600 DS 60485 13 2 ${digest}`,
    },
    {
      rule: 'DS: other types at that name are answered by the child',
      ask: 'signed.example. NS',
      answer: 'signed.example. 3600 NS ns.elsewhere.test.',
    },
    {
      rule: 'DS: of a child its parent does not delegate is NODATA, not NXDOMAIN (RFC 8020)',
      ask: 'stray.example. DS',
      authority: straySoa,
    },
    {
      rule: 'DS: of a child whose name the parent knows without delegating it is NODATA from the parent',
      ask: 'far.example. DS',
      authority: parentSoa,
    },
  ])
})

t.test('with a parent that has expired', async t => {
  const zones = zonesFromText(parentText, childText)
  const parent = zones.get(parseName('example.'))
  if (parent !== undefined) parent.isExpired = true
  testRows(t, zones, [
    {
      rule: 'DS: is not asked of a parent that has expired',
      ask: 'signed.example. DS',
      authority: childSoa,
    },
  ])
})

t.test('with the child alone', async t => {
  testRows(t, zonesFromText(childText), [
    {
      rule: 'DS: at the apex of a child without its parent is NODATA from the child',
      ask: 'signed.example. DS',
      authority: childSoa,
    },
  ])
})
