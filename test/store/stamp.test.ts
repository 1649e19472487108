import t from 'tap'
import { storeStamp } from '../../src/store/stamp.ts'
import { openIn } from '../helpers/crash-points.ts'
import { SimulatedDisk } from '../helpers/simulated-disk.ts'
import { zoneRow } from '../helpers/store-rows.ts'

const directory = '/srv/store'

t.test('a stamp is the same until something is committed or written', async t => {
  const disk = new SimulatedDisk()
  const stamp = () => storeStamp({ files: disk, directory })
  t.equal(await stamp(), undefined)
  const seen = new Set<string | undefined>()
  const closeAndSee = async (version: number) => {
    const store = await openIn(disk)
    await store.commit(tx => tx.put('zones', zoneRow({ version })))
    await store.close()
    const present = await stamp()
    t.equal(await stamp(), present)
    t.notOk(seen.has(present), `stamp ${version} is new`)
    seen.add(present)
  }
  for (let version = 1; version <= 5; version += 1) await closeAndSee(version)
  const store = await openIn(disk)
  await store.commit(tx => tx.put('zones', zoneRow({ version: 6 })))
  t.notOk(seen.has(await stamp()), 'also while it is open')
  const committed = await stamp()
  await store.checkpoint()
  t.not(await stamp(), committed)
})
