import t from 'tap'
import { maxTasksPerProject } from '../../../src/service/listing/tasks.ts'
import { ZoneShares } from '../../../src/service/zones/zone-shares.ts'
import { ZoneTransferAccepts } from '../../../src/service/zones/zone-transfer-accepts.ts'
import {
  maxRequestsPerZone,
  ZoneTransferRequests,
} from '../../../src/service/zones/zone-transfer-requests.ts'
import { addresses, callerOf, openDns, primary } from '../../helpers/dns.ts'
import { refusal } from '../../helpers/refusal.ts'

const owner = callerOf('owner')
const acceptor = callerOf('acceptor')
const toAnybody = { targetProjectId: null, description: null }

async function openOffered() {
  const dns = await openDns()
  const { store } = dns
  const zone = await dns.zones.create(owner, primary('example.com.'))
  const requests = new ZoneTransferRequests(store)
  const { request } = await requests.create(owner, zone.id, toAnybody)
  const accepts = new ZoneTransferAccepts(store)
  const accept = (key = request.key) =>
    accepts.create(acceptor, { key, zoneTransferRequestId: request.id })
  return { ...dns, zone, requests, request, accept }
}

t.test('a zone of any size changes hands by three rows, served all the while', async t => {
  const { store, served, publisher, zone, accept } = await openOffered()
  await store.commit(tx => {
    for (let i = 0; i < 2_000; i += 1) {
      const stamp = { id: `r${i}`, version: 1, createdAt: tx.atMicros + i, updatedAt: null }
      const own = { zoneId: zone.id, isManaged: false }
      tx.put('recordsets', { ...stamp, ...addresses(`h${i}.example.com.`), ...own })
    }
  })
  const [zoneInTable] = served
  const changeCounts: number[] = []
  store.setCommitListener(({ changes }) => void changeCounts.push(changes.length))
  await accept()
  t.same(changeCounts, [3])
  t.equal([...served][0]?.ref, zoneInTable?.ref)
  t.equal(publisher.reportsOf(zone)[0]?.serial, store.get('zones', zone.id)?.serial)
})

t.test('a wrong key costs nothing and changes nothing', async t => {
  const { store, zone, request, accept } = await openOffered()
  for (const key of ['', 'A', request.key.toLowerCase(), `${request.key}A`, '\u0000'.repeat(8)]) {
    await t.rejects(accept(key), refusal('invalid_key'))
  }
  t.equal(store.get('zones', zone.id)?.projectId, 'owner')
  await t.resolves(accept())
  await t.rejects(accept(), refusal('invalid_zone_transfer_request'))
})

t.test('whoever accepts its own offer needs no room for it', async t => {
  const { quotas, store, zone, request } = await openOffered()
  await quotas.set('owner', { zones: 1 })
  const accepts = new ZoneTransferAccepts(store)
  await accepts.create(owner, { key: request.key, zoneTransferRequestId: request.id })
  t.equal(store.get('zones', zone.id)?.projectId, 'owner')
})

t.test('an acceptor that had part in the zone has no share of its own zone', async t => {
  const { store, zone, accept, zones } = await openOffered()
  const shares = new ZoneShares({ store, knowsProjects: false })
  await shares.create(owner, zone.id, 'acceptor')
  await shares.create(owner, zone.id, 'third')
  await accept()
  t.equal(store.count('zoneShares', 'byZone', zone.id), 1)
  t.equal(zones.get(callerOf('third'), zone.id).projectId, 'acceptor')
  t.equal(zones.get(acceptor, zone.id).id, zone.id)
  t.throws(() => zones.get(owner, zone.id), refusal('zone_not_found'))
})

t.test(
  'of offers and acceptances the newest are kept, however often a zone goes round',
  async t => {
    const { store, zone, requests, accept } = await openOffered()
    await accept()
    const accepts = new ZoneTransferAccepts(store)
    for (let i = 0; i < maxTasksPerProject + 2; i += 1) {
      const { request } = await requests.create(acceptor, zone.id, toAnybody)
      await accepts.create(acceptor, { key: request.key, zoneTransferRequestId: request.id })
    }
    t.equal(store.count('zoneTransferAccepts', 'byProject', acceptor.projectId), maxTasksPerProject)
    t.equal(store.count('zoneTransferRequests', 'byZone', zone.id), maxRequestsPerZone)
  },
)

t.test('offers and acceptances go with their zone', async t => {
  const { store, zone, request, accept, zones } = await openOffered()
  const { id } = await accept()
  await zones.delete(acceptor, zone.id)
  t.equal(store.get('zoneTransferRequests', request.id), undefined)
  t.equal(store.get('zoneTransferAccepts', id), undefined)
})
