import t from 'tap'
import { classes } from '../../src/dns/codes.ts'
import { testRows } from '../helpers/rows.ts'
import { zonesFromText } from '../helpers/zone.ts'

// An ALIAS is of this server alone: clients get the addresses beside it.

const withAlias = zonesFromText(`
  example.  3600 SOA       ns1 hostmaster 1 7200 900 1209600 300
  @         3600 NS        ns1
  known     3600 ALIAS     cdn.example.net.
  known     3600 A         192.0.2.1
  unknown   3600 ALIAS     cdn.example.net.
  beside    3600 ALIAS     cdn.example.net.
  beside    3600 TYPE65400 \\# 1 00
`)
const negative = 'example. 300 SOA ns1.example. hostmaster.example. 1 7200 900 1209600 300'

testRows(t, withAlias, [
  {
    rule: 'ALIAS: what is stored for addresses that are not known is no answer to ANY',
    ask: 'unknown.example. ANY',
    authority: negative,
  },
  {
    rule: 'ALIAS: ANY gets another type',
    ask: 'beside.example. ANY',
    answer: 'beside.example. 3600 TYPE65400 \\# 1 00',
  },
  {
    rule: 'ALIAS: nobody gets it by its number',
    ask: 'known.example. ALIAS',
    authority: negative,
  },
  {
    rule: 'ALIAS: nor of another class',
    ask: 'known.example. ALIAS',
    class: classes.any,
    expectFlags: '',
    authority: negative,
  },
  {
    rule: 'ALIAS: a name that does not exist stays one',
    ask: 'missing.example. ALIAS',
    rcode: 'NXDOMAIN',
    authority: negative,
  },
  {
    rule: 'ALIAS: its addresses are answered',
    ask: 'known.example. A',
    answer: 'known.example. 3600 A 192.0.2.1',
  },
])
