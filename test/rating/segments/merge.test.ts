import fc from 'fast-check'
import t from 'tap'
import type { DataPoint } from '../../../src/rating/data-point.ts'
import { prepareBatch } from '../../../src/rating/segments/batch.ts'
import {
  type Chunk,
  chunkOf,
  maxChunkPoints,
  pointsOf,
} from '../../../src/rating/segments/chunk.ts'
import { packColumns } from '../../../src/rating/segments/columns.ts'
import { Memtable, sortChunks } from '../../../src/rating/segments/memtable.ts'
import { mergeChunks } from '../../../src/rating/segments/merge.ts'
import { atOnce } from '../../../src/time-slice.ts'
import { heldAsync } from '../../helpers/held.ts'
import { anyPoint, pointText, usage } from '../../helpers/usage.ts'

/** The points of October as a source hands them out, a few chunks at a time. */
const sourceOf = (points: readonly DataPoint[]): readonly (readonly Chunk[])[] => {
  const memtable = new Memtable(1)
  for (const series of atOnce(prepareBatch({ origin: 'dns', points })).series) memtable.add(series)
  const chunks = atOnce(sortChunks(memtable.chunks('2026-10')))
  return [chunks.slice(0, 1), [], chunks.slice(1)]
}

const merged = async (...sources: readonly (readonly DataPoint[])[]): Promise<readonly Chunk[]> => {
  const chunks: Chunk[] = []
  for await (const chunk of mergeChunks(sources.map(sourceOf))) chunks.push(chunk)
  return chunks
}

const october = anyPoint.filter(point => point.begin < Date.UTC(2026, 10) / 1000)

t.test('the order of points does not depend on how they are spread over sources', async t => {
  await heldAsync(
    t,
    fc.asyncProperty(fc.array(fc.array(october), { maxLength: 4 }), async sources => {
      const texts = (chunks: readonly Chunk[]) =>
        chunks.flatMap(chunk => Array.from(pointsOf(chunk), pointText)).join('\n')
      return texts(await merged(...sources)) === texts(await merged(sources.flat()))
    }),
  )
})

t.test('stretches of a series that follow each other become one chunk', async t => {
  const hours = (from: number, to: number) =>
    Array.from({ length: to - from }, (_, i) =>
      usage(
        `2026-10-${String(Math.floor((from + i) / 24) + 1).padStart(2, '0')}T${String((from + i) % 24).padStart(2, '0')}`,
        'p1',
        '1',
      ),
    )
  const chunks = await merged(hours(0, 15), hours(15, 30), hours(30, 45), hours(40, 50))
  t.same(
    chunks.map(chunk => chunk.count),
    [55],
  )
})

t.test('a long series comes in several chunks', async t => {
  const point = usage('2026-10-01', 'p1', '1')
  const long = Array(maxChunkPoints - 1).fill(point)
  const [series] = atOnce(prepareBatch({ origin: 'dns', points: long })).series
  const chunk = chunkOf(series!.series, packColumns(long))
  const counts: number[] = []
  for await (const each of mergeChunks([[[chunk, chunk]], [[chunk]]])) counts.push(each.count)
  t.equal(
    counts.reduce((sum, count) => sum + count, 0),
    3 * long.length,
  )
  t.ok(counts.every(count => count <= 2 * maxChunkPoints))
})
