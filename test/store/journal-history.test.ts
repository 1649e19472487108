import t from 'tap'
import { Journal, listSegments, segmentAt } from '../../src/store/journal.ts'
import { readHistory } from '../../src/store/journal-history.ts'
import type { Commit } from '../../src/store/store.ts'
import { StoreDisk } from '../helpers/store-disk.ts'
import { uuidOf, zoneRow } from '../helpers/store-rows.ts'

const directory = '/data'

const commit = (lsn: number, description = ''): Commit => ({
  lsn,
  atMicros: 1_000 * lsn,
  changes: [
    { collection: 'zones', id: uuidOf(lsn), before: undefined, after: zoneRow({ description }) },
    { collection: 'tlds', id: 'gone', before: undefined, after: undefined },
  ],
  facts: [`about ${lsn}`],
})

/** A journal with a segment for each list of LSNs. */
async function journalOf(...segments: readonly (readonly number[])[]) {
  const files = new StoreDisk()
  await files.makeDirectory(`${directory}/journal`)
  const journal = new Journal({ files, directory, segments: [], octetCount: 0 })
  for (const lsns of segments) {
    for (const lsn of lsns) await journal.append([commit(lsn)])
    journal.rotate()
  }
  let lastLsn = segments.flat().at(-1) ?? 0
  const source = { files, segments: () => journal.segments, lastLsn: () => lastLsn }
  return {
    files,
    journal,
    source,
    show: (lsn: number) => {
      lastLsn = lsn
    },
    async lsnsAfter(lsn: number) {
      const lsns: number[] = []
      for await (const past of readHistory(source, lsn)) lsns.push(past.lsn)
      return lsns
    },
  }
}

t.test('commits are read as they were written, with what was noted of them', async t => {
  const { source } = await journalOf([1])
  for await (const past of readHistory(source, 0)) {
    t.same(past, {
      lsn: 1,
      atMicros: 1_000,
      changes: [
        { collection: 'zones', id: uuidOf(1), after: zoneRow({ description: '' }) },
        { collection: 'tlds', id: 'gone', after: undefined },
      ],
      facts: ['about 1'],
    })
  }
})

t.test('it begins anywhere and goes on through all segments', async t => {
  const { lsnsAfter } = await journalOf([1, 2], [3], [4, 5])
  t.same(await lsnsAfter(0), [1, 2, 3, 4, 5])
  t.same(await lsnsAfter(1), [2, 3, 4, 5])
  t.same(await lsnsAfter(3), [4, 5])
  t.same(await lsnsAfter(5), [])
  t.same(await lsnsAfter(99), [])
})

t.test('what is not visible yet is not read', async t => {
  const { lsnsAfter, show } = await journalOf([1, 2], [3])
  show(2)
  t.same(await lsnsAfter(0), [1, 2])
})

t.test('what is gone or damaged is left out', async t => {
  const { files, journal, lsnsAfter } = await journalOf([1], [2, 3], [4])
  files.damage(segmentAt(directory, 2).path, octets => {
    octets[40] = (octets[40] ?? 0) ^ 1
    return octets
  })
  t.same(await lsnsAfter(0), [1, 3, 4])
  await journal.dropThrough(1)
  t.same(await lsnsAfter(0), [3, 4])
  await files.remove(segmentAt(directory, 2).path)
  t.same(await lsnsAfter(0), [4], 'also where that was not the journal’s doing')
})

t.test('what is dropped under the reading ends there, and the rest is read', async t => {
  const { journal, source } = await journalOf([1, 2], [3], [4])
  const lsns: number[] = []
  for await (const { lsn } of readHistory(source, 0)) {
    lsns.push(lsn)
    if (lsn === 1) await journal.dropThrough(3)
  }
  t.same(lsns, [1, 2, 4])
})

t.test('what is appended under the reading is read as well', async t => {
  const { journal, source, show } = await journalOf([1], [2])
  const lsns: number[] = []
  for await (const { lsn } of readHistory(source, 0)) {
    lsns.push(lsn)
    if (lsn !== 2) continue
    await journal.append([commit(3)])
    show(3)
  }
  t.same(lsns, [1, 2, 3])
})

t.test('a commit longer than a piece of a file is read whole', async t => {
  const { journal, lsnsAfter, show } = await journalOf([1])
  const description = 'ü'.repeat(400_000)
  await journal.append([commit(2, description), commit(3)])
  show(3)
  t.same(await lsnsAfter(0), [1, 2, 3])
})

t.test('lines of a program that noted nothing are read without', async t => {
  const { journal, source, show } = await journalOf()
  const { facts, ...old } = commit(1)
  await journal.append([old])
  show(1)
  for await (const past of readHistory(source, 0)) t.match(past, { lsn: 1, facts: undefined })
  t.equal((await listSegments(source.files, directory)).length, 1)
  t.same(facts, ['about 1'])
})
