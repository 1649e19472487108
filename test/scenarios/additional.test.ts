import t from 'tap'
import { ask } from '../helpers/ask.ts'
import { testRows } from '../helpers/rows.ts'
import { zonesFromText } from '../helpers/zone.ts'

const zones = zonesFromText(
  `
  example.      3600 SOA   ns1 hostmaster 1 7200 900 1209600 300
  @             3600 NS    ns1
  @             3600 NS    ns.other.test.
  @             3600 MX    10 mail
  @             3600 MX    20 MAIL
  @             3600 MX    30 backup.pool
  @             3600 MX    40 alias
  @             3600 MX    50 missing
  ns1           3600 A     192.0.2.53
  mail          3600 A     192.0.2.25
  mail          300  AAAA  2001:db8::25
  mail          3600 TXT   "not an address"
  *.pool        3600 A     192.0.2.26
  alias         3600 CNAME mail
  self          3600 MX    10 self
  self          3600 A     192.0.2.27
  nullmx        3600 MX    0 .
  _sip._tcp     3600 SRV   1 1 5060 mail
  _sip._tcp     3600 SRV   1 2 5061 mail
  _none._tcp    3600 SRV   0 0 0 .
  delegated     3600 NS    ns.delegated
  ns.delegated  3600 A     192.0.2.54
  via-glue      3600 MX    10 ns.delegated
`,
  `
  other.test. 3600 SOA ns1 hostmaster 7 7200 900 1209600 60
  ns          3600 A   198.51.100.53
`,
)

testRows(t, zones, [
  {
    rule: 'additional: addresses of MX targets, each once whatever its case',
    ask: 'example. MX',
    answer: `
      example. 3600 MX 10 mail.example.
      example. 3600 MX 20 mail.example.
      example. 3600 MX 30 backup.pool.example.
      example. 3600 MX 40 alias.example.
      example. 3600 MX 50 missing.example.`,
    additional: `
      mail.example.        3600 A    192.0.2.25
      mail.example.        300  AAAA 2001:db8::25
      backup.pool.example. 3600 A    192.0.2.26`,
  },
  {
    rule: 'additional: an alias is no target to resolve (RFC 2181 10.3), other zones are not vouched for',
    ask: 'example. NS',
    answer: `
      example. 3600 NS ns1.example.
      example. 3600 NS ns.other.test.`,
    additional: 'ns1.example. 3600 A 192.0.2.53',
  },
  {
    rule: 'additional: a target that owns the answer itself is offered too',
    ask: 'self.example. MX',
    answer: 'self.example. 3600 MX 10 self.example.',
    additional: 'self.example. 3600 A 192.0.2.27',
  },
  {
    rule: 'additional: nothing for a null MX (RFC 7505)',
    ask: 'nullmx.example. MX',
    answer: 'nullmx.example. 3600 MX 0 .',
  },
  {
    rule: 'additional: addresses of SRV targets, once',
    ask: '_sip._tcp.example. SRV',
    answer: `
      _sip._tcp.example. 3600 SRV 1 1 5060 mail.example.
      _sip._tcp.example. 3600 SRV 1 2 5061 mail.example.`,
    additional: `
      mail.example. 3600 A    192.0.2.25
      mail.example. 300  AAAA 2001:db8::25`,
  },
  {
    rule: 'additional: nothing for the SRV target `.` (RFC 2782)',
    ask: '_none._tcp.example. SRV',
    answer: '_none._tcp.example. 3600 SRV 0 0 0 .',
  },
  {
    rule: 'additional: glue below a cut may be offered',
    ask: 'via-glue.example. MX',
    answer: 'via-glue.example. 3600 MX 10 ns.delegated.example.',
    additional: 'ns.delegated.example. 3600 A 192.0.2.54',
  },
])

t.test('addresses that are only offered are bounded in number, glue is not', async t => {
  const servers = Array.from({ length: 60 }, (_, i) => i)
  const zones = zonesFromText(`
    example.  3600 SOA ns1 hostmaster 1 7200 900 1209600 300
    ${servers.map(i => `many 60 MX ${i} m${i}\n m${i} 60 A 192.0.2.${i}`).join('\n')}
    ${servers.map(i => `sub 60 NS n${i}.sub\n n${i}.sub 60 A 192.0.2.${i}`).join('\n')}
  `)
  const offered = ask(zones, 'many.example. MX', { transport: 'tcp' })
  t.equal(offered.answer.length, servers.length)
  t.equal(offered.additional.length, 32)
  const referral = ask(zones, 'www.sub.example. A', { transport: 'tcp' })
  t.equal(referral.additional.length, servers.length)
})
