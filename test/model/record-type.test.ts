import t from 'tap'
import { currentType, recordTypeError } from '../../src/model/record-type.ts'

t.test('a recordset may have any type that is data of a zone', async t => {
  const spec = ['A', 'AAAA', 'CNAME', 'NS', 'TXT', 'MX', 'SSHFP', 'SPF', 'SRV']
  const others = [
    'PTR',
    'NAPTR',
    'CAA',
    'CERT',
    'SVCB',
    'HTTPS',
    'TLSA',
    'DS',
    'DNAME',
    'TYPE65280',
  ]
  for (const type of [...spec, ...others]) t.equal(recordTypeError(type), undefined, type)
})

t.test('others are refused with the reason', async t => {
  const rows: [string, RegExp][] = [
    ['', /neither/],
    ['NONSENSE', /neither/],
    ['TYPE65536', /neither/],
    ['a', /write it as 'A'/],
    ['TYPE1', /write it as 'A'/],
    ['type65280', /write it as 'TYPE65280'/],
    ['RRSIG', /server makes/],
    ['NSEC', /server makes/],
    ['NSEC3', /server makes/],
    ['NSEC3PARAM', /server makes/],
    ['ZONEMD', /server makes/],
    ['OPT', /never part/],
    ['TSIG', /never part/],
    ['AXFR', /never part/],
    ['IXFR', /never part/],
    ['ANY', /never part/],
    ['NXNAME', /never part/],
    ['TKEY', /never part/],
    ['TYPE129', /never part/],
    ['TYPE42', /write it as 'APL'/],
    ['TYPE0', /never part/],
    ['TYPE65535', /never part/],
  ]
  for (const [type, message] of rows) {
    t.match(recordTypeError(type), { path: ['type'], message }, type)
  }
})

t.test('a type that was stored before it had a name has it now', async t => {
  const names = ['TYPE42', 'TYPE1', 'TYPE65280', 'TYPE99999', 'MX', 'TYPEWRITER'].map(currentType)
  t.same(names, ['APL', 'A', 'TYPE65280', 'TYPE99999', 'MX', 'TYPEWRITER'])
})
