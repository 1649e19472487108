import { cp, readdir } from 'node:fs/promises'
import { join } from 'node:path'
import t from 'tap'
import { realFiles } from '../../../src/durable/file-system.ts'
import { UsageJournal } from '../../../src/rating/metering/usage-journal.ts'
import { PointStore } from '../../../src/rating/segments/point-store.ts'
import { at, storedTexts, usage } from '../../helpers/usage.ts'

// Journals of points and of the meter as they were before there was one log.

const kept = join(import.meta.dirname, '..', '..', 'store', 'kept', 'usage')

t.test('points of before there was one log are all there, however often it is stopped', async t => {
  const folder = join(t.testdir(), 'rating')
  await cp(join(kept, 'points'), folder, { recursive: true })
  const begin = at('2026-10-31T10')
  const stored = async (points: PointStore) =>
    (await storedTexts(points, { begin, end: begin + 3600 })).length
  for (let count = 6; count < 8; count += 1) {
    const points = await PointStore.open(folder)
    t.equal(await stored(points), count)
    t.same(await points.write({ key: 'k5', origin: 'dns', points: [] }), { isNew: false })
    await points.write({ origin: 'dns', points: [usage('2026-10-31T10', 'p1', '7')] })
    await points.close()
  }
  const points = await PointStore.open(folder)
  await points.flush()
  t.match(await readdir(join(folder, 'journal')), [/log$/])
  t.equal(await stored(points), 8)
  await points.close()
})

t.test('what the meter knew before there was one log is what it knows', async t => {
  const folder = join(t.testdir(), 'journal')
  await cp(join(kept, 'meter'), folder, { recursive: true })
  const { journal, recovered } = await UsageJournal.open(realFiles, folder)
  const known = recovered?.accounts.map(account => [
    account.owner.zoneId,
    account.tallyOf(100)?.[0],
  ])
  t.same(known, [
    ['a', 6],
    ['b', 2],
    ['c', 3],
  ])
  const head = { atMillis: 4, firstHour: 100 }
  await journal.begin(head, recovered?.accounts ?? [])
  await journal.close()
  t.match(await readdir(folder), [/log$/])
  t.equal((await UsageJournal.open(realFiles, folder)).recovered?.accounts.length, 3)
})
