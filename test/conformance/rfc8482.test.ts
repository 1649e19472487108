import t from 'tap'
import { testRows } from '../helpers/rows.ts'
import { zonesFromText } from '../helpers/zone.ts'

const zones = zonesFromText(`
  example.  3600 SOA   ns1 hostmaster 1 7200 900 1209600 300
  @         3600 NS    ns1
  @         3600 TXT   "a"
  ns1       3600 A     192.0.2.53
  ns1       3600 AAAA  2001:db8::53
  mx        3600 MX    10 ns1
  mx        3600 TXT   "b"
  www       3600 CNAME ns1
`)

testRows(t, zones, [
  {
    rule: '4.1 ANY: one RRset of the name, always the same one',
    ask: 'ns1.example. ANY',
    answer: 'ns1.example. 3600 A 192.0.2.53',
  },
  {
    rule: '4.1 ANY: over TCP the same',
    ask: 'ns1.example. ANY',
    transport: 'tcp',
    answer: 'ns1.example. 3600 A 192.0.2.53',
  },
  {
    rule: '4.1 ANY: the RRset comes with what belongs to it',
    ask: 'mx.example. ANY',
    answer: 'mx.example. 3600 MX 10 ns1.example.',
    additional: `
      ns1.example. 3600 A    192.0.2.53
      ns1.example. 3600 AAAA 2001:db8::53`,
  },
  {
    rule: '4.3 ANY: an alias is its own answer',
    ask: 'www.example. ANY',
    answer: 'www.example. 3600 CNAME ns1.example.',
  },
  {
    rule: '5 ANY: a name that does not exist is NXDOMAIN',
    ask: 'missing.example. ANY',
    rcode: 'NXDOMAIN',
    authority: 'example. 300 SOA ns1.example. hostmaster.example. 1 7200 900 1209600 300',
  },
])
