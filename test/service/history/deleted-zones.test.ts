import { setImmediate as nextImmediate } from 'node:timers/promises'
import t from 'tap'
import type { Zone } from '../../../src/model/zone.ts'
import { DeletedZones } from '../../../src/service/history/deleted-zones.ts'
import type { Store } from '../../../src/store/store.ts'
import { openIn } from '../../helpers/crash-points.ts'
import { callerOf } from '../../helpers/dns.ts'
import { SimulatedDisk } from '../../helpers/simulated-disk.ts'
import { uuidOf, zoneRow } from '../../helpers/store-rows.ts'

t.test('zones are restored one at a time, whosoever they are', async t => {
  const store = await openIn(new SimulatedDisk(), { historyOctets: 1_000_000 })
  t.teardown(() => store.close())
  const zones = ['one', 'one', 'two', 'two'].map((projectId, i) =>
    zoneRow({ id: uuidOf(i), name: `zone${i}.example.`, projectId, type: 'SECONDARY' }),
  )
  for (const zone of zones) {
    await store.commit(tx => tx.put('zones', zone))
    await store.commit(tx => tx.put('zones', { ...zone, version: 2, isDeleting: true }))
    await store.commit(tx => tx.delete('zones', zone.id))
  }
  const restored: string[] = []
  let runningCount = 0
  const commitInSteps: Store['commitInSteps'] = async work => {
    runningCount += 1
    // Others would begin meanwhile.
    for (let i = 0; i < 100; i += 1) await nextImmediate()
    t.equal(runningCount, 1)
    runningCount -= 1
    return store.commitInSteps(work)
  }
  const slowStore = new Proxy<Store>(store, {
    get(target, name) {
      if (name === 'commitInSteps') return commitInSteps
      const member = Reflect.get(target, name, target)
      return typeof member === 'function' ? member.bind(target) : member
    },
  })
  const deletedZones = new DeletedZones({
    ...{ store: slowStore, knowsProjects: false, restoreKeys: (_, zone) => zone },
    zones: {
      restoreIn: (tx, _, { id, version }) => {
        const zone = zones.find(each => each.id === id) as Zone
        return tx.put('zones', { ...zone, version: version + 1 })
      },
      transferIfWanted: ({ id }) => void restored.push(id),
    },
    retention: { keepsDeleted: () => true } as never,
  })
  const all = zones.map(({ id, projectId }) => deletedZones.restore(callerOf(projectId), id))
  await Promise.all(all)
  t.same(restored.sort(), zones.map(({ id }) => id).sort())
})
