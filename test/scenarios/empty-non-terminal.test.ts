import t from 'tap'
import { types } from '../../src/dns/codes.ts'
import { parseName } from '../../src/dns/name.ts'
import { ask } from '../helpers/ask.ts'
import { testRows } from '../helpers/rows.ts'
import { zonesFromText } from '../helpers/zone.ts'

const zones = zonesFromText(`
  example.      3600 SOA ns1 hostmaster 1 7200 900 1209600 300
  @             3600 NS  ns1
  ns1           3600 A   192.0.2.53
  a.b.ent       3600 A   192.0.2.1
  *             3600 TXT "from the wildcard"
  deep.*.wild   3600 A   192.0.2.2
`)

const negative = 'example. 300 SOA ns1.example. hostmaster.example. 1 7200 900 1209600 300'

testRows(t, zones, [
  {
    rule: 'ENT: exists, so NODATA and not NXDOMAIN (RFC 4592 2.2.2)',
    ask: 'ent.example. A',
    authority: negative,
  },
  {
    rule: 'ENT: every name between the zone and its data is one',
    ask: 'b.ent.example. TXT',
    authority: negative,
  },
  {
    rule: 'ENT: gives NODATA for ANY too',
    ask: 'ent.example. ANY',
    authority: negative,
  },
  {
    rule: 'ENT: stops the wildcard above it (RFC 4592 2.2.2)',
    ask: 'missing.ent.example. TXT',
    rcode: 'NXDOMAIN',
    authority: negative,
  },
  {
    rule: 'ENT: the wildcard still covers what has no closer encloser',
    ask: 'missing.example. TXT',
    answer: 'missing.example. 3600 TXT "from the wildcard"',
  },
  {
    rule: 'ENT: as source of synthesis it makes the name exist without data (RFC 4592 4.9)',
    ask: 'anything.wild.example. A',
    authority: negative,
  },
  {
    rule: 'ENT: as source of synthesis it covers several labels',
    ask: 'x.y.z.wild.example. A',
    authority: negative,
  },
])

t.test('ENT: is gone when the last name below it goes', async t => {
  const shrinking = zonesFromText(`
    example. 3600 SOA ns1 hostmaster 1 7200 900 1209600 300
    a.ent    3600 A   192.0.2.1
    b.ent    3600 A   192.0.2.2
  `)
  const [zone] = [...shrinking]
  zone?.removeRrset(parseName('a.ent.example.'), types.A)
  t.equal(ask(shrinking, 'ent.example. A').rcode, 'NOERROR')
  zone?.removeRrset(parseName('b.ent.example.'), types.A)
  t.equal(ask(shrinking, 'ent.example. A').rcode, 'NXDOMAIN')
})
