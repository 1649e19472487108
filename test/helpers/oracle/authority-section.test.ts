import t from 'tap'
import { types } from '../../../src/dns/codes.ts'
import { queryFor, replyFrom } from '../ask.ts'
import { rrsetsFromText, zoneFromText } from '../zone.ts'
import { putAuthority } from './authority-section.ts'
import { readQuery } from './query.ts'
import { Response } from './response.ts'
import type { Lookup } from './served-zone.ts'

const [soa, ns] = rrsetsFromText(`
  example. 300 SOA ns1 hostmaster 1 7200 900 1209600 300
  sub      60  NS  ns1
`)

function authority(found: Lookup): readonly string[] {
  const query = readQuery(queryFor('www.example. A'))
  if (query === undefined) throw new Error('the query could not be read')
  const response = new Response(query, new Uint8Array(2000), 512)
  const zone = zoneFromText('example. 300 SOA ns1 hostmaster 1 7200 900 1209600 300')
  putAuthority({ zone, owner: zone.apex, found, proofs: [] }, response)
  return replyFrom(response.finish()).authority
}

t.test('each outcome has its own authority section', async t => {
  if (soa === undefined || ns === undefined) throw new Error('the records are missing')
  const soaText = 'example. 300 SOA ns1.example. hostmaster.example. 1 7200 900 1209600 300'
  t.same(authority({ kind: 'nodata', soa }), [soaText])
  t.same(authority({ kind: 'nxdomain', soa }), [soaText])
  t.same(authority({ kind: 'referral', ns }), ['sub.example. 60 NS ns1.example.'])
  t.same(authority({ kind: 'hit', rrset: ns }), [])
  t.same(authority({ kind: 'cname', rrset: { ...ns, type: types.CNAME } }), [])
  t.same(authority({ kind: 'dname', dname: { ...ns, type: types.DNAME } }), [])
})
