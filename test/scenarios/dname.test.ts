import t from 'tap'
import { testRows } from '../helpers/rows.ts'
import { zonesFromText } from '../helpers/zone.ts'

const label63 = 'x'.repeat(63)
const long = `${label63}.${label63}.${label63}`

const zones = zonesFromText(
  `
  example.     3600 SOA   ns1 hostmaster 1 7200 900 1209600 300
  @            3600 NS    ns1
  old          1800 DNAME new
  old          3600 TXT   "at the DNAME itself"
  www.new      3600 A     192.0.2.1
  occluded.old 3600 A     192.0.2.66
  away         1800 DNAME elsewhere.test.
  loop         1800 DNAME loop
  grow         1800 DNAME a.grow
  ping         1800 DNAME pong
  pong         1800 DNAME ping
  twice        3600 CNAME a.old
  a.new        3600 CNAME b.old
  b.new        3600 A     192.0.2.2
  fold         1800 DNAME @
  to-root      1800 DNAME .
  a            3600 CNAME fold
  wide         1800 DNAME ${long}
  big          3600 CNAME ${'y'.repeat(60)}.wide
`,
  `
  renamed.test. 3600 SOA   ns1 hostmaster 1 7200 900 1209600 300
  @             3600 NS    ns1.example.
  @             1800 DNAME new.example.
`,
  `
  wild.test.    3600 SOA   ns1 hostmaster 1 7200 900 1209600 300
  @             3600 NS    ns1.example.
  *             1800 DNAME d
`,
)
const rootZone = zonesFromText(`
  .             3600 SOA   ns1 hostmaster 1 7200 900 1209600 300
  .             1800 DNAME New.test.
`)

const negative = 'example. 300 SOA ns1.example. hostmaster.example. 1 7200 900 1209600 300'

testRows(t, zones, [
  {
    rule: 'DNAME: a name below it is renamed, with a CNAME of the TTL of the DNAME (RFC 6672 3.1)',
    ask: 'www.old.example. A',
    answer: `
      old.example.     1800 DNAME new.example.
      www.old.example. 1800 CNAME www.new.example.
      www.new.example. 3600 A     192.0.2.1`,
  },
  {
    rule: 'DNAME: several labels are kept in front',
    ask: 'a.b.www.old.example. A',
    rcode: 'NXDOMAIN',
    answer: `
      old.example.         1800 DNAME new.example.
      a.b.www.old.example. 1800 CNAME a.b.www.new.example.`,
    authority: negative,
  },
  {
    rule: 'DNAME: its own name is not renamed (RFC 6672 2.3)',
    ask: 'old.example. TXT',
    answer: 'old.example. 3600 TXT "at the DNAME itself"',
  },
  {
    rule: 'DNAME: a type missing at its own name is NODATA',
    ask: 'old.example. A',
    authority: negative,
  },
  {
    rule: 'DNAME: can be asked for',
    ask: 'old.example. DNAME',
    answer: 'old.example. 1800 DNAME new.example.',
  },
  {
    rule: 'DNAME: hides data below it (RFC 6672 2.4)',
    ask: 'occluded.old.example. A',
    rcode: 'NXDOMAIN',
    answer: `
      old.example.          1800 DNAME new.example.
      occluded.old.example. 1800 CNAME occluded.new.example.`,
    authority: negative,
  },
  {
    rule: 'DNAME: out of our zones is left to the resolver',
    ask: 'www.away.example. A',
    answer: `
      away.example.     1800 DNAME elsewhere.test.
      www.away.example. 1800 CNAME www.elsewhere.test.`,
  },
  {
    rule: 'DNAME: onto itself ends where the name repeats',
    ask: 'a.loop.example. A',
    answer: `
      loop.example.   1800 DNAME loop.example.
      a.loop.example. 1800 CNAME a.loop.example.`,
  },
  {
    rule: 'DNAME: two that point at each other end where the name repeats',
    ask: 'a.ping.example. A',
    answer: `
      ping.example.   1800 DNAME pong.example.
      a.ping.example. 1800 CNAME a.pong.example.
      pong.example.   1800 DNAME ping.example.
      a.pong.example. 1800 CNAME a.ping.example.`,
  },
  {
    rule: 'DNAME: passed twice in one chain it is answered once',
    ask: 'twice.example. A',
    answer: `
      twice.example. 3600 CNAME a.old.example.
      old.example.   1800 DNAME new.example.
      a.old.example. 1800 CNAME a.new.example.
      a.new.example. 3600 CNAME b.old.example.
      b.old.example. 1800 CNAME b.new.example.
      b.new.example. 3600 A     192.0.2.2`,
  },
  {
    rule: 'DNAME: asked for behind itself it is answered once',
    ask: 'a.fold.example. DNAME',
    answer: `
      fold.example.   1800 DNAME example.
      a.fold.example. 1800 CNAME a.example.
      a.example.      3600 CNAME fold.example.`,
  },
  {
    rule: 'DNAME: a name grown too long is YXDOMAIN, with the DNAME (RFC 6672 2.2)',
    ask: `${'y'.repeat(60)}.wide.example. A`,
    rcode: 'YXDOMAIN',
    answer: `wide.example. 1800 DNAME ${long}.example.`,
  },
  {
    rule: 'DNAME: a name grown too long behind an alias is YXDOMAIN too',
    ask: 'big.example. A',
    rcode: 'YXDOMAIN',
    answer: `
      big.example.  3600 CNAME ${'y'.repeat(60)}.wide.example.
      wide.example. 1800 DNAME ${long}.example.`,
  },
  {
    rule: 'DNAME: at an apex renames the whole zone into another of ours',
    ask: 'www.renamed.test. A',
    answer: `
      renamed.test.     1800 DNAME new.example.
      www.renamed.test. 1800 CNAME www.new.example.
      www.new.example.  3600 A     192.0.2.1`,
  },
  {
    rule: 'DNAME: at an apex leaves the apex data alone',
    ask: 'renamed.test. NS',
    answer: 'renamed.test. 3600 NS ns1.example.',
  },
])

testRows(t, zones, [
  {
    rule: 'DNAME: a name that grows with each turn is bounded',
    ask: 'a.grow.example. A',
    answer: [
      'grow.example. 1800 DNAME a.grow.example.',
      ...Array.from(
        { length: 10 },
        (_, i) =>
          `a.${'a.'.repeat(i)}grow.example. 1800 CNAME a.${'a.'.repeat(i + 1)}grow.example.`,
      ),
    ].join('\n'),
  },
])

testRows(t, zones, [
  {
    rule: 'DNAME: to the root',
    ask: 'elsewhere.to-root.example. A',
    answer: `
      to-root.example.           1800 DNAME .
      elsewhere.to-root.example. 1800 CNAME elsewhere.`,
  },
])

testRows(t, rootZone, [
  {
    rule: 'DNAME: from the root, with the case of the target and of the question',
    ask: 'a.B. CNAME',
    answer: `
      .    1800 DNAME New.test.
      a.B. 1800 CNAME a.B.New.test.`,
  },
])

testRows(t, zones, [
  {
    rule: 'DNAME: one that a wildcard makes is not the one that led there',
    ask: 'a.*.wild.test. DNAME',
    answer: `
      *.wild.test.   1800 DNAME d.wild.test.
      a.*.wild.test. 1800 CNAME a.d.wild.test.
      a.d.wild.test. 1800 DNAME d.wild.test.`,
  },
])
