import type { SegmentEntry } from './manifest.ts'
import type { ClosedRemoval } from './removals.ts'
import { covers, overlaps } from './restrict.ts'

export type CompactionLimits = {
  /** Points of a segment at most; a segment with half as many is not merged any more. Larger segments have longer
   *  chunks: a month of ten million points is some five segments. */
  readonly segmentPoints: number
  /** Segments of a month and like size that are merged into one; at least 2. */
  readonly mergeCount: number
  /** Removals that readers apply; more of them are applied by rewriting the segments. */
  readonly removalCount: number
}

export const compactionLimits: CompactionLimits = {
  segmentPoints: 2 ** 21,
  mergeCount: 4,
  removalCount: 256,
}

/** Chooses segments to rewrite as one; undefined where there is nothing to gain. The result counts as of the latest closed
 *  generation, so the same choice is not made again. */
export function chooseCompaction(
  segments: readonly SegmentEntry[],
  removals: readonly ClosedRemoval[],
  limits: CompactionLimits,
): readonly SegmentEntry[] | undefined {
  const gone = segments.find(entry =>
    removals.some(
      ({ generation, projectId, origin, period }) =>
        projectId === undefined &&
        origin === undefined &&
        generation > entry.generation &&
        covers(period, entry.span),
    ),
  )
  if (gone !== undefined) return [gone]
  if (removals.length > limits.removalCount) {
    const hidden = segments.find(entry =>
      removals.some(
        ({ generation, period }) => generation > entry.generation && overlaps(period, entry.span),
      ),
    )
    if (hidden !== undefined) return [hidden]
  }
  return smallSegments(segments, limits)
}

/** Segments of a month and of similar size, where there are enough of them. So a point is rewritten once each time its
 *  segment grows by that factor, and not for every few new points. */
function smallSegments(
  segments: readonly SegmentEntry[],
  { segmentPoints, mergeCount }: CompactionLimits,
): readonly SegmentEntry[] | undefined {
  const sizeOf = ({ pointCount }: SegmentEntry) =>
    Math.floor(Math.log(pointCount) / Math.log(mergeCount))
  const small = segments.filter(entry => entry.pointCount < segmentPoints / 2)
  const alike = Map.groupBy(small, entry => `${entry.month} ${sizeOf(entry)}`)
  for (const entries of alike.values()) {
    if (entries.length >= mergeCount) return entries.slice(0, mergeCount)
  }
  return undefined
}
