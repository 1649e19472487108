import t from 'tap'
import {
  findShare,
  getOwnZone,
  getWritableRecordset,
  getZone,
  recordsetProject,
} from '../../../src/service/rules/zone-access.ts'
import { addresses, callerOf, openDns, primary } from '../../helpers/dns.ts'
import { refusal } from '../../helpers/refusal.ts'

const owner = callerOf('owner')
const sharee = callerOf('sharee')
const stranger = callerOf('stranger')
const operator = { ...callerOf('operator', 'admin'), hasAllProjects: true }

async function openShared() {
  const dns = await openDns()
  const zone = await dns.zones.create(owner, primary('example.com.'))
  const { share } = await dns.zoneShares.create(owner, zone.id, 'sharee')
  return { ...dns, zone, share }
}

t.test('a zone is seen by its owner, who has part in it, and who spans projects', async t => {
  const { store, zone } = await openShared()
  for (const caller of [owner, sharee, operator]) t.equal(getZone(store, caller, zone.id), zone)
  t.throws(() => getZone(store, stranger, zone.id), refusal('zone_not_found'))
  for (const caller of [owner, operator]) t.equal(getOwnZone(store, caller, zone.id), zone)
  t.throws(() => getOwnZone(store, sharee, zone.id), refusal('forbidden'))
  t.throws(() => getOwnZone(store, stranger, zone.id), refusal('zone_not_found'))
})

t.test('a recordset is changed by the zone’s owner and by who made it', async t => {
  const { store, recordsets, zone } = await openShared()
  const place = { zone }
  const made = async (by: typeof owner, label: string) =>
    (await recordsets.create(by, zone.id, addresses(`${label}.example.com.`))).recordset
  const theirs = await made(owner, 'theirs')
  const own = await made(sharee, 'own')
  t.equal(recordsetProject(store, theirs, zone), 'owner')
  t.equal(recordsetProject(store, own, zone), 'sharee')
  for (const { id } of [own, theirs]) {
    t.ok(getWritableRecordset(store, owner, { ...place, id }))
    t.ok(getWritableRecordset(store, operator, { ...place, id }))
  }
  t.ok(getWritableRecordset(store, sharee, { ...place, id: own.id }))
  t.throws(
    () => getWritableRecordset(store, sharee, { ...place, id: theirs.id }),
    refusal('forbidden'),
  )
})

t.test(
  'what was made by a share that is gone is the owner’s, also when it is shared anew',
  async t => {
    const { store, recordsets, zoneShares, zone, share } = await openShared()
    const { recordset } = await recordsets.create(sharee, zone.id, addresses('own.example.com.'))
    await t.rejects(
      zoneShares.delete(owner, zone.id, share.id),
      refusal('shared_zone_has_recordsets'),
    )
    await store.commit(tx => tx.delete('zoneShares', share.id))
    t.equal(recordsetProject(store, recordset, zone), 'owner')
    await zoneShares.create(owner, zone.id, 'sharee')
    t.equal(recordsetProject(store, recordset, zone), 'owner')
    t.ok(findShare(store, 'sharee', zone))
    t.equal(findShare(store, 'stranger', zone), undefined)
  },
)
