import t from 'tap'
import { ask } from '../helpers/ask.ts'
import { testRows } from '../helpers/rows.ts'
import { zonesFromText } from '../helpers/zone.ts'

const servers = Array.from({ length: 14 }, (_, i) => i)
const zones = zonesFromText(`
  test.         86400 SOA  ns1 hostmaster 1 7200 900 1209600 300
  foo           86400 NS   ns1.foo
  foo           86400 NS   ns2.foo
  ns1.foo       86400 A    192.0.2.1
  ns1.foo       86400 AAAA 2001:db8::2:1
  ns2.foo       86400 A    192.0.2.2
  bar           86400 NS   ns1.foo
  bar           86400 NS   ns1.bar
  ns1.bar       86400 A    192.0.2.3
  ${servers.map(i => `wide 86400 NS ns${i}.wide\n ns${i}.wide 86400 AAAA 2001:db8::${i}`).join('\n')}
  ${servers.map(i => `edge 86400 NS ns${i}.wide`).join('\n')}
  edge          86400 NS   ns.edge
  ns.edge       86400 A    192.0.2.4
`)

testRows(t, zones, [
  {
    rule: '2.1 in-domain servers come with all their addresses',
    ask: 'www.foo.test. A',
    expectFlags: '',
    authority: `
      foo.test. 86400 NS ns1.foo.test.
      foo.test. 86400 NS ns2.foo.test.`,
    additional: `
      ns1.foo.test. 86400 A    192.0.2.1
      ns1.foo.test. 86400 AAAA 2001:db8::2:1
      ns2.foo.test. 86400 A    192.0.2.2`,
  },
  {
    rule: '2.2 sibling servers come with their addresses where there is room, after the in-domain ones',
    ask: 'www.bar.test. A',
    expectFlags: '',
    authority: `
      bar.test. 86400 NS ns1.bar.test.
      bar.test. 86400 NS ns1.foo.test.`,
    additional: `
      ns1.bar.test. 86400 A    192.0.2.3
      ns1.foo.test. 86400 A    192.0.2.1
      ns1.foo.test. 86400 AAAA 2001:db8::2:1`,
  },
])

t.test('3.1 in-domain glue that does not fit sets TC', async t => {
  t.equal(ask(zones, 'www.wide.test. A').flags, 'tc')
})

t.test('3.1 in-domain glue that fits does not', async t => {
  const reply = ask(zones, 'www.wide.test. A', { edns: {} })
  t.equal(reply.flags, '')
  t.equal(reply.additional.length, servers.length)
})

t.test(
  '3.2 sibling glue that does not fit does not set TC, the in-domain glue is there',
  async t => {
    const reply = ask(zones, 'www.edge.test. A')
    t.equal(reply.flags, '')
    t.equal(reply.additional[0], 'ns.edge.test. 86400 A 192.0.2.4')
    t.ok(reply.additional.length < servers.length)
  },
)
