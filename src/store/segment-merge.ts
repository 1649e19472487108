import type { SegmentFile } from './manifest.ts'

/** The amount of garbage that does not justify rewriting all record sets. */
const freeOctets = 1 << 24
/** Segments that are merged at least: merging fewer would rewrite them repeatedly for little gain. */
const defaultMergedAtLeast = 8
const maxSegments = 64

/** Chooses the segments that a new one takes the place of: the latest so many, perhaps none. Of each power of two of
 *  octets there are about eight segments at most, so an octet is written again once for each power of eight of them that
 *  there are; and what is stale in all is never more than what is not, and 16 MiB. */
export function mergedSegments(
  segments: readonly SegmentFile[],
  {
    octets,
    liveOctets,
    mergeOctets = 0,
    mergedAtLeast = defaultMergedAtLeast,
  }: {
    /** Approximate octets of the new segment, without the merged ones. */
    readonly octets: number
    /** Approximate octets of a segment with all record sets. */
    readonly liveOctets: number
    /** Octets that may be rewritten. */
    readonly mergeOctets?: number
    /** Segments that are merged at least, the new one among them. */
    readonly mergedAtLeast?: number | undefined
  },
): readonly SegmentFile[] {
  const stored = segments.reduce((sum, segment) => sum + segment.octets, octets)
  const isWasteful = stored > 2 * liveOctets + freeOctets || segments.length >= maxSegments
  if (isWasteful && liveOctets <= mergeOctets) return segments
  let first = segments.length
  let sum = octets
  while (first > 0) {
    const { octets: older = 0 } = segments[first - 1] ?? {}
    if (older > sum || sum + older > mergeOctets) break
    sum += older
    first -= 1
  }
  return segments.length - first + 1 < mergedAtLeast ? [] : segments.slice(first)
}
