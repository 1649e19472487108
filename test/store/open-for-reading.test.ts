import t from 'tap'
import { openLowdbStore } from '../../src/store/lowdb-store.ts'
import { openStoreForReading } from '../../src/store/open-for-reading.ts'
import { fakeClock } from '../helpers/clock.ts'
import { SimulatedDisk } from '../helpers/simulated-disk.ts'
import { recordsetRow, zoneRow } from '../helpers/store-rows.ts'

const directory = '/data'

async function writtenDisk(): Promise<SimulatedDisk> {
  const files = new SimulatedDisk()
  const store = await openLowdbStore({ directory, clock: fakeClock(), files })
  await store.commit(tx => {
    tx.put('zones', zoneRow())
    tx.put('recordsets', recordsetRow())
  })
  await store.close()
  return files
}

t.test('a store opened for reading has all rows and takes no changes', async t => {
  const files = await writtenDisk()
  const { store, defects } = await openStoreForReading({ directory, files })
  t.same(defects, [])
  t.match(store.get('zones', zoneRow().id), { name: 'example.com.' })
  t.equal(store.count('recordsets', 'byZone', zoneRow().id), 1)
  t.same(
    [...store.indexDefects()].filter(defect => defect !== undefined),
    [],
  )
  const change = store.commit(tx => tx.delete('zones', zoneRow().id))
  await t.rejects(change, { name: 'StoreReadOnlyError' })
  await store.close()
})

t.test('what keeps a server from starting is told beside the rows that can be read', async t => {
  const files = await writtenDisk()
  for (const name of ['manifest.json', 'manifest.json.prev'])
    await files.remove(`${directory}/${name}`)
  const { store, defects } = await openStoreForReading({ directory, files })
  t.ok(defects.length > 0)
  t.equal(store.count('zones', 'all', ''), 1)
})

t.test('where there is no store there is nothing to read', async t => {
  const files = new SimulatedDisk()
  await t.rejects(openStoreForReading({ directory, files }), { name: 'DamageError' })
})
