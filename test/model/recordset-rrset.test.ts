import t from 'tap'
import { types } from '../../src/dns/codes.ts'
import { parseName } from '../../src/dns/name.ts'
import { rrsetOf } from '../../src/model/recordset-rrset.ts'
import { addresses } from '../helpers/dns.ts'

const zone = { ttlSeconds: 300 }
const www = addresses('WWW.example.', '192.0.2.2', '192.0.2.1')

t.test('a recordset becomes an RRset, case and order kept, with the zone’s TTL', async t => {
  t.same(rrsetOf(www, zone), {
    rrset: {
      owner: parseName('WWW.example.'),
      type: types.A,
      ttlSeconds: 300,
      rdatas: [Uint8Array.of(192, 0, 2, 2), Uint8Array.of(192, 0, 2, 1)],
    },
    problem: undefined,
  })
})

t.test('its own TTL goes before the zone’s, and 0 is one', async t => {
  t.equal(rrsetOf({ ...www, ttlSeconds: 0 }, zone).rrset?.ttlSeconds, 0)
  t.equal(rrsetOf(www, { ttlSeconds: null }).rrset?.ttlSeconds, 3600)
})

t.test('what does not parse is left out and reported', async t => {
  const partly = rrsetOf({ ...www, records: ['x', '192.0.2.1'] }, zone)
  t.equal(partly.rrset?.rdatas.length, 1)
  t.match(partly.problem, /^WWW.example. A: a record is left out/)
  t.match(rrsetOf({ ...www, records: ['x'] }, zone), { rrset: undefined, problem: /left out/ })
  t.match(rrsetOf({ ...www, name: 'a..b.' }, zone), { rrset: undefined, problem: /label/ })
  t.match(rrsetOf({ ...www, type: 'NO' }, zone), { rrset: undefined, problem: /unknown type/ })
  t.same(rrsetOf({ ...www, records: [] }, zone), { rrset: undefined, problem: undefined })
})
