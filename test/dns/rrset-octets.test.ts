import t from 'tap'
import { nameEnd, rdataEnd } from '../../src/dns/rrset-octets.ts'

t.test('a record ends as far behind its length as that says', async t => {
  t.equal(rdataEnd(Uint8Array.of(9, 0, 4, 1, 2, 3, 4), 1), 7)
  t.equal(rdataEnd(Uint8Array.of(1, 2), 0), 0x0102 + 2)
  t.equal(rdataEnd(Uint8Array.of(0, 0), 0), 2)
})

t.test('a name ends behind its root label', async t => {
  const octets = Buffer.from('xx\x03www\x07example\0yy', 'latin1')
  t.equal(nameEnd(octets, 2), octets.length - 2)
  t.equal(nameEnd(Uint8Array.of(0, 1), 0), 1)
})
