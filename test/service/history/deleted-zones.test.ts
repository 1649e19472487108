import { setImmediate as nextImmediate } from 'node:timers/promises'
import t from 'tap'
import { DeletedZones } from '../../../src/service/history/deleted-zones.ts'
import { openIn } from '../../helpers/crash-points.ts'
import { callerOf } from '../../helpers/dns.ts'
import { SimulatedDisk } from '../../helpers/simulated-disk.ts'
import { uuidOf, zoneRow } from '../../helpers/store-rows.ts'

t.test('zones are restored one at a time, whosoever they are', async t => {
  const store = await openIn(new SimulatedDisk(), { historyOctets: 1_000_000 })
  t.teardown(() => store.close())
  const zones = ['one', 'one', 'two', 'two'].map((projectId, i) =>
    zoneRow({ id: uuidOf(i), name: `zone${i}.example.`, projectId }),
  )
  for (const zone of zones) {
    await store.commit(tx => tx.put('zones', zone))
    await store.commit(tx => tx.put('zones', { ...zone, version: 2, isDeleting: true }))
    await store.commit(tx => tx.delete('zones', zone.id))
  }
  const restored: string[] = []
  let runningCount = 0
  const restore = async (
    _: unknown,
    { deleted }: { readonly deleted: { readonly id: string } },
  ) => {
    runningCount += 1
    // Others would begin meanwhile.
    for (let i = 0; i < 100; i += 1) await nextImmediate()
    t.equal(runningCount, 1)
    runningCount -= 1
    restored.push(deleted.id)
  }
  const deletedZones = new DeletedZones({
    ...{ store, restoring: { restore } as never, restoreKeys: (_, zone) => zone },
    retention: { keepsDeleted: () => true } as never,
  })
  const all = zones.map(({ id, projectId }) => deletedZones.restore(callerOf(projectId), id))
  await Promise.all(all)
  t.same(restored.sort(), zones.map(({ id }) => id).sort())
})
