import type { Instant } from '../../model/rating.ts'
import { contains, type Period } from '../period.ts'
import { type Chunk, chunkOf } from './chunk.ts'
import { columnsWithin, filterColumns } from './columns.ts'

/** The part of a chunk that begins in a period and in none of the hidden ones; undefined where none does. The
 *  chunk itself, not decoded, where all of it does. */
export function restrictChunk(
  chunk: Chunk,
  period: Period,
  hidden: readonly Period[],
): Chunk | undefined {
  const span = { begin: chunk.firstBegin, end: chunk.lastBegin + 1 }
  if (!overlaps(period, span) || hidden.some(each => covers(each, span))) return undefined
  const hiding = hidden.filter(each => overlaps(each, span))
  if (covers(period, span) && hiding.length === 0) return chunk
  const within = columnsWithin(chunk.columns(), period)
  const kept = filterColumns(within, i => !isIn(hiding, within.begins[i] ?? 0))
  return kept.begins.length === 0 ? undefined : chunkOf(chunk.series, kept)
}

function isIn(periods: readonly Period[], begin: Instant): boolean {
  return periods.some(period => contains(period, begin))
}

export function overlaps(a: Period, b: Period): boolean {
  return a.begin < b.end && b.begin < a.end
}

export function covers(outer: Period, inner: Period): boolean {
  return outer.begin <= inner.begin && inner.end <= outer.end
}
