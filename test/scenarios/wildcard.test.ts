import t from 'tap'
import { testRows } from '../helpers/rows.ts'
import { zonesFromText } from '../helpers/zone.ts'

const zones = zonesFromText(`
  example.        3600 SOA   ns1 hostmaster 1 7200 900 1209600 300
  @               3600 NS    ns1
  ns1             3600 A     192.0.2.53
  *               3600 A     192.0.2.1
  *               3600 MX    10 mail
  mail            3600 A     192.0.2.25
  *.alias         3600 CNAME target
  target          3600 A     192.0.2.2
  *.loop          3600 CNAME again.loop
  *.self          3600 CNAME x.y.self
  sub             3600 NS    ns.sub
  ns.sub          3600 A     192.0.2.54
  *.sub           3600 A     192.0.2.99
  host.*.nested   3600 A     192.0.2.3
  *.*.nested      3600 TXT   "two stars"
`)

const negative = 'example. 300 SOA ns1.example. hostmaster.example. 1 7200 900 1209600 300'

testRows(t, zones, [
  {
    rule: 'wildcard: one missing label is covered',
    ask: 'missing.example. A',
    answer: 'missing.example. 3600 A 192.0.2.1',
  },
  {
    rule: 'wildcard: covers several labels (RFC 1034 4.3.3)',
    ask: 'a.b.c.missing.example. A',
    answer: 'a.b.c.missing.example. 3600 A 192.0.2.1',
  },
  {
    rule: 'wildcard: a type it does not have is NODATA, not NXDOMAIN',
    ask: 'missing.example. TXT',
    authority: negative,
  },
  {
    rule: 'wildcard: is not used for a name that exists with other types (RFC 4592 2.2.1)',
    ask: 'target.example. MX',
    authority: negative,
  },
  {
    rule: 'wildcard: is not used below a name that exists (RFC 4592 2.2.1)',
    ask: 'below.target.example. A',
    rcode: 'NXDOMAIN',
    authority: negative,
  },
  {
    rule: 'wildcard: additional addresses are offered with an expanded MX too',
    ask: 'missing.example. MX',
    answer: 'missing.example. 3600 MX 10 mail.example.',
    additional: 'mail.example. 3600 A 192.0.2.25',
  },
  {
    rule: 'wildcard: ANY is answered with one RRset of it',
    ask: 'missing.example. ANY',
    answer: 'missing.example. 3600 A 192.0.2.1',
  },
  {
    rule: 'wildcard: asked for by its own name it is data like any other',
    ask: '*.example. A',
    answer: '*.example. 3600 A 192.0.2.1',
  },
  {
    rule: 'wildcard: what is below it by name does not synthesize, the closest encloser has no `*`',
    ask: 'x.*.example. A',
    rcode: 'NXDOMAIN',
    authority: negative,
  },
  {
    rule: 'wildcard: an asterisk inside a label is just a character',
    ask: 'a*.example. A',
    answer: 'a*.example. 3600 A 192.0.2.1',
  },
  {
    rule: 'wildcard: a CNAME is expanded and followed (RFC 4592 3.3.1)',
    ask: 'www.alias.example. A',
    answer: `
      www.alias.example. 3600 CNAME target.example.
      target.example.    3600 A     192.0.2.2`,
  },
  {
    rule: 'wildcard: a CNAME onto its own wildcard is followed once',
    ask: 'first.loop.example. A',
    answer: `
      first.loop.example. 3600 CNAME again.loop.example.
      again.loop.example. 3600 CNAME again.loop.example.`,
  },
  {
    rule: 'wildcard: a CNAME that expands to the same target stops at the repeated name',
    ask: 'q.self.example. A',
    answer: `
      q.self.example.   3600 CNAME x.y.self.example.
      x.y.self.example. 3600 CNAME x.y.self.example.`,
  },
  {
    rule: 'wildcard: below a cut it is occluded, the answer is the referral',
    ask: 'host.sub.example. A',
    expectFlags: '',
    authority: 'sub.example. 3600 NS ns.sub.example.',
    additional: 'ns.sub.example. 3600 A 192.0.2.54',
  },
  {
    rule: 'wildcard: a label `*` in the middle of a name is a name like any other (RFC 4592 2.1.1)',
    ask: 'host.*.nested.example. A',
    answer: 'host.*.nested.example. 3600 A 192.0.2.3',
  },
  {
    rule: 'wildcard: a `*` below a `*` synthesizes below it only',
    ask: 'other.*.nested.example. TXT',
    answer: 'other.*.nested.example. 3600 TXT "two stars"',
  },
  {
    rule: 'wildcard: the inner `*` is no source for a name whose encloser is further up',
    ask: 'a.b.nested.example. TXT',
    authority: negative,
  },
])
