import t from 'tap'
import { defaultPoolId } from '../../../src/model/pool.ts'
import { mayTransfer, transferKeyOf } from '../../../src/service/rules/transfer-policy.ts'
import { callerOf, openDns, primary } from '../../helpers/dns.ts'

const address = '192.0.2.1'

async function open(attributes: Readonly<Record<string, string>> = {}) {
  const dns = await openDns()
  const zone = await dns.zones.create(callerOf('one'), { ...primary('example.com.'), attributes })
  const other = await dns.zones.create(callerOf('one'), primary('example.org.'))
  const setPool = (poolAttributes: Readonly<Record<string, string>>) =>
    dns.pools.update(defaultPoolId, { attributes: poolAttributes })
  const newKey = (name: string, scope: 'POOL' | 'ZONE', resourceId: string) =>
    dns.tsigKeys.create({ name, algorithm: 'hmac-sha256', secret: 'AQI=', scope, resourceId })
  return { ...dns, zone, other, setPool, newKey }
}

t.test('nobody by default', async t => {
  const { store, zone, newKey } = await open()
  const { id } = await newKey('key.', 'ZONE', zone.id)
  t.notOk(mayTransfer(store, zone, { address, keyId: undefined }))
  t.notOk(mayTransfer(store, zone, { address, keyId: id }), 'a key is named, too')
})

t.test('those that the pool notifies or names, and those that the zone names', async t => {
  const { store, zone, other, setPool } = await open({ allow_transfer: '198.51.100.1' })
  const may = (who: string, of = zone) => mayTransfer(store, of, { address: who, keyId: undefined })
  t.strictSame([may('198.51.100.1'), may('198.51.100.1', other)], [true, false])
  await setPool({ also_notify: '192.0.2.7:5300,ns.example.net', allow_transfer: '203.0.113.0/24' })
  t.strictSame(
    ['192.0.2.7', '203.0.113.9', '192.0.2.8'].map(who => may(who)),
    [true, true, false],
  )
  t.ok(may('198.51.100.1'), 'the zone adds to it')
})

t.test('who is notified with a key may have the zone with it, and not by its address', async t => {
  const { store, zone, setPool, newKey } = await open()
  const { id } = await newKey('pool-key', 'POOL', defaultPoolId)
  await setPool({ also_notify: '192.0.2.1:53 key:pool-key' })
  t.notOk(mayTransfer(store, zone, { address, keyId: undefined }))
  t.ok(mayTransfer(store, zone, { address: '203.0.113.1', keyId: id }))
})

t.test('a key that is named, of the zone or its pool and no other', async t => {
  const { store, zone, other, setPool, newKey } = await open()
  const ofPool = await newKey('pool-key', 'POOL', defaultPoolId)
  const ofZone = await newKey('zone-key', 'ZONE', zone.id)
  await setPool({ allow_transfer: 'key:POOL-KEY., key:zone-key' })
  const may = (keyId: string, of = zone) => mayTransfer(store, of, { address, keyId })
  t.strictSame([may(ofPool.id), may(ofPool.id, other)], [true, true])
  t.strictSame([may(ofZone.id), may(ofZone.id, other)], [true, false])
  t.notOk(may('a key that is gone'))
})

t.test('the key that masters are asked with: named by the zone, and for it', async t => {
  const { store, zone, other, newKey } = await open({ transfer_key: 'Zone-Key' })
  t.strictSame(transferKeyOf(store, other), {})
  t.match(transferKeyOf(store, zone), { problem: /no TSIG key/ })
  const { id } = await newKey('zone-key.', 'ZONE', zone.id)
  t.match(transferKeyOf(store, zone), { key: { id, secret: Uint8Array.of(1, 2) } })
  const attributes = { transfer_key: 'zone-key' }
  t.match(transferKeyOf(store, { ...other, attributes }), { problem: /no TSIG key/ })
})
