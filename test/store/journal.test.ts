import t from 'tap'
import { Journal, listSegments, segmentAt } from '../../src/store/journal.ts'
import { readJournal } from '../../src/store/journal-recovery.ts'
import type { Commit } from '../../src/store/store.ts'
import { SimulatedDisk } from '../helpers/simulated-disk.ts'
import { zoneRow } from '../helpers/store-rows.ts'

const directory = '/data'

const commit = (lsn: number): Commit => ({
  lsn,
  atMicros: lsn,
  changes: [{ collection: 'zones', id: 'zone', before: undefined, after: zoneRow() }],
})

async function newJournal(segmentLsns: readonly number[] = [], keptOctets?: number) {
  const files = new SimulatedDisk()
  await files.makeDirectory('/data/journal')
  const segments = segmentLsns.map(lsn => segmentAt(directory, lsn))
  for (const { path } of segments) await files.create(path)
  return {
    files,
    journal: new Journal({ files, directory, segments, lastOctets: 0, octetCount: 7, keptOctets }),
  }
}

async function lsnsIn(files: SimulatedDisk, afterLsn = 0) {
  const lsns: number[] = []
  const apply = ({ lsn }: { lsn: number }) => lsns.push(lsn)
  const segments = await listSegments(files, directory)
  await readJournal(files, segments, { afterLsn, apply })
  return lsns
}

t.test('commits are appended to the last segment until a rotation is due', async t => {
  const { files, journal } = await newJournal()
  await journal.append([commit(1), commit(2)])
  await journal.append([commit(3)])
  journal.rotate()
  journal.rotate()
  await journal.append([commit(4)])
  t.same(
    (await listSegments(files, directory)).map(({ firstLsn }) => firstLsn),
    [1, 4],
  )
  t.same(await lsnsIn(files), [1, 2, 3, 4])
  t.same(await lsnsIn(files, 2), [3, 4])
})

t.test('nothing is written, nor a file made, for no commits', async t => {
  const { files, journal } = await newJournal()
  await journal.append([])
  await journal.close()
  t.same(files.paths, [])
})

t.test(
  'octets are counted since the last rotation, those of an earlier process with them',
  async t => {
    const { files, journal } = await newJournal()
    t.equal(journal.octetCount, 7)
    await journal.append([commit(1)])
    const { length } = (await files.read(segmentAt(directory, 1).path)) ?? []
    t.equal(journal.octetCount, 7 + (length ?? 0))
    journal.rotate()
    t.equal(journal.octetCount, 0)
  },
)

t.test('segments are dropped once every line of theirs is superfluous', async t => {
  const { files, journal } = await newJournal()
  for (const lsn of [1, 3, 5]) {
    await journal.append([commit(lsn), commit(lsn + 1)])
    journal.rotate()
  }
  const left = async () => (await listSegments(files, directory)).map(({ firstLsn }) => firstLsn)
  await journal.dropThrough(1)
  t.same(await left(), [1, 3, 5])
  await journal.dropThrough(2)
  t.same(await left(), [3, 5])
  await journal.dropThrough(6)
  t.same(await left(), [5], 'never the one that is written to')
})

t.test('an empty segment is gone on with even when a rotation is due', async t => {
  const { files, journal } = await newJournal([5])
  journal.rotate()
  await journal.append([commit(5)])
  await journal.dropThrough(4)
  t.same(await lsnsIn(files, 4), [5])
})

t.test('the newest of the superfluous segments are kept, by their size', async t => {
  const { files, journal } = await newJournal([], 3_000)
  for (const lsn of [1, 3, 5, 7, 9]) {
    await journal.append([commit(lsn), commit(lsn + 1)])
    journal.rotate()
  }
  const sizeOf = async (lsn: number) => files.size(segmentAt(directory, lsn).path)
  const left = async () => (await listSegments(files, directory)).map(({ firstLsn }) => firstLsn)
  const keepable = Math.floor(3_000 / (await sizeOf(5)))
  await journal.dropThrough(8)
  t.same(await left(), [1, 3, 5, 7, 9].slice(4 - keepable))
  t.same(
    journal.segments.map(({ firstLsn }) => firstLsn),
    await left(),
  )
  await journal.dropThrough(8)
  t.same(await left(), [1, 3, 5, 7, 9].slice(4 - keepable), 'and again')
  t.ok(keepable > 0 && keepable < 4, 'some are kept and some are not')
})

t.test('segments go the oldest first, each for good before the next', async t => {
  const { files, journal } = await newJournal()
  for (const lsn of [1, 2, 3]) {
    await journal.append([commit(lsn)])
    journal.rotate()
  }
  const done: string[] = []
  files.before = ({ kind, path }) => {
    done.push(`${kind} ${path}`)
  }
  await journal.dropThrough(2)
  t.same(done, [
    `remove ${segmentAt(directory, 1).path}`,
    'syncDirectory /data/journal',
    `remove ${segmentAt(directory, 2).path}`,
    'syncDirectory /data/journal',
  ])
})
