import t from 'tap'
import { parseNetwork, parseNetworks } from '../../src/config/network.ts'

t.test('a network is an address and so many bits of it, all of them if none are given', async t => {
  t.strictSame(parseNetwork('192.0.2.0/24'), { address: '192.0.2.0', bits: 24 })
  t.strictSame(parseNetwork('192.0.2.1'), { address: '192.0.2.1', bits: 32 })
  t.strictSame(parseNetwork('0.0.0.0/0'), { address: '0.0.0.0', bits: 0 })
  t.strictSame(parseNetwork('2001:db8::/32'), { address: '2001:db8::', bits: 32 })
  t.strictSame(parseNetwork('::1'), { address: '::1', bits: 128 })
})

t.test('anything else is none', async t => {
  const texts = ['', '/24', '192.0.2.0/33', '::/129', '192.0.2/24', 'example.net/24', '::1%eth0/64']
  for (const text of [...texts, '192.0.2.0/', '192.0.2.0/-1', '192.0.2.0/24/1']) {
    t.equal(parseNetwork(text), undefined, text)
  }
  t.equal(parseNetworks(['192.0.2.0/24', 'x']), undefined)
  t.strictSame(parseNetworks([]), [])
})
