import t from 'tap'
import { networkOf } from '../../src/identity/peer-network.ts'

const cases: readonly [address: string, network: string][] = [
  ['192.0.2.1', '192.0.2.1'],
  ['::ffff:192.0.2.1', '::ffff:192.0.2.1'],
  ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2'],
  ['2001:db8::1', '2001:db8:0:0'],
  ['2001:db8:1:2::1', '2001:db8:1:2'],
  ['::1', '0:0:0:0'],
  ['fe80::1%eth0', 'fe80:0:0:0'],
  ['', ''],
]

t.test('one party holds an IPv4 address or an IPv6 /64', async t => {
  for (const [address, network] of cases) t.equal(networkOf(address), network, address)
})

t.test('all addresses of a /64 are one party however they are written', async t => {
  t.equal(networkOf('2001:db8::1'), networkOf('2001:db8:0:0:ffff::9'))
})
