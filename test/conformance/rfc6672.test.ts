import t from 'tap'
import { testRows } from '../helpers/rows.ts'
import { zonesFromText } from '../helpers/zone.ts'

// Section 2.2 table 1, row by row: what becomes of a name (QNAME), an owner and a target.

const a63 = 'a'.repeat(63)
const longTarget = `shortloop.${a63}.${a63}.${a63}.`

const zones = zonesFromText(
  `
  com.              3600 SOA   ns1 hostmaster 1 7200 900 1209600 300
  example.com.      3600 DNAME example.net.
  x.deep.com.       3600 DNAME example.net.
  y.x.com.          3600 DNAME example.net.
  cut.com.          3600 NS    ns1.com.
  cut.com.          3600 DNAME example.net.
  max.com.          3600 DNAME ${longTarget}
`,
  `
  example.net.      3600 SOA   ns1 hostmaster 1 7200 900 1209600 300
  @                 3600 A     192.0.2.1
  a                 3600 A     192.0.2.2
`,
)

const comSoa = 'com. 300 SOA ns1.com. hostmaster.com. 1 7200 900 1209600 300'

testRows(t, zones, [
  {
    rule: '2.2 com. with owner example.com.: no match, the owner is below it',
    ask: 'com. A',
    authority: comSoa,
  },
  {
    rule: '2.2 example.com. with owner example.com.: no match, a name is not below itself (2.3)',
    ask: 'example.com. A',
    authority: comSoa,
  },
  {
    rule: '2.2 a.example.com. becomes a.example.net.',
    ask: 'a.example.com. A',
    answer: `
      example.com.   3600 DNAME example.net.
      a.example.com. 3600 CNAME a.example.net.
      a.example.net. 3600 A     192.0.2.2`,
  },
  {
    rule: '2.2 a.x.deep.com. becomes a.example.net., labels of the owner are not kept',
    ask: 'a.x.deep.com. A',
    answer: `
      x.deep.com.    3600 DNAME example.net.
      a.x.deep.com.  3600 CNAME a.example.net.
      a.example.net. 3600 A     192.0.2.2`,
  },
  {
    rule: '2.2 ay.x.com. with owner y.x.com.: no match, labels are compared and not characters',
    ask: 'ay.x.com. A',
    rcode: 'NXDOMAIN',
    authority: comSoa,
  },
  {
    rule: '2.2 the longest name that still fits is made',
    ask: `${'b'.repeat(51)}.max.com. A`,
    transport: 'tcp',
    answer: `
      max.com. 3600 DNAME ${longTarget}
      ${'b'.repeat(51)}.max.com. 3600 CNAME ${'b'.repeat(51)}.${longTarget}`,
  },
  {
    rule: '2.2 one octet more is YXDOMAIN',
    ask: `${'b'.repeat(52)}.max.com. A`,
    rcode: 'YXDOMAIN',
    answer: `max.com. 3600 DNAME ${longTarget}`,
  },
  {
    rule: '2.4 beside NS below the apex the NS win: the DNAME is not ours to apply',
    ask: 'a.cut.com. A',
    expectFlags: '',
    authority: 'cut.com. 3600 NS ns1.com.',
  },
  {
    rule: '3.1 QTYPE=CNAME below a DNAME is answered by the CNAME it makes, as Knot, NSD and BIND do',
    ask: 'a.example.com. CNAME',
    answer: `
      example.com.   3600 DNAME example.net.
      a.example.com. 3600 CNAME a.example.net.`,
  },
  {
    rule: '3.1 QTYPE=ANY below a DNAME likewise',
    ask: 'a.example.com. ANY',
    answer: `
      example.com.   3600 DNAME example.net.
      a.example.com. 3600 CNAME a.example.net.`,
  },
])
