import t from 'tap'
import { testRows } from '../helpers/rows.ts'
import { zonesFromText } from '../helpers/zone.ts'

const zones = zonesFromText(`
  example.        3600 SOA   ns1 hostmaster 1 7200 900 1209600 300
  @               3600 NS    ns1
  ns1             3600 A     192.0.2.53
  sub             3600 NS    ns.sub
  sub             3600 NS    ns1
  sub             3600 NS    ns.elsewhere.test.
  sub             3600 TXT   "occluded"
  ns.sub          3600 A     192.0.2.54
  ns.sub          3600 AAAA  2001:db8::54
  deeper.sub      3600 NS    ns.deeper.sub
  ns.deeper.sub   3600 A     192.0.2.55
  a.b.sub         3600 A     192.0.2.56
  sibling         3600 NS    ns.sub
  lame            3600 NS    ns.lame
  into            3600 CNAME www.sub
  *               3600 A     192.0.2.1
`)

const referral = `
  sub.example. 3600 NS ns.sub.example.
  sub.example. 3600 NS ns1.example.
  sub.example. 3600 NS ns.elsewhere.test.`
const glue = `
  ns.sub.example. 3600 A 192.0.2.54
  ns.sub.example. 3600 AAAA 2001:db8::54
  ns1.example. 3600 A 192.0.2.53`

testRows(t, zones, [
  {
    rule: 'cut: a name below it gets a referral without AA, with glue (RFC 1034 4.3.2 3b)',
    ask: 'www.sub.example. A',
    expectFlags: '',
    authority: referral,
    additional: glue,
  },
  {
    rule: 'cut: its own name gets the referral for data that is also there',
    ask: 'sub.example. TXT',
    expectFlags: '',
    authority: referral,
    additional: glue,
  },
  {
    rule: 'cut: NS asked at it is a referral, since the child has the authoritative copy',
    ask: 'sub.example. NS',
    expectFlags: '',
    authority: referral,
    additional: glue,
  },
  {
    rule: 'cut: NS asked below it is a referral',
    ask: 'www.sub.example. NS',
    expectFlags: '',
    authority: referral,
    additional: glue,
  },
  {
    rule: 'cut: ANY is a referral',
    ask: 'sub.example. ANY',
    expectFlags: '',
    authority: referral,
    additional: glue,
  },
  {
    rule: 'cut: glue asked for by name is not authoritative data but a referral',
    ask: 'ns.sub.example. A',
    expectFlags: '',
    authority: referral,
    additional: glue,
  },
  {
    rule: 'cut: the highest of two decides',
    ask: 'www.deeper.sub.example. A',
    expectFlags: '',
    authority: referral,
    additional: glue,
  },
  {
    rule: 'cut: an ENT below it is occluded',
    ask: 'b.sub.example. A',
    expectFlags: '',
    authority: referral,
    additional: glue,
  },
  {
    rule: 'cut: a server below a sibling cut comes with its address too (RFC 9471 3.2)',
    ask: 'www.sibling.example. A',
    expectFlags: '',
    authority: 'sibling.example. 3600 NS ns.sub.example.',
    additional: `
      ns.sub.example. 3600 A 192.0.2.54
      ns.sub.example. 3600 AAAA 2001:db8::54`,
  },
  {
    rule: 'cut: glue that is missing is not made up from a wildcard of the parent',
    ask: 'www.lame.example. A',
    expectFlags: '',
    authority: 'lame.example. 3600 NS ns.lame.example.',
  },
  {
    rule: 'alias: to below a cut gives the CNAME and the referral, AA kept',
    ask: 'into.example. A',
    answer: 'into.example. 3600 CNAME www.sub.example.',
    authority: referral,
    additional: glue,
  },
  {
    rule: 'apex: NS there is authoritative data with addresses',
    ask: 'example. NS',
    answer: 'example. 3600 NS ns1.example.',
    additional: 'ns1.example. 3600 A 192.0.2.53',
  },
])
