import t from 'tap'
import { ask } from '../helpers/ask.ts'
import { testRows } from '../helpers/rows.ts'
import { zonesFromText } from '../helpers/zone.ts'

const zones = zonesFromText(`
  example.  3600 SOA ns1 hostmaster 1 7200 900 1209600 300
  @         3600 NS  ns1
  ns1       3600 A   192.0.2.53
  ttl       300  A   192.0.2.1
  ttl       900  A   192.0.2.2
  max       2147483647 A 192.0.2.3
  mx        3600 MX  10 alias
  alias     3600 CNAME ns1
  under_score 3600 A 192.0.2.4
  many      3600 TXT ${Array.from({ length: 4 }, () => `"${'x'.repeat(200)}"`).join(' ')}
`)

testRows(t, zones, [
  {
    rule: '5.2 all records of an RRset have one TTL',
    ask: 'ttl.example. A',
    answer: `
      ttl.example. 300 A 192.0.2.1
      ttl.example. 300 A 192.0.2.2`,
  },
  {
    rule: '8 a TTL may be 2^31 - 1',
    ask: 'max.example. A',
    answer: 'max.example. 2147483647 A 192.0.2.3',
  },
  {
    rule: '10.3 an exchange that is an alias gets no additional records',
    ask: 'mx.example. MX',
    answer: 'mx.example. 3600 MX 10 alias.example.',
  },
  {
    rule: '11 any octets make a label',
    ask: 'under_score.example. A',
    answer: 'under_score.example. 3600 A 192.0.2.4',
  },
])

t.test('5 an RRset is sent whole or not at all', async t => {
  t.same(ask(zones, 'many.example. TXT').answer, [])
  t.equal(ask(zones, 'many.example. TXT', { transport: 'tcp' }).answer.length, 1)
})

t.test('9 TC says that required data is missing, and only that', async t => {
  t.equal(ask(zones, 'many.example. TXT').flags, 'aa tc')
  t.equal(ask(zones, 'example. NS').flags, 'aa')
})
