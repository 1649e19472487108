import t from 'tap'
import { ask } from '../helpers/ask.ts'
import { zonesFromText } from '../helpers/zone.ts'

// What the stages put is in test/scenarios; here is that they are run, in order, and stop.

const zones = zonesFromText(`
  example.  3600 SOA   ns1 hostmaster 1 7200 900 1209600 300
  @         3600 NS    ns1
  ns1       3600 A     192.0.2.53
  www       3600 CNAME x.sub
  sub       3600 NS    ns.sub
  ns.sub    3600 A     192.0.2.54
  big       3600 TXT   ${Array.from({ length: 3 }, () => `"${'x'.repeat(250)}"`).join(' ')}
  to-big    3600 CNAME big
`)

t.test('all three sections can have something in one response', async t => {
  const reply = ask(zones, 'www.example. A')
  t.same(reply.answer, ['www.example. 3600 CNAME x.sub.example.'])
  t.same(reply.authority, ['sub.example. 3600 NS ns.sub.example.'])
  t.same(reply.additional, ['ns.sub.example. 3600 A 192.0.2.54'])
})

t.test('after a truncated answer there are no further sections', async t => {
  const reply = ask(zones, 'to-big.example. TXT')
  t.equal(reply.flags, 'aa tc')
  t.same([...reply.authority, ...reply.additional], [])
})

t.test('a name of nobody and a zone of nobody are distinguished', async t => {
  t.equal(ask(zones, 'missing.example. A').rcode, 'NXDOMAIN')
  t.equal(ask(zones, 'missing.test. A').rcode, 'REFUSED')
})
