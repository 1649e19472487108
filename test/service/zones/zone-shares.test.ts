import t from 'tap'
import { maxSharesPerZone } from '../../../src/service/zones/zone-shares.ts'
import { callerOf, openDns, primary } from '../../helpers/dns.ts'
import { refusal } from '../../helpers/refusal.ts'

t.test('a zone has a bounded number of shares, whatever projects there are', async t => {
  const dns = await openDns()
  const caller = callerOf('one')
  const zone = await dns.zones.create(caller, primary('example.com.'))
  for (let i = 0; i < maxSharesPerZone; i += 1)
    await dns.zoneShares.create(caller, zone.id, `project-${i}`)
  await t.rejects(dns.zoneShares.create(caller, zone.id, 'another'), refusal('over_quota'))
  const [share] = dns.store.list('zoneShares', 'byZone', zone.id)
  await dns.zoneShares.delete(caller, zone.id, share?.id ?? '')
  await t.resolves(dns.zoneShares.create(caller, zone.id, 'another'))
})
