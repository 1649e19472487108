import t from 'tap'
import type { SegmentFile } from '../../src/store/manifest.ts'
import { mergedSegments } from '../../src/store/segment-merge.ts'

const mebi = 2 ** 20

/** Writes segments of these octets, one after the other, and merges as it is told. Garbage is what `liveOctets` is not. */
function grow(sizes: Iterable<number>, liveOctets: (stored: number) => number) {
  let segments: SegmentFile[] = []
  let writtenOctets = 0
  let mostSegments = 0
  let total = 0
  for (const [i, octets] of [...sizes].entries()) {
    total += octets
    const live = liveOctets(total)
    const how = {
      octets,
      liveOctets: live,
      mergeOctets: Number.POSITIVE_INFINITY,
      mergedAtLeast: 8,
    }
    const merged = mergedSegments(segments, how)
    const kept = segments.slice(0, segments.length - merged.length)
    const sum = merged.reduce((sum, segment) => sum + segment.octets, octets)
    const written = kept.length === 0 ? live : Math.min(sum, live)
    writtenOctets += written
    segments = [...kept, { generation: i, octets: written, rows: 1 }]
    mostSegments = Math.max(mostSegments, segments.length)
  }
  const storedOctets = segments.reduce((sum, { octets }) => sum + octets, 0)
  return { writtenOctets, mostSegments, storedOctets, total }
}

t.test('segments that grow a store stay few, and are written again a few times', async t => {
  for (const octets of [1000, mebi, 16 * mebi]) {
    const { writtenOctets, mostSegments, total } = grow(new Array(4000).fill(octets), all => all)
    t.ok(mostSegments <= 64, `${mostSegments} segments`)
    t.ok(writtenOctets <= 6 * total, `${writtenOctets / total} times`)
  }
})

t.test('garbage never takes more than what is alive, and a little', async t => {
  const live = 100 * mebi
  const { storedOctets, writtenOctets, total } = grow(new Array(500).fill(4 * mebi), () => live)
  t.ok(storedOctets <= 2 * live + 16 * mebi + 4 * mebi, `${storedOctets / live} times`)
  t.ok(writtenOctets <= 4 * total, `${writtenOctets / total} times`)
})

t.test('who is waited for writes little again', async t => {
  const segments = Array.from({ length: 20 }, (_, i) => ({ generation: i, octets: 100, rows: 1 }))
  const how = { octets: 100, liveOctets: 1e9, mergedAtLeast: 8 }
  t.equal(mergedSegments(segments, { ...how, mergeOctets: 1e9 }).length, 20)
  t.equal(mergedSegments(segments, { ...how, mergeOctets: 1500 }).length, 14)
  t.equal(mergedSegments(segments, { ...how, mergeOctets: 500 }).length, 0)
})
