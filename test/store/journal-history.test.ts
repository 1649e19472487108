import t from 'tap'
import { Journal, listSegments, segmentAt } from '../../src/store/journal.ts'
import { JournalHistory } from '../../src/store/journal-history.ts'
import type { Commit } from '../../src/store/store.ts'
import { SimulatedDisk } from '../helpers/simulated-disk.ts'
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
  const files = new SimulatedDisk()
  await files.makeDirectory(`${directory}/journal`)
  const journal = new Journal({ files, directory, segments: [], lastOctets: 0, octetCount: 0 })
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
      for await (const past of new JournalHistory(source).read(lsn)) lsns.push(past.lsn)
      return lsns
    },
  }
}

t.test('commits are read as they were written, with what was noted of them', async t => {
  const { source } = await journalOf([1])
  for await (const past of new JournalHistory(source).read(0)) {
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
  for await (const { lsn } of new JournalHistory(source).read(0)) {
    lsns.push(lsn)
    if (lsn === 1) await journal.dropThrough(3)
  }
  t.same(lsns, [1, 2, 4])
})

t.test('what is appended under the reading is read as well', async t => {
  const { journal, source, show } = await journalOf([1], [2])
  const lsns: number[] = []
  for await (const { lsn } of new JournalHistory(source).read(0)) {
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
  for await (const past of new JournalHistory(source).read(0))
    t.match(past, { lsn: 1, facts: undefined })
  t.equal((await listSegments(source.files, directory)).length, 1)
  t.same(facts, ['about 1'])
})

t.test('in a long segment the reading begins near what is asked for', async t => {
  const lsns = Array.from({ length: 4_000 }, (_, i) => i + 1)
  const { files, source, lsnsAfter } = await journalOf(lsns)
  const { path } = segmentAt(directory, 1)
  const size = await files.size(path)
  t.ok(size > 1_500_000)
  for (const lsn of [0, 1, 2, 999, 1_000, 2_345, 3_998, 3_999])
    t.same(await lsnsAfter(lsn), lsns.slice(lsn), `behind ${lsn}`)
  let octetCount = 0
  const counting = {
    ...source,
    files: {
      size: (path: string) => files.size(path),
      async readPiece(path: string, from: number, lengthOctets: number) {
        const piece = await files.readPiece(path, from, lengthOctets)
        octetCount += piece.length
        return piece
      },
    },
  }
  for await (const { lsn } of new JournalHistory(counting).read(3_990)) t.ok(lsn > 3_990)
  t.ok(octetCount < size, `${octetCount} octets of ${size}`)
})

t.test('damage in a long segment does not mislead the bisection', async t => {
  const lsns = Array.from({ length: 4_000 }, (_, i) => i + 1)
  const { files, lsnsAfter } = await journalOf(lsns)
  files.damage(segmentAt(directory, 1).path, octets =>
    octets.fill(0, Math.floor(octets.length / 2) - 10, Math.floor(octets.length / 2) + 600_000),
  )
  const left = await lsnsAfter(0)
  t.ok(left.length > 1_000 && left.length < 4_000)
  for (const lsn of [1, 1_500, 3_000, 3_990])
    t.same(
      await lsnsAfter(lsn),
      left.filter(each => each > lsn),
    )
})

t.test('many readers take turns, and each is given all of it', async t => {
  const lsns = Array.from({ length: 2_000 }, (_, i) => i + 1)
  const { source } = await journalOf(lsns)
  let under = 0
  let most = 0
  const watched = {
    ...source,
    files: {
      size: (path: string) => source.files.size(path),
      async readPiece(...piece: Parameters<typeof source.files.readPiece>) {
        under += 1
        most = Math.max(most, under)
        const octets = await source.files.readPiece(...piece)
        under -= 1
        return octets
      },
    },
  }
  const history = new JournalHistory(watched)
  const readers = Array.from({ length: 20 }, async () => {
    const read: number[] = []
    for await (const { lsn } of history.read(0)) read.push(lsn)
    return read
  })
  for (const read of await Promise.all(readers)) t.same(read, lsns)
  t.equal(most, 1)
})
