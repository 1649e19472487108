import t from 'tap'
import { type Name, parseName } from '../../src/dns/name.ts'
import { octetsOfRrset, rrsetOfOctets } from '../../src/zone/rrset-octets.ts'

const owner: Name = parseName('Www.example.')

t.test('an RRset is the same after it was octets, however long', async t => {
  for (const lengths of [[4], [0, 1, 300], [5000, 60_000]]) {
    const rdatas = lengths.map((length, i) => new Uint8Array(length).fill(i + 1))
    const rrset = { type: 16, ttlSeconds: 2 ** 32 - 1, rdatas }
    const octets = octetsOfRrset(owner, rrset)
    const text = Buffer.from(octets.octets.subarray(octets.ownerAt, octets.rdatasAt))
    t.equal(text.toString('latin1'), owner)
    t.same(rrsetOfOctets(octets), rrset)
  }
})

t.test('what is read of octets does not change with them', async t => {
  const octets = octetsOfRrset(owner, { type: 1, ttlSeconds: 1, rdatas: [new Uint8Array(4)] })
  const { rdatas } = rrsetOfOctets(octets)
  octets.octets.fill(9)
  t.same(rdatas, [new Uint8Array(4)])
})
