import t from 'tap'
import { isPeer, transferAttributeErrors, transferPeersOf } from '../../src/model/transfer-peers.ts'

const peersOf = (text: string) => transferPeersOf({ allow_transfer: text })

t.test('addresses, networks and keys', async t => {
  const peers = peersOf('192.0.2.1, 198.51.100.0/24,2001:db8::/32,key:Secondary.example.')
  for (const address of ['192.0.2.1', '::ffff:192.0.2.1', '198.51.100.77', '2001:db8::1'])
    t.ok(isPeer(peers, address), address)
  for (const address of ['192.0.2.2', '198.51.101.1', '2001:db9::1', '', 'key:x'])
    t.notOk(isPeer(peers, address), address)
  t.strictSame([...peers.keyNames], ['secondary.example'])
})

t.test('nobody without the attribute, and nobody by what cannot be read', async t => {
  for (const text of ['', 'any', '192.0.2.0/33', 'key:', '192.0.2.1/', 'ns1.example.'])
    t.notOk(isPeer(peersOf(text), '192.0.2.1'), text)
  t.notOk(isPeer(transferPeersOf({}), '192.0.2.1'))
})

t.test('what cannot be read is reported', async t => {
  t.strictSame(transferAttributeErrors({ allow_transfer: '192.0.2.1,key:a' }), [])
  t.strictSame(transferAttributeErrors({ other: 'any' }), [])
  for (const text of ['any', '192.0.2.0/33', '2001:db8::/129', 'key:', 'fe80::1%eth0', '-1'])
    t.match(transferAttributeErrors({ allow_transfer: `192.0.2.1,${text}` }), [
      { path: ['attributes', 'allow_transfer'] },
    ])
  const many = Array.from({ length: 65 }, (_, i) => `192.0.2.${i}`).join()
  t.match(transferAttributeErrors({ allow_transfer: many }), [{ message: 'more than 64 peers' }])
})
