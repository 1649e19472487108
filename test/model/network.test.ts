import t from 'tap'
import { blockListOf, isWithin, parseNetwork, parseNetworks } from '../../src/model/network.ts'

t.test('a network is an address and so many bits of it, all of them if none are given', async t => {
  t.strictSame(parseNetwork('192.0.2.0/24'), { address: '192.0.2.0', bits: 24 })
  t.strictSame(parseNetwork('192.0.2.1'), { address: '192.0.2.1', bits: 32 })
  t.strictSame(parseNetwork('0.0.0.0/0'), { address: '0.0.0.0', bits: 0 })
  t.strictSame(parseNetwork('2001:db8::/32'), { address: '2001:db8::', bits: 32 })
  t.strictSame(parseNetwork('::1'), { address: '::1', bits: 128 })
})

t.test('anything else is none', async t => {
  const texts = ['', '/24', '192.0.2.0/33', '::/129', '192.0.2/24', 'example.net/24', '::1%eth0/64']
  for (const text of [...texts, '192.0.2.0/', '192.0.2.0/-1', '192.0.2.0/24/1', 'fe80::1%lo']) {
    t.equal(parseNetwork(text), undefined, text)
  }
  t.equal(parseNetworks(['192.0.2.0/24', 'x']), undefined)
  t.strictSame(parseNetworks([]), [])
})

t.test('an address is within networks in either form', async t => {
  const list = blockListOf(parseNetworks(['192.0.2.0/24', '2001:db8::1']) ?? [])
  for (const text of ['192.0.2.1', '::ffff:192.0.2.1', '2001:DB8::1'])
    t.ok(isWithin(list, text), text)
  for (const text of ['', 'x', '198.51.100.1', '::ffff:198.51.100.1', '2001:db8::2'])
    t.notOk(isWithin(list, text), text)
})
