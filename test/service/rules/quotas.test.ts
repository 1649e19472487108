import t from 'tap'
import { defaultQuotas } from '../../../src/model/quota.ts'
import { newStamp } from '../../../src/model/stamped.ts'
import { Quotas, quotasOf, requireWithinQuota } from '../../../src/service/rules/quotas.ts'
import { addresses, callerOf, openDns, primary } from '../../helpers/dns.ts'
import { inParallel } from '../../helpers/in-parallel.ts'
import { refusal } from '../../helpers/refusal.ts'

const caller = callerOf('small')
const admin = { ...callerOf('small', 'admin'), hasAllProjects: true }

t.test('a project has the default quotas until others are set, one by one', async t => {
  const { store, quotas } = await openDns()
  t.same(quotas.get(caller, 'small'), defaultQuotas)
  t.same(await quotas.set('small', { zones: 3 }), { ...defaultQuotas, zones: 3 })
  const both = { ...defaultQuotas, zones: 3, zoneRecords: 0 }
  t.same(await quotas.set('small', { zoneRecords: 0, zones: undefined }), both)
  t.same(quotasOf(store, 'small'), both)
  t.same(quotasOf(store, 'other'), defaultQuotas)
  await quotas.reset('small')
  t.same(quotas.get(caller, 'small'), defaultQuotas)
  await quotas.reset('small')
})

t.test('quotas are set for projects that there are', async t => {
  const { store } = await openDns()
  const quotas = new Quotas({ store, knowsProjects: true })
  await store.commit(tx => {
    const described = { domainId: 'default', name: 'small', description: '', isEnabled: true }
    tx.put('projects', { ...newStamp(tx), ...described, id: 'small' })
  })
  t.match(await quotas.set('small', { zones: 3 }), { zones: 3 })
  await t.rejects(quotas.set('other', { zones: 3 }), refusal('invalid_project'))
  t.same(quotasOf(store, 'other'), defaultQuotas)
})

t.test('quotas of another project are shown only to who asks for all projects', async t => {
  const { store } = await openDns()
  const quotas = new Quotas({ store, knowsProjects: false })
  t.throws(() => quotas.get(caller, 'other'), refusal('forbidden'))
  t.throws(() => quotas.get(callerOf('small', 'admin'), 'other'), refusal('forbidden'))
  t.same(quotas.get(admin, 'other'), defaultQuotas)
})

t.test('all that is exceeded is named', async t => {
  const { store, quotas } = await openDns()
  await quotas.set('small', { zones: 1, recordsetRecords: 2, zoneRecords: -1 })
  const wanted = { zones: 2, recordsetRecords: 3, zoneRecords: 10 ** 9 }
  t.throws(() => requireWithinQuota(store, 'small', wanted), {
    type: 'over_quota',
    message: 'Quota exceeded for zones, recordset_records.',
  })
  t.doesNotThrow(() => requireWithinQuota(store, 'small', { zones: 1, recordsetRecords: 2 }))
})

t.test(
  'a project gets exactly as many zones as it may have, however they are asked for',
  async t => {
    const { zones, store } = await openDns()
    const names = Array.from({ length: 64 }, (_, i) => `z${i}.example.`)
    const outcomes = await inParallel(64, names, async name => {
      try {
        await zones.create(caller, primary(name))
        return 'created'
      } catch (error) {
        return (error as { type: string }).type
      }
    })
    t.equal(outcomes.filter(outcome => outcome === 'created').length, 10)
    t.equal(outcomes.filter(outcome => outcome === 'over_quota').length, 54)
    t.equal(store.count('zones', 'byProject', 'small'), 10)
    const [zone] = [...store.list('zones', 'byProject', 'small')]
    await zones.delete(caller, zone?.id ?? '')
    t.ok(await zones.create(caller, primary('again.example.')), 'a deleted one makes room')
    t.ok(await zones.create(callerOf('other'), primary('other.example.')), 'as another project has')
  },
)

t.test('recordsets of a zone are counted with its SOA and NS', async t => {
  const { zones, recordsets, quotas } = await openDns()
  await quotas.set('small', { zoneRecordsets: 3 })
  const { id } = await zones.create(caller, primary('a.example.'))
  const { recordset } = await recordsets.create(caller, id, addresses('one.a.example.'))
  const next = () => recordsets.create(caller, id, addresses('two.a.example.'))
  await t.rejects(next(), {
    type: 'over_quota',
    message: 'Quota exceeded for zone_recordsets.',
  })
  await recordsets.delete(caller, { zoneId: id, id: recordset.id })
  t.ok(await next())
})

t.test('records are counted by zone and by recordset, those of the server left out', async t => {
  const { zones, recordsets, quotas, store } = await openDns()
  await quotas.set('small', { zoneRecords: 4, recordsetRecords: 3 })
  const { id } = await zones.create(caller, primary('a.example.'))
  const values = (count: number) => Array.from({ length: count }, (_, i) => `192.0.2.${i}`)
  const create = (name: string, count: number) =>
    recordsets.create(caller, id, addresses(`${name}.a.example.`, ...values(count)))
  await t.rejects(create('four', 4), { message: 'Quota exceeded for recordset_records.' })
  const three = { zoneId: id, id: (await create('three', 3)).recordset.id }
  await t.rejects(create('two', 2), { message: 'Quota exceeded for zone_records.' })
  const one = { zoneId: id, id: (await create('one', 1)).recordset.id }
  const update = (place: typeof one, count: number) =>
    recordsets.update(caller, place, { records: values(count) })
  await t.rejects(update(one, 2), { message: 'Quota exceeded for zone_records.' })
  await update(three, 2)
  await update(one, 2)
  t.equal(store.sum('recordsets', 'recordsOfZone', id), 4)

  await quotas.set('small', { zoneRecords: 1, recordsetRecords: 0 })
  t.ok(await recordsets.update(caller, one, { ttlSeconds: 60 }), 'what is no larger may be changed')
  t.ok(await update(three, 1), 'and what gets smaller')
  await t.rejects(update(three, 2), {
    message: 'Quota exceeded for zone_records, recordset_records.',
  })
  await recordsets.delete(caller, three)
  t.equal(store.sum('recordsets', 'recordsOfZone', id), 2)
})

t.test('a low TTL is refused to all but administrators; none at all is good', async t => {
  const { zones, recordsets } = await openDns({ minTtlSeconds: 60 })
  await t.rejects(zones.create(caller, primary('a.example.', { ttlSeconds: 59 })), {
    type: 'invalid_ttl',
    message: 'TTL is below the minimum: 60',
  })
  const zone = await zones.create(caller, primary('a.example.', { ttlSeconds: 60 }))
  const low = refusal('invalid_ttl')
  await t.rejects(zones.update(caller, zone.id, { ttlSeconds: 59 }), low)
  t.ok(await zones.update(caller, zone.id, { ttlSeconds: null }))
  t.ok(await zones.update(admin, zone.id, { ttlSeconds: 1 }))
  t.ok(await zones.update(caller, zone.id, { description: 'text' }), 'what is not touched stays')
  const draft = { ...addresses('www.a.example.'), ttlSeconds: 59 }
  await t.rejects(recordsets.create(caller, zone.id, draft), low)
  const { recordset } = await recordsets.create(caller, zone.id, { ...draft, ttlSeconds: null })
  const place = { zoneId: zone.id, id: recordset.id }
  await t.rejects(recordsets.update(caller, place, { ttlSeconds: 0 }), low)
  t.ok(await recordsets.update(admin, place, { ttlSeconds: 0 }))
})
