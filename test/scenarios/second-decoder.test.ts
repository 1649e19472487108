import t from 'tap'
import { ask } from '../helpers/ask.ts'
import { dns2Reply } from '../helpers/dns2-text.ts'
import { zonesFromText } from '../helpers/zone.ts'

const zones = zonesFromText(`
  example.     3600 SOA   ns1 hostmaster 4294967295 7200 900 1209600 300
  @            3600 NS    ns1
  @            3600 NS    ns2.elsewhere.test.
  @            3600 MX    10 mail
  @            3600 MX    20 mail.elsewhere.test.
  ns1          3600 A     192.0.2.53
  ns1          3600 AAAA  2001:db8::53
  mail         3600 AAAA  2001:db8::25
  www          3600 CNAME mail
  _sip._tcp    3600 SRV   1 2 5060 mail
  txt          3600 TXT   "one string"
  sub          3600 NS    ns.sub
  sub          3600 NS    ns1
  ns.sub       3600 A     192.0.2.54
  *.wild       3600 PTR   www
  big          3600 TXT   ${Array.from({ length: 3 }, () => `"${'x'.repeat(250)}"`).join(' ')}
`)

const questions = [
  'example. SOA',
  'example. NS',
  'example. MX',
  'ns1.example. A',
  'ns1.example. AAAA',
  'www.example. AAAA',
  'www.example. A',
  '_sip._tcp.example. SRV',
  'txt.example. TXT',
  'a.b.wild.example. PTR',
  'www.sub.example. A',
  'missing.example. A',
  'big.example. TXT',
  'www.elsewhere.test. A',
]

for (const question of questions) {
  for (const edns of [undefined, {}]) {
    t.test(`${question}${edns ? ' with EDNS' : ''}: dns2 reads what we wrote`, async t => {
      const reply = ask(zones, question, edns ? { edns } : {})
      const other = dns2Reply(reply.octets)
      t.same(other.answer, reply.answer)
      t.same(other.authority, reply.authority)
      t.same(other.additional, reply.additional)
      t.equal(other.question, `${question.split(' ')[0]} ${reply.message.questions[0]?.type}`)
      t.equal(other.header.aa, reply.flags.includes('aa') ? 1 : 0)
      t.equal(other.header.tc, reply.flags.includes('tc') ? 1 : 0)
      t.equal(other.header.rcode, reply.message.header.flags & 15)
    })
  }
}
