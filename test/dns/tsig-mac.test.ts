import t from 'tap'
import { isMac, macOctets, tsigAlgorithmNames, u48Octets } from '../../src/dns/tsig-mac.ts'
import { someKey } from '../helpers/tsig-client.ts'

t.test('a MAC has as many octets as its hash', async t => {
  const octets = Object.values(tsigAlgorithmNames).map(algorithm =>
    macOctets(someKey({ algorithm })),
  )
  t.strictSame(octets, [16, 20, 28, 32, 48, 64])
})

t.test('a MAC is compared as far as it is given, and one that is too long is none', async t => {
  const mac = Uint8Array.of(1, 2, 3)
  t.ok(isMac(mac, Uint8Array.of(1, 2, 3)))
  t.ok(isMac(mac, Uint8Array.of(1, 2)))
  for (const other of [
    [1, 2, 4],
    [0, 2, 3],
    [1, 2, 3, 0],
  ])
    t.notOk(isMac(mac, Uint8Array.from(other)))
})

t.test('seconds in 48 bits', async t => {
  t.strictSame(u48Octets(2 ** 48 - 1), new Uint8Array(6).fill(255))
  t.strictSame(u48Octets(2 ** 32 + 1), Uint8Array.of(0, 1, 0, 0, 0, 1))
})
