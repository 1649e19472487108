import t from 'tap'
import { testRows } from '../helpers/rows.ts'
import { zonesFromText } from '../helpers/zone.ts'

// The zone of RFC 4592 section 2.2.1 with the responses it lists, then the types of section 4.

const zones = zonesFromText(`
  example.               3600 SOA   ns.example.com. hostmaster.example.com. 1 7200 900 1209600 300
  example.               3600 NS    ns.example.com.
  example.               3600 NS    ns.example.net.
  *.example.             3600 TXT   "this is a wildcard"
  *.example.             3600 MX    10 host1.example.
  sub.*.example.         3600 TXT   "this is not a wildcard"
  host1.example.         3600 A     192.0.2.1
  _ssh._tcp.host1.example. 3600 SRV 0 0 22 host1.example.
  _ssh._tcp.host2.example. 3600 SRV 0 0 22 host2.example.
  subdel.example.        3600 NS    ns.example.com.
  subdel.example.        3600 NS    ns.example.net.
`)

const negative = 'example. 300 SOA ns.example.com. hostmaster.example.com. 1 7200 900 1209600 300'
const mxHost = 'host1.example. 3600 A 192.0.2.1'

testRows(t, zones, [
  {
    rule: '2.2.1 host3.example. MX is synthesized',
    ask: 'host3.example. MX',
    answer: 'host3.example. 3600 MX 10 host1.example.',
    additional: mxHost,
  },
  {
    rule: '2.2.1 host3.example. A is "no error, no data"',
    ask: 'host3.example. A',
    authority: negative,
  },
  {
    rule: '2.2.1 foo.bar.example. TXT is synthesized: bar.example. does not exist',
    ask: 'foo.bar.example. TXT',
    answer: 'foo.bar.example. 3600 TXT "this is a wildcard"',
  },
  {
    rule: '2.2.1 host1.example. MX is not synthesized: the name exists',
    ask: 'host1.example. MX',
    authority: negative,
  },
  {
    rule: '2.2.1 sub.*.example. MX is not synthesized: the name exists',
    ask: 'sub.*.example. MX',
    authority: negative,
  },
  {
    rule: '2.2.1 _telnet._tcp.host1.example. SRV is not synthesized: _tcp.host1 exists without data',
    ask: '_telnet._tcp.host1.example. SRV',
    rcode: 'NXDOMAIN',
    authority: negative,
  },
  {
    rule: '2.2.1 host.subdel.example. A is a referral: the cut comes first',
    ask: 'host.subdel.example. A',
    expectFlags: '',
    authority: `
      subdel.example. 3600 NS ns.example.com.
      subdel.example. 3600 NS ns.example.net.`,
  },
  {
    rule: '2.2.1 ghost.*.example. MX is not synthesized: *.example. is the closest encloser',
    ask: 'ghost.*.example. MX',
    rcode: 'NXDOMAIN',
    authority: negative,
  },
  {
    rule: '2.2.2 an empty non-terminal is not covered',
    ask: 'host2.example. MX',
    authority: negative,
  },
  {
    rule: '2.2.3 the closest encloser of what is below an ENT is the ENT',
    ask: 'missing.host2.example. MX',
    rcode: 'NXDOMAIN',
    authority: negative,
  },
  {
    rule: '2.3 a wildcard is asked for literally by its own name',
    ask: '*.example. TXT',
    answer: '*.example. 3600 TXT "this is a wildcard"',
  },
])

t.test('4 types at a wildcard', async t => {
  const types = zonesFromText(`
    example.    3600 SOA   ns1 hostmaster 1 7200 900 1209600 300
    *.cname     3600 CNAME target
    target      3600 A     192.0.2.1
    *.ns        3600 NS    ns1
    *.ds        3600 DS    1 13 2 ${'0'.repeat(64)}
    b.*.ent     3600 A     192.0.2.2
  `)
  const soa = 'example. 300 SOA ns1.example. hostmaster.example. 1 7200 900 1209600 300'
  testRows(t, types, [
    {
      rule: '4.2 NS at a wildcard, which other servers refuse, is expanded as data and is no cut',
      ask: 'any.ns.example. NS',
      answer: 'any.ns.example. 3600 NS ns1.example.',
    },
    {
      rule: '4.2 NS at a wildcard makes other types of an expansion NODATA',
      ask: 'any.ns.example. A',
      authority: soa,
    },
    {
      rule: '4.2 NS at a wildcard is a cut for its own literal name',
      ask: 'below.*.ns.example. A',
      expectFlags: '',
      authority: '*.ns.example. 3600 NS ns1.example.',
    },
    {
      rule: '4.4 CNAME at a wildcard is expanded and followed',
      ask: 'any.cname.example. A',
      answer: `
        any.cname.example. 3600 CNAME target.example.
        target.example.    3600 A     192.0.2.1`,
    },
    {
      rule: '4.6 DS at a wildcard is expanded like any type',
      ask: 'any.ds.example. DS',
      answer: `any.ds.example. 3600 DS 1 13 2 ${'0'.repeat(64)}`,
    },
    {
      rule: '4.9 an empty non-terminal wildcard answers NODATA',
      ask: 'any.ent.example. A',
      authority: soa,
    },
  ])
})
