import fc from 'fast-check'
import t from 'tap'
import { add, compare, type Decimal, zero } from '../../../src/rating/decimal.ts'
import { decimalOf } from '../../../src/rating/segments/amounts.ts'
import { prepareBatch } from '../../../src/rating/segments/batch.ts'
import { BlockBuilder, decodeBlock } from '../../../src/rating/segments/block.ts'
import { type Chunk, chunkOf, pointsOf } from '../../../src/rating/segments/chunk.ts'
import { packColumns } from '../../../src/rating/segments/columns.ts'
import { atOnce } from '../../../src/time-slice.ts'
import { held } from '../../helpers/held.ts'
import { anyPoint, pointText, usage } from '../../helpers/usage.ts'

const chunksOf = (points: Parameters<typeof prepareBatch>[0]['points']): readonly Chunk[] =>
  atOnce(prepareBatch({ origin: 'dns', points })).series.map(({ series, points: values }) =>
    chunkOf(series, packColumns(values)),
  )

const blockOf = (chunks: readonly Chunk[]): Buffer => {
  const builder = new BlockBuilder()
  for (const chunk of chunks) builder.add(chunk)
  return builder.finish()
}

t.test('a block gives back the points it was made of', async t => {
  held(
    t,
    fc.property(fc.array(anyPoint), points => {
      const read = decodeBlock(blockOf(chunksOf(points))).flatMap(chunk => [...pointsOf(chunk)])
      return read.map(pointText).sort().join() === points.map(pointText).sort().join()
    }),
  )
})

t.test('sums, counts and begins are those of the points', async t => {
  held(
    t,
    fc.property(fc.array(anyPoint, { minLength: 1 }), points =>
      decodeBlock(blockOf(chunksOf(points))).every(chunk => {
        const own = [...pointsOf(chunk)]
        const sum = own.reduce<Decimal>((total, point) => add(total, point.qty), zero)
        const cost = own.reduce<Decimal>((total, point) => add(total, point.price), zero)
        const begins = own.map(point => point.begin)
        return (
          compare(sum, decimalOf(chunk.qtySum)) === 0 &&
          compare(cost, decimalOf(chunk.priceSum)) === 0 &&
          chunk.count === own.length &&
          chunk.firstBegin === Math.min(...begins) &&
          chunk.lastBegin === Math.max(...begins) &&
          chunk.begins().join() === begins.join()
        )
      }),
    ),
  )
})

t.test('only the projects asked for are read', async t => {
  const block = blockOf(chunksOf(['p1', 'p2', 'p3', ''].map(id => usage('2026-10-01', id, '1'))))
  const projects = decodeBlock(block, new Set(['p3', '', 'p9'])).map(
    chunk => chunk.series.projectId,
  )
  t.same(projects, ['p3', ''])
})

t.test('texts of all alphabets and names of built-in properties come back', async t => {
  const metadata = JSON.parse('{"__proto__":"x","constructor":"Zürich, 東京 🚀","a":""}') as Record<
    string,
    string
  >
  const [chunk] = decodeBlock(blockOf(chunksOf([usage('2026-10-01', 'ö', '1', { metadata })])))
  t.equal(chunk!.series.projectId, 'ö')
  t.same(Object.entries(chunk!.series.metadata).sort(), Object.entries(metadata).sort())
})

t.test('a month of an hourly point takes some ten octets an hour at most', async t => {
  const points = Array.from({ length: 744 }, (_, i) => ({
    ...usage('2026-10-01', 'p1', String(((i * 7919) % 1000) / 1e6)),
    begin: 1_790_812_800 + i * 3600,
    end: 1_790_816_400 + i * 3600,
  }))
  const block = blockOf(chunksOf(points))
  t.ok(block.length < 744 * 10, `${block.length} octets`)
})

t.test('a block cut short is refused', async t => {
  const block = blockOf(chunksOf([usage('2026-10-01', 'p1', '1')]))
  for (let length = 0; length < block.length; length++) {
    t.throws(() => {
      for (const chunk of decodeBlock(block.subarray(0, length))) chunk.columns()
    }, RangeError)
  }
})
