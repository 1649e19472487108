import t from 'tap'
import { testRows } from '../helpers/rows.ts'
import { zonesFromText } from '../helpers/zone.ts'

const zones = zonesFromText(`
  example.  3600 SOA   ns1 hostmaster 1 7200 900 1209600 300
  @         3600 NS    ns1
  @         3600 HTTPS 0 pool
  @         3600 A     192.0.2.80
  www       3600 HTTPS 1 . port=8443
  www       3600 A     192.0.2.81
  none      3600 HTTPS 0 .
  none      3600 A     192.0.2.82
  *.wild    3600 HTTPS 1 . port=8443
  *.wild    3600 A     192.0.2.83
  pool      3600 A     192.0.2.84
  pool      3600 AAAA  2001:db8::84
`)

testRows(t, zones, [
  {
    rule: 'HTTPS: alias mode comes with the addresses of its target (RFC 9460 4.1)',
    ask: 'example. HTTPS',
    answer: 'example. 3600 HTTPS 0 pool.example.',
    additional: `
      pool.example. 3600 A    192.0.2.84
      pool.example. 3600 AAAA 2001:db8::84`,
  },
  {
    rule: 'HTTPS: in service mode the target `.` is the owner (RFC 9460 2.5.2)',
    ask: 'www.example. HTTPS',
    answer: 'www.example. 3600 HTTPS 1 . port=8443',
    additional: 'www.example. 3600 A 192.0.2.81',
  },
  {
    rule: 'HTTPS: in alias mode the target `.` means there is no service (RFC 9460 2.5.1)',
    ask: 'none.example. HTTPS',
    answer: 'none.example. 3600 HTTPS 0 .',
  },
  {
    rule: 'HTTPS: the owner of a wildcard expansion is the name asked for',
    ask: 'a.wild.example. HTTPS',
    answer: 'a.wild.example. 3600 HTTPS 1 . port=8443',
    additional: 'a.wild.example. 3600 A 192.0.2.83',
  },
])
