import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { buffer } from 'node:stream/consumers'
import { setImmediate as nextImmediate } from 'node:timers/promises'
import t, { type Test } from 'tap'
import { Backups } from '../../src/backup/backups.ts'
import { restoreArchive } from '../../src/backup/restore.ts'
import { type FileSystem, realFiles } from '../../src/durable/file-system.ts'
import { allTime } from '../../src/rating/period.ts'
import { PointStore } from '../../src/rating/segments/point-store.ts'
import { checkUsage, usageFolders } from '../../src/rating/usage-repair.ts'
import { type LowdbStore, openLowdbStore } from '../../src/store/lowdb-store.ts'
import { checkStore } from '../../src/store/repair.ts'
import { fakeClock } from '../helpers/clock.ts'
import { depth } from '../helpers/depth.ts'
import { Dice } from '../helpers/dice.ts'
import { recordsetRow, uuidOf, zoneRow } from '../helpers/store-rows.ts'
import { usage } from '../helpers/usage.ts'

const clock = fakeClock()
const rowCount = 60
const writerCount = 4
const changesPerCheckpoint = 40

/** A store and points that are written to and checkpointed without a pause, and what has been acknowledged of both. */
class Load {
  readonly versions = new Map<string, number>()
  batchCount = 0
  readonly #store: LowdbStore
  readonly #points: PointStore
  readonly #dice = new Dice(1)
  #isStopped = false
  readonly #writers: Promise<unknown>

  constructor(store: LowdbStore, points: PointStore) {
    this.#store = store
    this.#points = points
    const writers = Array.from({ length: writerCount }, (_, i) => this.#write(i))
    this.#writers = Promise.all([...writers, this.#checkpoint()])
  }

  async stop(): Promise<void> {
    this.#isStopped = true
    await this.#writers
  }

  async #write(writer: number): Promise<void> {
    while (!this.#isStopped) {
      const id = uuidOf(writer + writerCount * this.#dice.below(rowCount / writerCount))
      const version = (this.versions.get(id) ?? 0) + 1
      const name = `${id}.example.com.`
      await this.#store.commit(tx => tx.put('recordsets', recordsetRow({ id, version, name })))
      this.versions.set(id, version)
      await this.#points.write({ origin: 'test', points: [usage('2026-11-23T05', 'p', '1')] })
      this.batchCount += 1
    }
  }

  async #checkpoint(): Promise<void> {
    for (let due = 0; !this.#isStopped; await nextImmediate()) {
      if (this.batchCount < due) continue
      due = this.batchCount + changesPerCheckpoint
      await this.#store.checkpoint()
      await this.#points.flush()
    }
  }
}

async function open(t: Test) {
  const directory = join(t.testdir(), 'data')
  const store = await openLowdbStore({ directory, clock, mergedAtLeast: 2 })
  await store.commit(tx => tx.put('zones', zoneRow()))
  const limits = { memoryPoints: 20, segmentPoints: 100, mergeCount: 3 }
  const points = await PointStore.open(join(directory, usageFolders.points), { limits })
  t.teardown(async () => {
    await points.close()
    await store.close()
  })
  const backups = new Backups({ directory, parts: [store, points], clock, version: 'test' })
  return { store, points, backups }
}

/** Holds what a directory was restored to against what was acknowledged when its backup began. */
async function requireAll(
  t: Test,
  directory: string,
  { versions, batchCount }: Pick<Load, 'versions' | 'batchCount'>,
): Promise<void> {
  t.same(await checkStore({ directory }), [])
  t.same(await checkUsage({ files: realFiles, directory }), [])
  const store = await openLowdbStore({ directory, clock })
  const lost = [...versions].filter(
    ([id, version]) => (store.get('recordsets', id)?.version ?? 0) < version,
  )
  t.same(lost, [])
  await store.close()
  const points = await PointStore.open(join(directory, usageFolders.points))
  let found = 0
  {
    await using snapshot = points.snapshot(allTime)
    for await (const chunks of snapshot.scan()) for (const { count } of chunks) found += count
  }
  await points.close()
  t.ok(found >= batchCount, `${found} of ${batchCount} points`)
}

/** The machine's files, but a disk that is full once so much has been written. */
function fullBehind(octets: number): FileSystem {
  let left = octets
  return {
    ...realFiles,
    async create(path) {
      const file = await realFiles.create(path)
      return {
        ...file,
        async append(piece) {
          left -= piece.length
          if (left < 0) throw Object.assign(new Error('no space'), { code: 'ENOSPC' })
          await file.append(piece)
        },
      }
    },
  }
}

type Fault = 'none' | 'cut off' | 'changed' | 'disk full' | 'client gone'
const faults: readonly Fault[] = ['none', 'cut off', 'changed', 'disk full', 'client gone']
const roundCount = 20 * depth
const timeout = 600_000 * depth
t.setTimeout(timeout)

t.test(
  'a backup under load has all that was acknowledged, and a broken one is refused',
  { timeout },
  async t => {
    const { store, points, backups } = await open(t)
    const load = new Load(store, points)
    const dice = new Dice(2)
    for (let round = 0; round < roundCount; round += 1) {
      const fault = faults[round % faults.length]
      const directory = join(t.testdirName, `restored-${round}`)
      const { batchCount } = load
      const before = { versions: new Map(load.versions), batchCount }
      const archive = backups.archive()
      if (fault === 'client gone') {
        for (let left = dice.below(20); left >= 0; left -= 1) await archive.next()
        await archive.return(undefined)
        t.equal(backups.runningCount, 0)
        continue
      }
      const octets = await buffer(archive)
      await restoreWith(t, { fault, octets, directory, dice })
      if (fault === 'none') await requireAll(t, directory, before)
    }
    await load.stop()
    t.comment(`${load.batchCount} changes meanwhile`)
    t.ok(load.batchCount > roundCount)
  },
)

async function restoreWith(
  t: Test,
  given: { fault: Fault | undefined; octets: Buffer; directory: string; dice: Dice },
): Promise<void> {
  const { fault, octets, directory, dice } = given
  const restore = (archive: Buffer, files = realFiles) =>
    restoreArchive(
      (async function* () {
        yield archive
      })(),
      { files, directory },
    )
  if (fault === 'none') {
    await restore(octets)
    return
  }
  const at = dice.below(octets.length)
  if (fault === 'cut off')
    await t.rejects(restore(octets.subarray(0, at)), { name: 'ArchiveError' })
  if (fault === 'changed')
    await t.rejects(restore(changedContent(octets)), {
      name: 'ArchiveError',
      message: /^journal\/.* is not as it was written$/,
    })
  if (fault === 'disk full')
    await t.rejects(restore(octets, fullBehind(dice.below(4000))), { code: 'ENOSPC' })
  t.same(
    readdirSync(directory).filter(name => name !== 'lock'),
    [],
    'nothing is left of it',
  )
}

/** Changes an octet of the log of changes. */
function changedContent(octets: Buffer): Buffer {
  const changed = Buffer.from(octets)
  const at = changed.indexOf('recordsets', changed.indexOf('journal/'))
  changed[at] = (changed[at] ?? 0) ^ 1
  return changed
}

t.test('a directory that is in use or not empty is left alone', async t => {
  const { backups } = await open(t)
  const directory = join(t.testdirName, 'data')
  const before = readdirSync(directory)
  const restored = restoreArchive(backups.archive(), { files: realFiles, directory })
  await t.rejects(restored, { name: 'StoreLockedError' })
  t.same(readdirSync(directory), before)
  const other = t.testdir({ 'of-somebody': 'else' })
  await t.rejects(restoreArchive(backups.archive(), { files: realFiles, directory: other }), {
    name: 'OperatorError',
    message: /is not empty: it has of-somebody/,
  })
})

t.test('files that are gone before they are open are listed anew, a few times', async t => {
  const directory = t.testdir({ kept: 'kept' })
  let asked = 0
  const part = {
    capture() {
      asked += 1
      return [{ path: join(directory, asked < 3 ? 'gone' : 'kept') }]
    },
  }
  const backups = new Backups({ directory, parts: [part], clock, version: 'test' })
  t.ok((await buffer(backups.archive())).length > 0)
  t.equal(asked, 3)
  const never = { capture: () => [{ path: join(directory, 'gone') }] }
  const hopeless = new Backups({ directory, parts: [never], clock, version: 'test' })
  await t.rejects(buffer(hopeless.archive()), { code: 'ENOENT' })
  t.equal(hopeless.runningCount, 0)
})
