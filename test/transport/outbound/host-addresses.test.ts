import t from 'tap'
import { hostAddresses } from '../../../src/transport/outbound/host-addresses.ts'

t.test('a name has the addresses that this machine would connect to', async t => {
  const addresses = await hostAddresses('localhost')
  t.ok(addresses.length > 0)
  t.ok(addresses.every(address => address === '::1' || address.startsWith('127.')))
  t.strictSame(await hostAddresses('192.0.2.1'), ['192.0.2.1'])
})

t.test('a name that leads nowhere has none', async t => {
  t.strictSame(await hostAddresses('no such name'), [])
})
