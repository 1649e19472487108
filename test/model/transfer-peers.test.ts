import t from 'tap'
import { isPeer, transferAttributeErrors, transferPeersOf } from '../../src/model/transfer-peers.ts'

const peersOf = (text: string) => transferPeersOf({ allow_transfer: text })

t.test('addresses, networks and keys', async t => {
  const peers = peersOf('192.0.2.1, 198.51.100.0/24,2001:db8::/32,key:Secondary.example.')
  for (const address of ['192.0.2.1', '::ffff:192.0.2.1', '198.51.100.77', '2001:db8::1'])
    t.ok(isPeer(peers, { address }), address)
  for (const address of ['192.0.2.2', '198.51.101.1', '2001:db9::1', '', 'key:x'])
    t.notOk(isPeer(peers, { address }), address)
  t.strictSame([...peers.keyNames], ['secondary.example'])
})

t.test('certificates, by name and by public key', async t => {
  const pin = Buffer.alloc(32, 7).toString('base64')
  const other = Buffer.alloc(32, 8).toString('base64')
  const peers = peersOf(`tls:NS2.example.net.,tls:sha256=${pin}`)
  const isAllowed = (sha256: string, names: readonly string[]) =>
    isPeer(peers, { address: '192.0.2.1', certificate: { sha256, names } })
  t.ok(isAllowed(pin, []))
  t.ok(isAllowed(other, ['ns1.example.net', 'ns2.example.net']))
  t.notOk(isAllowed(other, ['ns1.example.net']))
  t.notOk(isPeer(peers, { address: '192.0.2.1' }))
  t.notOk(isPeer(peersOf('192.0.2.9'), { address: '', certificate: { sha256: '', names: [''] } }))
})

t.test('nobody without the attribute, and nobody by what cannot be read', async t => {
  for (const text of ['', 'any', '192.0.2.0/33', 'key:', '192.0.2.1/', 'ns1.example.'])
    t.notOk(isPeer(peersOf(text), { address: '192.0.2.1' }), text)
  t.notOk(isPeer(transferPeersOf({}), { address: '192.0.2.1' }))
})

t.test('what cannot be read is reported', async t => {
  const notTls = ['tls:', 'tls:tls', 'tls:192.0.2.1', 'tls:sha256=', 'tls:sha256=abcd', 'tls:a b']
  t.strictSame(transferAttributeErrors({ allow_transfer: '192.0.2.1,key:a' }), [])
  t.strictSame(transferAttributeErrors({ other: 'any' }), [])
  for (const text of [
    'any',
    '192.0.2.0/33',
    '2001:db8::/129',
    'key:',
    'fe80::1%eth0',
    '-1',
    ...notTls,
  ])
    t.match(transferAttributeErrors({ allow_transfer: `192.0.2.1,${text}` }), [
      { path: ['attributes', 'allow_transfer'] },
    ])
  const many = Array.from({ length: 65 }, (_, i) => `192.0.2.${i}`).join()
  t.match(transferAttributeErrors({ allow_transfer: many }), [{ message: 'more than 64 peers' }])
})
