import t from 'tap'
import { testRows } from '../helpers/rows.ts'
import { zonesFromText } from '../helpers/zone.ts'

const zones = zonesFromText(
  `
  example.   3600 SOA   ns1 hostmaster 1 7200 900 1209600 300
  @          3600 NS    ns1
  an-alias   3600 CNAME missing
  no-type    3600 CNAME host
  host       3600 A     192.0.2.1
`,
  `
  short.test. 60   SOA   ns1 hostmaster 1 7200 900 1209600 86400
  @           3600 NS    ns1
`,
  `
  equal.test. 600  SOA   ns1 hostmaster 1 7200 900 1209600 600
  @           3600 NS    ns1
`,
  `
  zero.test.  3600 SOA   ns1 hostmaster 1 7200 900 1209600 0
  @           3600 NS    ns1
`,
)

const soa = 'example. 300 SOA ns1.example. hostmaster.example. 1 7200 900 1209600 300'

testRows(t, zones, [
  {
    rule: '2.1 NXDOMAIN has the SOA in the authority section and no NS (type 2)',
    ask: 'missing.example. A',
    rcode: 'NXDOMAIN',
    authority: soa,
  },
  {
    rule: '2.1 NXDOMAIN about an alias target keeps the alias',
    ask: 'an-alias.example. A',
    rcode: 'NXDOMAIN',
    answer: 'an-alias.example. 3600 CNAME missing.example.',
    authority: soa,
  },
  {
    rule: '2.2 NODATA is NOERROR without an answer, with the SOA and no NS (type 2)',
    ask: 'host.example. TXT',
    authority: soa,
  },
  {
    rule: '2.2 NODATA about an alias target keeps the alias',
    ask: 'no-type.example. TXT',
    answer: 'no-type.example. 3600 CNAME host.example.',
    authority: soa,
  },
  {
    rule: '3 the negative TTL is MINIMUM where that is smaller than the TTL of the SOA',
    ask: 'host.example. MX',
    authority: soa,
  },
  {
    rule: '3 the negative TTL is the TTL of the SOA where that is smaller than MINIMUM',
    ask: 'missing.short.test. A',
    rcode: 'NXDOMAIN',
    authority: 'short.test. 60 SOA ns1.short.test. hostmaster.short.test. 1 7200 900 1209600 86400',
  },
  {
    rule: '3 equal values are what they are',
    ask: 'equal.test. MX',
    authority: 'equal.test. 600 SOA ns1.equal.test. hostmaster.equal.test. 1 7200 900 1209600 600',
  },
  {
    rule: '3 MINIMUM of zero means negative answers are not cached',
    ask: 'zero.test. MX',
    authority: 'zero.test. 0 SOA ns1.zero.test. hostmaster.zero.test. 1 7200 900 1209600 0',
  },
  {
    rule: '4 the SOA asked for keeps its own TTL',
    ask: 'example. SOA',
    answer: 'example. 3600 SOA ns1.example. hostmaster.example. 1 7200 900 1209600 300',
  },
])
