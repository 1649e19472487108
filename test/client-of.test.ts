import t from 'tap'
import { clientOf } from '../src/client-of.ts'

t.test('a client is an IPv4 address or 64 bits of an IPv6 address', async t => {
  const rows: readonly [address: string, client: string][] = [
    ['192.0.2.1', '192.0.2.1'],
    ['::ffff:192.0.2.1', '192.0.2.1'],
    ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2'],
    ['2001:db8:1:2::6', '2001:db8:1:2'],
    ['2001:db8::6', '2001:db8:0:0'],
    ['::1', '0:0:0:0'],
    ['2001:db8:0:0:ffff::9', '2001:db8:0:0'],
    ['fe80::1%eth0', 'fe80:0:0:0'],
    ['', ''],
  ]
  for (const [address, client] of rows) t.equal(clientOf(address), client, address)
})
