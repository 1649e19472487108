import t from 'tap'
import { chunkOf } from '../../../src/rating/segments/chunk.ts'
import { packColumns } from '../../../src/rating/segments/columns.ts'
import { restrictChunk } from '../../../src/rating/segments/restrict.ts'
import { seriesOf } from '../../../src/rating/segments/series.ts'
import { usage } from '../../helpers/usage.ts'

const points = [0, 10, 20, 30].map(begin => ({ ...usage('2026-10-01', 'p1', '1'), begin }))
const chunk = chunkOf(seriesOf(points[0]!, 'dns'), packColumns(points))
const all = { begin: 0, end: 31 }
const begins = (...args: [typeof all, ...(typeof all)[]]): readonly number[] => {
  const [period, ...hidden] = args
  return Array.from(restrictChunk(chunk, period, hidden)?.begins() ?? [])
}

t.test(
  'a chunk that is in the period as a whole, and not hidden, is given back as it is',
  async t => {
    t.equal(restrictChunk(chunk, all, [{ begin: 31, end: 40 }]), chunk)
  },
)

t.test('what is outside of the period or hidden is left out', async t => {
  t.same(begins({ begin: 10, end: 30 }), [10, 20])
  t.same(begins({ begin: 11, end: 20 }), [])
  t.same(begins({ begin: 31, end: 99 }), [])
  t.same(begins(all, { begin: 0, end: 10 }, { begin: 25, end: 99 }), [10, 20])
  t.same(begins({ begin: 0, end: 20 }, { begin: 10, end: 11 }), [0])
  t.same(begins(all, { begin: 0, end: 31 }), [])
})
