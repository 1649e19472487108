import t from 'tap'
import { parseTrustedProxies } from '../../src/config/trusted-proxies.ts'

t.test('addresses, networks and names of networks', async t => {
  const entries = [
    '192.0.2.1',
    '198.51.100.0/24',
    '2001:db8::/32',
    '::1',
    'fe80::1%eth0',
    'fe80::%eth0/64',
    'loopback',
    'uniquelocal',
  ]
  t.same(parseTrustedProxies(entries), entries)
  t.same(parseTrustedProxies([]), [])
})

t.test('one that is none of these is not taken', async t => {
  for (const wrong of [
    '',
    'true',
    '1',
    'proxy.example.com',
    '192.0.2.0/33',
    '192.0.2.0/',
    '::/0/0',
    '::/x',
    '192.0.2.1%eth0',
    '::1%',
  ])
    t.equal(parseTrustedProxies(['::1', wrong]), undefined, wrong)
})
