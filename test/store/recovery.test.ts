import t, { type Test } from 'tap'
import type { Pool } from '../../src/model/pool.ts'
import type { Recordset } from '../../src/model/recordset.ts'
import { packRun } from '../../src/model/recordset-run.ts'
import type { Transaction } from '../../src/store/store.ts'
import {
  type CrashOptions,
  type CrashScript,
  crashEverywhere,
  withDamage,
} from '../helpers/crash-points.ts'
import { depth } from '../helpers/depth.ts'
import { recordsetRow, uuidOf, zoneRow } from '../helpers/store-rows.ts'

const zoneIds = [uuidOf(900_001), uuidOf(900_002), uuidOf(900_003)] as const

type Which = 0 | 1 | 2

const zone = (which: Which, version = 1) =>
  zoneRow({ id: zoneIds[which], createdAt: 1 + which, version, name: `zone${which}.example.` })

const recordset = (number: number, version = 1, which: Which = 0): Recordset =>
  recordsetRow({
    id: uuidOf(number),
    createdAt: 10 + number,
    version,
    zoneId: zoneIds[which],
    name: `host${number}.zone${which}.example.`,
  })

const pool: Pool = {
  id: 'pool',
  version: 1,
  createdAt: 1,
  updatedAt: null,
  name: 'pool',
} as Pool

type Range = { readonly from: number; readonly to: number; readonly version?: number }

/** Puts record sets of the first zone in commits of 500, as services do. */
async function putRecordsets(script: CrashScript, { from, to, version = 1 }: Range): Promise<void> {
  for (let first = from; first < to; first += 500) {
    await script.commit(tx => {
      for (let i = first; i < Math.min(to, first + 500); i += 1) {
        tx.put('recordsets', recordset(i, version))
      }
    })
  }
}

async function changeDuringCheckpoint(script: CrashScript): Promise<void> {
  const checkpoint = script.store.checkpoint()
  checkpoint.catch(() => undefined)
  // Of a shard that nothing else has changed.
  await putRecordsets(script, { from: 5, to: 6, version: 2 })
  await checkpoint
}

async function deleteRecordsets(script: CrashScript, { from, to }: Range): Promise<void> {
  for (let first = from; first < to; first += 500) {
    await script.commit(tx => {
      for (let i = first; i < Math.min(to, first + 500); i += 1) tx.delete('recordsets', uuidOf(i))
    })
  }
}

/** Runs a script of which no picture may have a defect. */
function testCrashes(
  rule: string,
  run: (script: CrashScript) => Promise<void>,
  { minPictures, ...options }: CrashOptions & { readonly minPictures: number },
): void {
  t.test(rule, async (t: Test) => {
    const { defects, pictureCount } = await crashEverywhere(run, options)
    t.same(defects.slice(0, 10), [])
    t.ok(pictureCount >= minPictures, `${pictureCount} pictures`)
  })
}

async function ordinaryWork(script: CrashScript): Promise<void> {
  await script.commit(tx => tx.put('zones', zone(0)))
  const batch = [1, 2, 3, 4].map(i => (tx: Transaction) => tx.put('recordsets', recordset(i)))
  await Promise.all(batch.map(change => script.commit(change)))
  await script.store.checkpoint()
  await script.commit(tx => {
    tx.put('zones', zone(1))
    tx.put('recordsets', recordset(5, 1, 1))
    tx.put('recordsets', recordset(1, 2))
    tx.put('pools', pool)
  })
  await script.store.checkpoint()
  await script.commit(tx => tx.insertRecordsets(packRun([7, 8, 9].map(i => recordset(i)))))
  const idle = script.store.checkpoint()
  await script.commit(tx => tx.delete('recordsets', uuidOf(2)))
  await idle
  const running = script.store.checkpoint()
  await script.commit(tx => tx.put('recordsets', recordset(6, 1, 1)))
  await script.commit(tx => tx.put('zones', zone(2)))
  await script.commit(tx => tx.put('recordsets', recordset(3, 2)))
  await running
  await script.commit(tx => {
    tx.delete('recordsets', uuidOf(5))
    tx.delete('recordsets', uuidOf(6))
    tx.delete('zones', zoneIds[1])
  })
  await script.commit(tx => tx.put('pools', { ...pool, version: 2 }))
  await script.store.checkpoint()
  await script.store.close()
  await script.start()
  await script.commit(tx => tx.put('zones', zone(0, 2)))
  await script.start()
  await script.store.checkpoint()
  await script.commit(tx => tx.put('zones', zone(2, 2)))
  await script.store.checkpoint()
  await script.commit(tx => tx.put('zones', zone(1)))
  await script.store.close()
}

testCrashes('a crash at any change of the disk loses nothing that was seen', ordinaryWork, {
  minPictures: 150,
})

testCrashes('a crash leaves a history without gaps', ordinaryWork, {
  minPictures: 150,
  historyOctets: 2_500,
})

for (let seed = 1; seed <= depth; seed += 1)
  testCrashes(`a crash leaves a copy of an earlier state, which goes on (${seed})`, ordinaryWork, {
    ...{ minPictures: 120, isCopy: true, seed },
  })

testCrashes('after a crash and damage to a document, what opens has lost nothing', ordinaryWork, {
  minPictures: 150,
  look: withDamage(1),
})

testCrashes(
  'a crash loses nothing while the disk is full, nor after there is room again',
  async script => {
    const { disk } = script
    await script.commit(tx => tx.put('zones', zone(0)))
    const putFrom = (from: number, version: number) =>
      Promise.allSettled(
        [0, 1, 2].map(i => script.commit(tx => tx.put('recordsets', recordset(from + i, version)))),
      )
    for (const [i, room] of [0, 100, 400, 900].entries()) {
      disk.capacityOctets = disk.usedOctets + room
      await putFrom(i, i)
      await script.store.checkpoint().catch(() => undefined)
      disk.capacityOctets = Number.POSITIVE_INFINITY
      await script.store.resume()
      // The same once more: what a crash before the refusal leaves is a state that comes about now.
      await putFrom(i, i)
      disk.capacityOctets = disk.usedOctets + room
      await script.store.checkpoint().catch(() => undefined)
      await putFrom(i + 1, i + 1)
      disk.capacityOctets = Number.POSITIVE_INFINITY
      await script.store.resume()
      await putFrom(i + 1, i + 1)
    }
    await script.store.checkpoint()
  },
  { minPictures: 120, historyOctets: 2_500 },
)

testCrashes(
  'what a killed process had not synced is safe once it is seen again',
  async script => {
    await script.commit(tx => tx.put('zones', zone(0)))
    await script.failing(
      ({ kind }) => kind === 'sync',
      () => script.commit(tx => tx.put('recordsets', recordset(1))),
    )
    await script.start()
    await script.store.checkpoint()
    await script.commit(tx => tx.put('recordsets', recordset(2)))
  },
  { minPictures: 30 },
)

/** The file of the latest generation among those whose path a pattern fits. */
function latestOf(script: CrashScript, pattern: RegExp): string {
  const paths = script.disk.paths.filter(path => pattern.test(path))
  const generation = (path: string) => Number(/(\d+)\.(?:json|segment)$/.exec(path)?.[1])
  return paths.reduce((a, b) => (generation(a) > generation(b) ? a : b), paths[0] ?? '')
}

testCrashes(
  'a crash loses nothing while an unreadable file is put together again',
  async script => {
    script.isWatched = false
    for (const version of [1, 2] as const) {
      await script.commit(tx => {
        tx.put('zones', zone(0, version))
        tx.put('zones', zone(version))
        tx.put('recordsets', recordset(1, version))
      })
      await script.store.checkpoint()
    }
    await script.commit(tx => tx.put('recordsets', recordset(2)))
    // No checkpoint when it is closed: the next would write what is damaged anew.
    for (const file of [/\/zones-.*\.json$/, /\.segment$/, /\/manifest\.json$/]) {
      const path = latestOf(script, file)
      script.disk.damage(path, () => Buffer.from('rubbish'))
      script.isWatched = true
      await script.start()
      await script.commit(tx => tx.put('recordsets', recordset(3)))
      await script.store.checkpoint()
      await script.commit(tx => tx.put('zones', zone(1, 7)))
      await script.store.checkpoint()
      script.isWatched = false
      // What is in both generations cannot be healed.
      for (const version of [3, 4]) {
        await script.commit(tx => {
          for (const which of [0, 1, 2] as const) tx.put('zones', zone(which, version))
          tx.put('recordsets', recordset(1, version))
        })
        await script.store.checkpoint()
      }
    }
  },
  { minPictures: 150, mergedAtLeast: 100 },
)

testCrashes(
  'a crash loses nothing while segments are merged',
  async script => {
    await script.commit(tx => tx.put('zones', zone(0)))
    await putRecordsets(script, { from: 0, to: 40 })
    await script.store.checkpoint()
    for (const version of [2, 3, 4]) {
      await putRecordsets(script, { from: 10 * version, to: 10 * version + 8, version })
      await deleteRecordsets(script, { from: version, to: version + 1 })
      const running = script.store.checkpoint()
      await putRecordsets(script, { from: 10 * version, to: 10 * version + 1, version: 7 })
      await deleteRecordsets(script, { from: 10 * version + 1, to: 10 * version + 2 })
      await running
    }
    await script.start()
    await putRecordsets(script, { from: 2, to: 4, version: 9 })
    await script.store.checkpoint()
    await deleteRecordsets(script, { from: 0, to: 60 })
    await script.store.checkpoint()
    await putRecordsets(script, { from: 0, to: 3, version: 10 })
    await script.store.checkpoint()
  },
  { minPictures: 150, mergedAtLeast: 3 },
)

testCrashes(
  'a crash loses nothing when a checkpoint could not be written, even at a second attempt',
  async script => {
    script.isWatched = false
    await script.commit(tx => tx.put('zones', zone(0)))
    await putRecordsets(script, { from: 0, to: 20 })
    await script.store.checkpoint()
    await putRecordsets(script, { from: 20, to: 40 })
    await deleteRecordsets(script, { from: 0, to: 2 })
    await script.commit(tx => tx.put('zones', zone(1)))
    for (const [failing, file] of [
      ['sync', /\.segment$/],
      ['create', /zones-.*\.json$/],
      ['rename', /manifest\.json$/],
    ] as const) {
      await script.failing(
        ({ kind, path }) => kind === failing && file.test(path),
        () => changeDuringCheckpoint(script),
      )
    }
    script.isWatched = true
    await script.store.checkpoint()
    await putRecordsets(script, { from: 5, to: 6, version: 3 })
    await script.failing(
      ({ kind, path }) => kind === 'append' && path.endsWith('.segment'),
      () => script.store.checkpoint(),
    )
    await script.store.checkpoint()
    await script.commit(tx => tx.put('zones', zone(1)))
  },
  { minPictures: 60 },
)

testCrashes(
  'a crash loses nothing while a zone is deleted, and brings nothing of it back',
  async script => {
    script.isWatched = false
    await script.commit(tx => tx.put('zones', zone(0)))
    await putRecordsets(script, { from: 0, to: 30 })
    await script.store.checkpoint()
    script.isWatched = true
    await deleteRecordsets(script, { from: 0, to: 30 })
    await script.commit(tx => tx.delete('zones', zoneIds[0]))
    await script.store.checkpoint()
    await script.start()
    await script.commit(tx => tx.put('zones', zone(1)))
    await script.store.checkpoint()
  },
  { minPictures: 60 },
)

testCrashes(
  'a crash loses nothing of a large zone',
  async script => {
    await script.commit(tx => tx.put('zones', zone(0)))
    await putRecordsets(script, { from: 0, to: 2500 })
    await script.store.checkpoint()
    await putRecordsets(script, { from: 2500, to: 4500 })
    const checkpoint = script.store.checkpoint()
    await putRecordsets(script, { from: 1000, to: 1300, version: 2 })
    await checkpoint
    await script.store.checkpoint()
    await deleteRecordsets(script, { from: 500, to: 4500 })
    await script.store.checkpoint()
    await script.store.close()
  },
  { stride: 17, minPictures: 4 },
)
