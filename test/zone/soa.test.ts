import t from 'tap'
import type { OwnedRrset } from '../../src/zone/rrset.ts'
import { soaNumbers } from '../../src/zone/soa.ts'
import { rrsetsFromText } from '../helpers/zone.ts'

function soa(text: string): OwnedRrset {
  const [found] = rrsetsFromText(text)
  if (found === undefined) throw new Error('no SOA in the text')
  return found
}

t.test('the numbers are read whatever the names are', async t => {
  for (const names of ['. .', 'a.very.long.name.example.com. hostmaster\\.of.test.']) {
    t.same(soaNumbers(soa(`example. 60 SOA ${names} 4294967295 2 3 4 2147483648`)), {
      serial: 4_294_967_295,
      refreshSeconds: 2,
      retrySeconds: 3,
      expireSeconds: 4,
      minimumSeconds: 2_147_483_648,
    })
  }
})

t.test('an rdata that is a view into a larger buffer is read in its place', async t => {
  const given = soa('example. 60 SOA . . 9 2 3 4 5')
  const octets = Uint8Array.from([1, 2, 3, ...(given.rdatas[0] ?? []), 4, 5])
  t.equal(soaNumbers({ ...given, rdatas: [octets.subarray(3, -2)] }).serial, 9)
})

t.test('anything but one whole record is refused', async t => {
  const given = soa('example. 60 SOA . . 1 2 3 4 5')
  const [rdata] = given.rdatas
  t.throws(() => soaNumbers({ ...given, rdatas: [] }), { name: 'RangeError' })
  t.throws(() => soaNumbers({ ...given, rdatas: [...given.rdatas, ...given.rdatas] }), {
    name: 'RangeError',
  })
  t.throws(() => soaNumbers({ ...given, rdatas: [(rdata ?? new Uint8Array()).subarray(1)] }), {
    name: 'RangeError',
  })
})
