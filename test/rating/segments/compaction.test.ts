import t from 'tap'
import { chooseCompaction } from '../../../src/rating/segments/compaction.ts'
import type { SegmentEntry } from '../../../src/rating/segments/manifest.ts'

const limits = { segmentPoints: 1000, mergeCount: 4, removalCount: 2 }
const segment = (
  file: string,
  pointCount: number,
  more: Partial<SegmentEntry> = {},
): SegmentEntry => ({
  file,
  month: '2026-10',
  generation: 1,
  pointCount,
  span: { begin: 0, end: 100 },
  ...more,
})
const chosen = (...args: Parameters<typeof chooseCompaction>): string | undefined =>
  chooseCompaction(...args)
    ?.map(entry => entry.file)
    .join('')

t.test('segments of a month and like size are merged when there are enough', async t => {
  const sizes = [70, 20, 250, 300, 64, 255]
  const segments = sizes.map((size, i) => segment('abcdef'[i]!, size))
  t.equal(chosen(segments, [], limits), 'acef', 'those from 64 to 255')
  t.equal(chosen(segments.slice(0, 5), [], limits), undefined, 'three are not enough')
})

t.test('full segments, and those of different months, are left alone', async t => {
  const full = ['a', 'b', 'c', 'd'].map(file => segment(file, 900))
  t.equal(chosen(full, [], limits), undefined)
  const months = ['07', '08', '09', '10'].map(month =>
    segment(month, 1, { month: `2026-${month}` }),
  )
  t.equal(chosen(months, [], limits), undefined)
})

t.test('a segment that is hidden as a whole from everybody is dropped at once', async t => {
  const old = segment('a', 1)
  const removal = { period: { begin: -5, end: 100 }, generation: 2 }
  t.equal(chosen([old], [removal], limits), 'a')
  t.equal(chosen([old], [{ ...removal, period: { begin: 0, end: 99 } }], limits), undefined)
  t.equal(chosen([old], [{ ...removal, projectId: 'p1' }], limits), undefined)
  t.equal(
    chosen([segment('a', 1, { generation: 2 })], [removal], limits),
    undefined,
    'stored later',
  )
})

t.test('removals are worked in when there are many', async t => {
  const removals = [1, 2, 3].map(i => ({
    projectId: `p${i}`,
    period: { begin: 10 * i, end: 10 * i + 5 },
    generation: 2,
  }))
  const segments = [segment('a', 1, { span: { begin: 50, end: 60 } }), segment('b', 1)]
  t.equal(chosen(segments, removals, limits), 'b')
  t.equal(chosen(segments, removals.slice(1), limits), undefined)
})
