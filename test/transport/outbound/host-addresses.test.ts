import t from 'tap'
import { dnsAddresses, systemAddresses } from '../../../src/transport/outbound/host-addresses.ts'

t.test('a name has the addresses that this machine would connect to', async t => {
  const addresses = await systemAddresses('localhost')
  t.ok(addresses.length > 0)
  t.ok(addresses.every(address => address === '::1' || address.startsWith('127.')))
  t.strictSame(await systemAddresses('192.0.2.1'), ['192.0.2.1'])
})

t.test('a name that leads nowhere rejects', async t => {
  await t.rejects(systemAddresses('no such name'))
  await t.rejects(dnsAddresses('no such name'))
})
