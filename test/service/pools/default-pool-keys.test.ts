import t from 'tap'
import { defaultPoolId } from '../../../src/model/pool.ts'
import { defaultPoolKeys } from '../../../src/service/pools/default-pool-keys.ts'
import { callerOf, openDns, primary } from '../../helpers/dns.ts'
import { refusal } from '../../helpers/refusal.ts'

const draft = { name: 'transfer.example', algorithm: 'hmac-sha256', secret: 'c2VjcmV0' } as const

t.test('keys are made for the default pool', async t => {
  const dns = await openDns()
  const keys = defaultPoolKeys(dns.store, dns.tsigKeys)
  const key = await keys.create(draft)
  t.match(key, { ...draft, scope: 'POOL', resourceId: defaultPoolId })
  const changed = await keys.update(key.id, { secret: 'bmV3' })
  t.match(changed, { ...draft, secret: 'bmV3', scope: 'POOL', resourceId: defaultPoolId })
  t.same(keys.get(key.id), changed)
  t.same(keys.list(), [changed])
  await t.rejects(keys.create(draft), refusal('duplicate_tsigkey'))
  await keys.delete(key.id)
  t.same(keys.list(), [])
  t.throws(() => keys.get(key.id), refusal('tsigkey_not_found'))
})

t.test('keys of zones are as if there were none', async t => {
  const dns = await openDns()
  const keys = defaultPoolKeys(dns.store, dns.tsigKeys)
  const zone = await dns.zones.create(callerOf('one'), primary('example.com.'))
  const { id } = await dns.tsigKeys.create({ ...draft, scope: 'ZONE', resourceId: zone.id })
  t.same(keys.list(), [])
  t.throws(() => keys.get(id), refusal('tsigkey_not_found'))
  await t.rejects(keys.update(id, { secret: 'bmV3' }), refusal('tsigkey_not_found'))
  await t.rejects(keys.delete(id), refusal('tsigkey_not_found'))
  t.match(dns.tsigKeys.get(id), draft)
})
