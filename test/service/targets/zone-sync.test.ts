import t from 'tap'
import { types } from '../../../src/dns/codes.ts'
import { parseName } from '../../../src/dns/name.ts'
import type { Zone } from '../../../src/model/zone.ts'
import { ZoneSync } from '../../../src/service/targets/zone-sync.ts'
import { addresses, callerOf, openDns, primary, secondary } from '../../helpers/dns.ts'
import { checkPublished } from '../../helpers/publish-check.ts'
import { refusal } from '../../helpers/refusal.ts'
import { until } from '../../helpers/until.ts'

const one = callerOf('one')
const apex = parseName('example.com.')
const www = parseName('www.example.com.')

async function open() {
  const dns = await openDns()
  const told: string[] = []
  const externalTargets = { zoneChanged: (zone: Zone) => told.push(zone.name) }
  const passedOn: (string | undefined)[] = []
  let handle: (zoneId: string | undefined) => void = () => undefined
  const cluster = {
    passOnSync: (zoneId?: string) => void passedOn.push(zoneId),
    handleSyncs: (handleSync: typeof handle) => {
      handle = handleSync
    },
  }
  const { store, publisher: inProcess } = dns
  const sync = new ZoneSync({ store, inProcess, externalTargets, cluster })
  const zone = await dns.zones.create(one, primary('example.com.'))
  const { recordset } = await dns.recordsets.create(one, zone.id, addresses('www.example.com.'))
  const damage = () => dns.served.get(apex)?.removeRrset(www, types.A)
  const passOn = (zoneId: string | undefined) => handle(zoneId)
  return { dns, sync, told, zone, recordset, damage, passedOn, passOn }
}

t.test('a zone is served as stored again, and external targets are notified', async t => {
  const { dns, sync, told, zone, damage } = await open()
  const before = dns.store.get('zones', zone.id)
  damage()
  await sync.syncZone(one, zone.id)
  checkPublished(t, dns)
  t.same(told, ['example.com.'])
  t.equal(dns.store.get('zones', zone.id), before, 'nothing stored has changed')
})

t.test('other nodes hear of a sync, and do as one that is passed on says', async t => {
  const { dns, sync, told, zone, recordset, damage, passedOn, passOn } = await open()
  await sync.syncZone(one, zone.id)
  sync.syncRecordset(one, { zoneId: zone.id, id: recordset.id })
  await sync.syncAll()
  t.same(passedOn, [zone.id, zone.id, undefined])
  passOn('of no zone')
  for (const passed of [zone.id, undefined]) {
    damage()
    told.length = 0
    passOn(passed)
    await until(() => told.length > 0)
    t.same(told, ['example.com.'])
    checkPublished(t, dns)
  }
  t.equal(passedOn.length, 3, 'what comes from another is not passed on again')
})

t.test('a recordset alone', async t => {
  const { dns, sync, told, zone, recordset, damage } = await open()
  damage()
  sync.syncRecordset(one, { zoneId: zone.id, id: recordset.id })
  checkPublished(t, dns)
  t.same(told, ['example.com.'])
  const stranger = callerOf('two')
  const place = { zoneId: zone.id, id: recordset.id }
  t.throws(() => sync.syncRecordset(stranger, place), refusal('zone_not_found'))
  const nowhere = { zoneId: zone.id, id: zone.id }
  t.throws(() => sync.syncRecordset(one, nowhere), refusal('recordset_not_found'))
})

t.test('all PRIMARY zones, whosever they are', async t => {
  const { dns, sync, told, damage } = await open()
  await dns.zones.create(callerOf('two'), primary('example.net.'))
  await dns.zones.create(one, secondary('copy.example.org.'))
  damage()
  dns.served.withdraw(parseName('example.net.'))
  await sync.syncAll()
  checkPublished(t, dns)
  t.same(told.sort(), ['example.com.', 'example.net.'])
})

t.test('a zone of another project, or none of ours, is not found', async t => {
  const { dns, sync, zone } = await open()
  const copy = await dns.zones.create(one, secondary('copy.example.org.'))
  await t.rejects(sync.syncZone(callerOf('two'), zone.id), refusal('zone_not_found'))
  await t.rejects(sync.syncZone(one, copy.id), refusal('zone_not_found'))
})
