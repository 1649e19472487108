import t from 'tap'
import { newStamp } from '../../../src/model/stamped.ts'
import { getDecimal } from '../../../src/rating/decimal.ts'
import { priceByHashmap } from '../../../src/rating/hashmap/price.ts'
import { defaultPriceModel } from '../../../src/rating/hashmap/price-model.ts'
import { applyPriceModel } from '../../../src/rating/hashmap/price-models.ts'
import { currentRules } from '../../../src/rating/module-settings.ts'
import { everything } from '../../../src/store/indexes.ts'
import type { Store } from '../../../src/store/store.ts'
import { fakeClock } from '../../helpers/clock.ts'
import { pointOf } from '../../helpers/hashmap-rows.ts'
import { openMemoryStore } from '../../helpers/memory-store.ts'

const open = () => openMemoryStore({ clock: fakeClock() })

const rowCounts = (store: Store) =>
  (['hashmapGroups', 'hashmapServices', 'hashmapFields', 'hashmapMappings'] as const).map(
    collection => store.count(collection, 'all', everything),
  )

function priceOf(store: Store, rcode: string) {
  const { hashmap } = currentRules(store)
  const point = pointOf({ metric: 'dns.queries', qty: '2', groupby: { project_id: 'p', rcode } })
  return hashmap && priceByHashmap(hashmap, point)
}

t.test('a price model is added to an empty hashmap, which is enabled', async t => {
  const store = open()
  t.equal(priceOf(store, 'NOERROR'), undefined, 'nothing is priced before')
  t.same(await applyPriceModel(store, defaultPriceModel), {
    addedCount: 4,
    presentCount: 0,
    kept: [],
  })
  t.same(rowCounts(store), [1, 2, 2, 4])
  t.same(priceOf(store, 'NOERROR'), getDecimal('0.8'))
  t.same(priceOf(store, 'NXDOMAIN'), getDecimal('0'))
})

t.test('its rows share one group and name each service and field once', async t => {
  const store = open()
  await applyPriceModel(store, defaultPriceModel)
  const namesOf = (collection: 'hashmapServices' | 'hashmapFields') =>
    [...store.list(collection, 'all', everything)].map(({ name }) => name).sort()
  t.same(namesOf('hashmapServices'), ['dns.queries', 'dns.zone'])
  t.same(namesOf('hashmapFields'), ['rcode', 'tier'])
  const [group] = store.list('hashmapGroups', 'all', everything)
  for (const mapping of store.list('hashmapMappings', 'all', everything)) {
    t.equal(mapping.groupId, group!.id)
    t.not(mapping.serviceId === null, mapping.fieldId === null)
  }
})

t.test('applied again it changes nothing', async t => {
  const store = open()
  await applyPriceModel(store, defaultPriceModel)
  const mappings = () => [...store.list('hashmapMappings', 'all', everything)]
  const before = mappings()
  t.same(await applyPriceModel(store, defaultPriceModel), {
    addedCount: 0,
    presentCount: 4,
    kept: [],
  })
  t.same(mappings(), before)
  t.same(rowCounts(store), [1, 2, 2, 4])
})

t.test('what is there is used, what is missing added, and other prices stay', async t => {
  const store = open()
  await store.commit(tx => tx.put('hashmapServices', { ...newStamp(tx), name: 'dns.queries' }))
  await applyPriceModel(store, defaultPriceModel)
  const rows = [...store.list('hashmapMappings', 'all', everything)]
  const flat = rows.find(({ cost }) => cost === '0.4')!
  const waiver = rows.find(({ value }) => value === 'NXDOMAIN')!
  await store.commit(tx => {
    tx.put('hashmapMappings', { ...flat, cost: '0.5', version: 2 })
    tx.delete('hashmapMappings', waiver.id)
  })
  t.same(await applyPriceModel(store, defaultPriceModel), {
    addedCount: 1,
    presentCount: 2,
    kept: ['0.40 a million answered queries'],
  })
  t.same(priceOf(store, 'NOERROR'), getDecimal('1'))
  t.same(rowCounts(store), [1, 2, 2, 4])
})
