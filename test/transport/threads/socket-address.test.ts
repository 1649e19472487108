import { networkInterfaces } from 'node:os'
import t from 'tap'
import {
  decodeSocketAddress,
  encodeSocketAddress,
  isWildcard,
} from '../../../src/transport/threads/socket-address.ts'

const rows: readonly (readonly [string, number, string])[] = [
  ['192.0.2.1', 53, '02000035c00002010000000000000000'],
  ['0.0.0.0', 0, '02000000000000000000000000000000'],
  ['2001:db8::1', 65_535, '0a00ffff0000000020010db800000000000000000000000100000000'],
]

for (const [host, port, hex] of rows) {
  t.test(`${host} with port ${port}, both ways`, async t => {
    const octets = encodeSocketAddress({ host, port })
    t.equal(Buffer.from(octets).toString('hex'), hex)
    t.strictSame(decodeSocketAddress(octets), { host, port })
  })
}

t.test('a zone id becomes the number of its interface', async t => {
  const interfaces = Object.entries(networkInterfaces())
  const [name, addresses] = interfaces.find(([, list]) =>
    list?.some(({ family }) => family === 'IPv6'),
  ) ?? ['1', undefined]
  const own = addresses?.find(address => address.family === 'IPv6')
  const scope = own?.family === 'IPv6' ? own.scopeid : 1
  const octets = encodeSocketAddress({ host: `fe80::1%${name}`, port: 53 })
  t.equal(Buffer.from(octets).readUInt32LE(24), scope)
})

t.test('what is no address of this machine is refused', async t => {
  for (const host of ['localhost', '192.0.2', 'fe80::1%no-such-interface'])
    t.throws(() => encodeSocketAddress({ host, port: 53 }), { name: 'Error' }, host)
})

t.test('only the two addresses of nothing are wildcards', async t => {
  for (const host of ['0.0.0.0', '::', '0:0:0:0:0:0:0:0']) t.ok(isWildcard(host), host)
  for (const host of ['127.0.0.1', '::1', '0.0.0.1']) t.notOk(isWildcard(host), host)
})
