import t from 'tap'
import { parseName } from '../../src/dns/name.ts'
import { ask } from '../helpers/ask.ts'
import { testRows } from '../helpers/rows.ts'
import { zoneFromText, zonesFromText } from '../helpers/zone.ts'

const zones = zonesFromText(
  `
  example.    3600 SOA ns1 hostmaster 1 7200 900 1209600 300
  @           3600 NS  ns1
  @           3600 A   192.0.2.1
  ns1         3600 A   192.0.2.53
  in.sub      3600 A   192.0.2.66
`,
  `
  sub.example. 60 SOA ns1 hostmaster 2 7200 900 1209600 300
  @            60 NS  ns1.example.
  www          60 A   192.0.2.2
`,
  `
  .            86400 SOA a.root hostmaster 3 7200 900 1209600 86400
  @            86400 NS  a.root
  test         86400 NS  ns.test
  ns.test      86400 A   192.0.2.3
`,
)

testRows(t, zones, [
  {
    rule: 'apex: the SOA is asked for with its own TTL',
    ask: 'example. SOA',
    answer: 'example. 3600 SOA ns1.example. hostmaster.example. 1 7200 900 1209600 300',
  },
  {
    rule: 'apex: ordinary data is answered there',
    ask: 'example. A',
    answer: 'example. 3600 A 192.0.2.1',
  },
  {
    rule: 'apex: a missing type is NODATA',
    ask: 'example. TXT',
    authority: 'example. 300 SOA ns1.example. hostmaster.example. 1 7200 900 1209600 300',
  },
  {
    rule: 'apex: a CNAME question is NODATA',
    ask: 'example. CNAME',
    authority: 'example. 300 SOA ns1.example. hostmaster.example. 1 7200 900 1209600 300',
  },
  {
    rule: 'apex: below the SOA a SOA question is negative',
    ask: 'ns1.example. SOA',
    authority: 'example. 300 SOA ns1.example. hostmaster.example. 1 7200 900 1209600 300',
  },
  {
    rule: 'zone: the longest matching apex answers',
    ask: 'www.sub.example. A',
    answer: 'www.sub.example. 60 A 192.0.2.2',
  },
  {
    rule: 'zone: data of the parent below a child zone of ours is out of reach',
    ask: 'in.sub.example. A',
    rcode: 'NXDOMAIN',
    authority:
      'sub.example. 60 SOA ns1.sub.example. hostmaster.sub.example. 2 7200 900 1209600 300',
  },
  {
    rule: 'zone: the root is a zone like any other',
    ask: '. NS',
    answer: '. 86400 NS a.root.',
  },
  {
    rule: 'zone: the root refers to what it delegates',
    ask: 'www.test. A',
    expectFlags: '',
    authority: 'test. 86400 NS ns.test.',
    additional: 'ns.test. 86400 A 192.0.2.3',
  },
  {
    rule: 'zone: DS of the root is answered by the root',
    ask: '. DS',
    authority: '. 86400 SOA a.root. hostmaster. 3 7200 900 1209600 86400',
  },
])

t.test('zone: a name in none of ours is REFUSED, without AA', async t => {
  const alone = zonesFromText('example. 3600 SOA ns1 hostmaster 1 7200 900 1209600 300')
  const reply = ask(alone, 'www.elsewhere.test. A')
  t.equal(reply.rcode, 'REFUSED')
  t.equal(reply.flags, '')
  t.equal(ask(alone, '. NS').rcode, 'REFUSED')
  t.equal(ask(alone, 'xample. A').rcode, 'REFUSED')
})

t.test('zone: an expired secondary is SERVFAIL until it is refreshed', async t => {
  const zones = zonesFromText('example. 3600 SOA ns1 hostmaster 1 7200 900 1209600 300')
  const zone = zones.get(parseName('example.'))
  if (zone === undefined) throw new Error('the zone is missing')
  zone.isExpired = true
  const reply = ask(zones, 'example. SOA')
  t.equal(reply.rcode, 'SERVFAIL')
  t.equal(reply.flags, '')
  t.same(reply.answer, [])
  zone.isExpired = false
  t.equal(ask(zones, 'example. SOA').rcode, 'NOERROR')
})

t.test('zone: deleted and created again, the new one answers', async t => {
  const text = 'example. 3600 SOA ns1 hostmaster 1 7200 900 1209600 300'
  const zones = zonesFromText(text)
  t.equal(zones.withdraw(parseName('EXAMPLE.')), true)
  t.equal(ask(zones, 'www.example. A').rcode, 'REFUSED')
  zones.publish(zoneFromText(`${text}\nwww 60 A 192.0.2.1`))
  t.same(ask(zones, 'www.example. A').answer, ['www.example. 60 A 192.0.2.1'])
})
