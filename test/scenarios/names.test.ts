import t from 'tap'
import { parseName } from '../../src/dns/name.ts'
import { ask, exchange, queryFor } from '../helpers/ask.ts'
import { testRows } from '../helpers/rows.ts'
import { zonesFromText } from '../helpers/zone.ts'

const label = 'x'.repeat(63)
/** 254 octets in text with its dots, 255 on the wire: as long as a name can be. */
const longest = `${label}.${label}.${label}.${'x'.repeat(53)}.example.`

const zones = zonesFromText(`
  example.            3600 SOA   ns1 hostmaster 1 7200 900 1209600 300
  @                   3600 NS    Ns1.Example.
  Ns1                 3600 A     192.0.2.53
  WWW                 3600 A     192.0.2.1
  a\\.b                3600 A     192.0.2.2
  b                   3600 TXT   "not the parent of a\\\\.b"
  \\000\\255            3600 A     192.0.2.3
  ${longest} 3600 A     192.0.2.4
  Sub                 3600 NS    Ns.Sub
  Ns.Sub              3600 A     192.0.2.5
  *.wild              3600 A     192.0.2.6
`)

testRows(t, zones, [
  {
    rule: 'case: the question is echoed as sent and found in any case (RFC 4343)',
    ask: 'wWw.eXaMpLe. A',
    answer: 'wWw.eXaMpLe. 3600 A 192.0.2.1',
  },
  {
    rule: 'case: a wildcard expansion has the case of the question',
    ask: 'Foo.WILD.example. A',
    answer: 'Foo.WILD.example. 3600 A 192.0.2.6',
  },
  {
    rule: 'case: names that the question does not dictate keep the case of the data',
    ask: 'www.sub.test.sub.example. A',
    expectFlags: '',
    authority: 'sub.example. 3600 NS Ns.sub.example.',
    additional: 'Ns.sub.example. 3600 A 192.0.2.5',
  },
  {
    rule: 'label: an escaped dot is part of its label',
    ask: 'a\\.b.example. A',
    answer: 'a\\.b.example. 3600 A 192.0.2.2',
  },
  {
    rule: 'label: an escaped dot does not make a parent',
    ask: 'a.b.example. A',
    rcode: 'NXDOMAIN',
    authority: 'example. 300 SOA ns1.example. hostmaster.example. 1 7200 900 1209600 300',
  },
  {
    rule: 'label: any octets are allowed (RFC 2181 11)',
    ask: '\\000\\255.example. A',
    answer: '\\000\\255.example. 3600 A 192.0.2.3',
  },
  {
    rule: 'name: 255 octets are found',
    ask: `${longest} A`,
    answer: `${longest} 3600 A 192.0.2.4`,
  },
])

t.test('name: 255 octets is what that is', async t => {
  t.equal(parseName(longest).length, 255)
})

t.test('name: 256 octets in a question are FORMERR', async t => {
  const request = queryFor(longest)
  const longer = new Uint8Array(request.length + 1)
  longer.set(request.subarray(0, 12 + 192))
  // One octet more in the fourth label.
  longer.set(request.subarray(12 + 192), 12 + 192 + 1)
  longer[12 + 192] = 54
  longer[12 + 193] = 0x78
  t.equal(exchange(zones, longer).rcode, 'FORMERR')
})

t.test('case: the whole question comes back octet for octet', async t => {
  const request = queryFor('wWw.ExAmPlE. A')
  const { octets } = ask(zones, 'wWw.ExAmPlE. A')
  t.same(octets.subarray(12, request.length), request.subarray(12))
})
