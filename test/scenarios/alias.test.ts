import t from 'tap'
import { parseName } from '../../src/dns/name.ts'
import { ask } from '../helpers/ask.ts'
import { maxAliasChain } from '../helpers/oracle/answer-section.ts'
import { testRows } from '../helpers/rows.ts'
import { zonesFromText } from '../helpers/zone.ts'

const chainOf = (length: number): string =>
  Array.from({ length }, (_, i) => `chain${i} 3600 CNAME chain${i + 1}`).join('\n')

const zones = zonesFromText(
  `
  example.    3600 SOA   ns1 hostmaster 1 7200 900 1209600 300
  @           3600 NS    ns1
  @           3600 A     192.0.2.80
  ns1         3600 A     192.0.2.53
  www         3600 CNAME host
  host        3600 A     192.0.2.1
  host        3600 MX    10 mail
  mail        3600 A     192.0.2.25
  empty.ent   3600 A     192.0.2.9
  to-missing  3600 CNAME missing
  to-ent      3600 CNAME ent
  to-apex     3600 CNAME @
  to-apex2    3600 CNAME to-apex
  self        3600 CNAME self
  loop1       3600 CNAME loop2
  loop2       3600 CNAME LOOP1
  outside     3600 CNAME www.elsewhere.test.
  other       3600 CNAME www.other.test.
  other-miss  3600 CNAME missing.other.test.
  to-child    3600 CNAME www.child
  child-mx    3600 CNAME child-host
  child-host  3600 CNAME host
  expired     3600 CNAME www.expired.test.
  ${chainOf(20)}
`,
  `
  other.test. 3600 SOA   ns1 hostmaster 7 7200 900 1209600 60
  @           3600 NS    ns1
  www         3600 A     198.51.100.1
`,
  `
  child.example. 3600 SOA ns1 hostmaster 9 7200 900 1209600 60
  @              3600 NS  ns1
  www            3600 A   198.51.100.2
`,
  `
  expired.test. 3600 SOA ns1 hostmaster 9 7200 900 1209600 60
  www           3600 A   198.51.100.3
`,
)
const expired = zones.get(parseName('expired.test.'))
if (expired) expired.isExpired = true

const negative = 'example. 300 SOA ns1.example. hostmaster.example. 1 7200 900 1209600 300'

testRows(t, zones, [
  {
    rule: 'alias: the CNAME and its target are answered in order',
    ask: 'www.example. A',
    answer: `
      www.example.  3600 CNAME host.example.
      host.example. 3600 A     192.0.2.1`,
  },
  {
    rule: 'alias: is not followed when CNAME itself is asked for (RFC 1034 3.6.2)',
    ask: 'www.example. CNAME',
    answer: 'www.example. 3600 CNAME host.example.',
  },
  {
    rule: 'alias: is not followed for ANY',
    ask: 'www.example. ANY',
    answer: 'www.example. 3600 CNAME host.example.',
  },
  {
    rule: 'alias: additional addresses belong to the last answer',
    ask: 'www.example. MX',
    answer: `
      www.example.  3600 CNAME host.example.
      host.example. 3600 MX    10 mail.example.`,
    additional: 'mail.example. 3600 A 192.0.2.25',
  },
  {
    rule: 'alias: to a missing name is NXDOMAIN with the SOA (RFC 2308 2.1)',
    ask: 'to-missing.example. A',
    rcode: 'NXDOMAIN',
    answer: 'to-missing.example. 3600 CNAME missing.example.',
    authority: negative,
  },
  {
    rule: 'alias: to a name without the type is NODATA with the SOA (RFC 2308 2.2)',
    ask: 'www.example. TXT',
    answer: 'www.example. 3600 CNAME host.example.',
    authority: negative,
  },
  {
    rule: 'alias: to an ENT is NODATA with the SOA',
    ask: 'to-ent.example. A',
    answer: 'to-ent.example. 3600 CNAME ent.example.',
    authority: negative,
  },
  {
    rule: 'alias: to the apex is followed',
    ask: 'to-apex2.example. A',
    answer: `
      to-apex2.example. 3600 CNAME to-apex.example.
      to-apex.example.  3600 CNAME example.
      example.          3600 A     192.0.2.80`,
  },
  {
    rule: 'alias: to itself is answered once',
    ask: 'self.example. A',
    answer: 'self.example. 3600 CNAME self.example.',
  },
  {
    rule: 'alias: a loop is answered once around, whatever the case of its names',
    ask: 'loop1.example. A',
    answer: `
      loop1.example. 3600 CNAME loop2.example.
      loop2.example. 3600 CNAME loop1.example.`,
  },
  {
    rule: 'alias: out of our zones is left to the resolver',
    ask: 'outside.example. A',
    answer: 'outside.example. 3600 CNAME www.elsewhere.test.',
  },
  {
    rule: 'alias: into another zone of ours is followed',
    ask: 'other.example. A',
    answer: `
      other.example.  3600 CNAME www.other.test.
      www.other.test. 3600 A     198.51.100.1`,
  },
  {
    rule: 'alias: into another zone of ours, the SOA is that of the zone that says no',
    ask: 'other-miss.example. A',
    rcode: 'NXDOMAIN',
    answer: 'other-miss.example. 3600 CNAME missing.other.test.',
    authority: 'other.test. 60 SOA ns1.other.test. hostmaster.other.test. 7 7200 900 1209600 60',
  },
  {
    rule: 'alias: into a child zone of ours is answered by the child, delegated or not',
    ask: 'to-child.example. A',
    answer: `
      to-child.example.  3600 CNAME www.child.example.
      www.child.example. 3600 A     198.51.100.2`,
  },
  {
    rule: 'alias: of aliases is followed to the end',
    ask: 'child-mx.example. A',
    answer: `
      child-mx.example.   3600 CNAME child-host.example.
      child-host.example. 3600 CNAME host.example.
      host.example.       3600 A     192.0.2.1`,
  },
  {
    rule: 'alias: into an expired zone of ours is left to the resolver',
    ask: 'expired.example. A',
    answer: 'expired.example. 3600 CNAME www.expired.test.',
  },
])

t.test('alias: a long chain is answered up to the bound, without an error', async t => {
  const reply = ask(zones, 'chain0.example. A')
  t.equal(reply.rcode, 'NOERROR')
  t.equal(reply.answer.length, maxAliasChain)
  t.equal(
    reply.answer.at(-1),
    `chain${maxAliasChain - 1}.example. 3600 CNAME chain${maxAliasChain}.example.`,
  )
  t.same(reply.authority, [])
})

t.test('alias: a chain ends where no pointer reaches its next name', async t => {
  const signatures = Array.from({ length: 20 }, (_, tag) => {
    const signature = Buffer.alloc(1000, tag).toString('base64')
    return `RRSIG CNAME 8 2 3600 20330101000000 20230101000000 ${tag} example. ${signature}`
  })
  const signed = zonesFromText(
    `
    example.  3600 SOA   ns1 hostmaster 1 7200 900 1209600 300
    @         3600 NS    ns1
    ${signatures.map(signature => `first 3600 ${signature}`).join('\n')}
    first     3600 CNAME second
    second    3600 CNAME third.below
    third.below 3600 A   192.0.2.1
    to-dname  3600 CNAME www.old
    ${signatures.map(signature => `to-dname 3600 ${signature}`).join('\n')}
    old       3600 DNAME new
    www.new   3600 A     192.0.2.2
    to-other  3600 CNAME missing.other.test.
    ${signatures.map(signature => `to-other 3600 ${signature}`).join('\n')}
`,
    `
    other.test. 3600 SOA ns1 hostmaster 7 7200 900 1209600 60
    @           3600 NS  ns1
`,
  )
  const links = {
    first: 'second.example.',
    'to-dname': 'www.old.example.',
    'to-other': 'missing.other.test.',
  }
  for (const [name, target] of Object.entries(links)) {
    const options = { transport: 'tcp', edns: { isDnssecOk: true } } as const
    const { rcode, answer, authority } = ask(signed, `${name}.example. A`, options)
    t.equal(rcode, 'NOERROR')
    t.equal(answer[0], `${name}.example. 3600 CNAME ${target}`)
    t.same([answer.length, authority], [1 + signatures.length, []])
  }
  const unsigned = ask(signed, 'first.example. A', { transport: 'tcp' }).answer
  t.equal(unsigned.at(-1), 'third.below.example. 3600 A 192.0.2.1')
})
