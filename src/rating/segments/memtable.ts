import type { Instant } from '../../model/rating.ts'
import { ShardedMap } from '../../sharded-map.ts'
import type { Steps } from '../../time-slice.ts'
import { getOrPut } from '../get-or-put.ts'
import { contains, type Month, monthOf, monthPeriod, type Period } from '../period.ts'
import { compareTexts, sortSteps } from '../sort-steps.ts'
import { type Amount, sumOfAmounts } from './amounts.ts'
import type { SeriesPoints } from './batch.ts'
import type { Chunk } from './chunk.ts'
import { type Columns, type PointValues, packColumns } from './columns.ts'
import type { Removal } from './removals.ts'
import { overlaps } from './restrict.ts'
import type { Series } from './series.ts'

/** Points of one series and month. `points` is appended to or replaced, never edited, so a reader that keeps the array
 *  and its length keeps what it saw. */
type Entry = {
  readonly series: Series
  readonly key: string
  points: PointValues[]
  firstBegin: Instant
  lastBegin: Instant
}

/** By project, then by series key. */
type EntriesByProject = Map<string, ShardedMap<Entry>>

/** The points that are in the log but not yet in a segment. */
export class Memtable {
  /** The generation its points are stored in; removals of a later one hide them. */
  readonly generation: number
  readonly #months = new Map<Month, EntriesByProject>()
  #lastMonth: { readonly month: Month; readonly period: Period } | undefined
  #pointCount = 0

  constructor(generation: number) {
    this.generation = generation
  }

  get pointCount(): number {
    return this.#pointCount
  }

  /** The months it has points of, in order. */
  get months(): readonly Month[] {
    return [...this.#months.keys()].sort()
  }

  /** The last begin of its points. */
  get lastBegin(): Instant | undefined {
    let last: Instant | undefined
    for (const byProject of this.#months.values())
      for (const entries of byProject.values())
        for (const { lastBegin } of entries.values()) last = Math.max(last ?? lastBegin, lastBegin)
    return last
  }

  add({ series, key, points }: SeriesPoints): void {
    for (const point of points) {
      const entry = this.#entryFor(point.begin, series, key)
      entry.points.push(point)
      entry.firstBegin = Math.min(entry.firstBegin, point.begin)
      entry.lastBegin = Math.max(entry.lastBegin, point.begin)
    }
    this.#pointCount += points.length
  }

  remove({ projectId, origin, period }: Removal): void {
    for (const [month, byProject] of this.#months) {
      if (!overlaps(period, monthPeriod(month))) continue
      const ids = projectId === undefined ? [...byProject.keys()] : [projectId]
      for (const id of ids) {
        const entries = byProject.get(id)
        for (const entry of entries?.values() ?? []) {
          if (origin !== undefined && entry.series.origin !== origin) continue
          this.#removeFrom(entry, period)
          if (entry.points.length === 0) entries?.delete(entry.key)
        }
      }
    }
  }

  /** The points of a month as chunks of any length, one a series, in any order: as of now, whatever is added or
   *  removed later. They are packed when they are read. */
  chunks(month: Month, projectIds?: ReadonlySet<string>): readonly MemoryChunk[] {
    const byProject: EntriesByProject = this.#months.get(month) ?? new Map()
    const chunks: MemoryChunk[] = []
    for (const id of projectIds ?? byProject.keys()) {
      for (const entry of byProject.get(id)?.values() ?? []) chunks.push(new MemoryChunk(entry))
    }
    return chunks
  }

  #entryFor(begin: Instant, series: Series, key: string): Entry {
    const month = this.#monthOf(begin)
    const byProject = getOrPut(this.#months, month, (): EntriesByProject => new Map())
    const entries = getOrPut(byProject, series.projectId, () => new ShardedMap<Entry>())
    return getOrPut(entries.shardOf(key), key, () => ({
      series,
      key,
      points: [],
      firstBegin: begin,
      lastBegin: begin,
    }))
  }

  /** Points come by the hour: the month is nearly always the one of the point before. */
  #monthOf(begin: Instant): Month {
    if (this.#lastMonth === undefined || !contains(this.#lastMonth.period, begin)) {
      const month = monthOf(begin)
      this.#lastMonth = { month, period: monthPeriod(month) }
    }
    return this.#lastMonth.month
  }

  #removeFrom(entry: Entry, period: Period): void {
    const kept = entry.points.filter(point => !contains(period, point.begin))
    this.#pointCount -= entry.points.length - kept.length
    entry.points = kept
    // Sums are read without the points, and must not count removed ones.
    entry.firstBegin = kept.reduce((least, { begin }) => Math.min(least, begin), Infinity)
    entry.lastBegin = kept.reduce((most, { begin }) => Math.max(most, begin), -Infinity)
  }
}

/** Puts chunks in order of project and series key, in small steps. */
export function sortChunks(chunks: readonly MemoryChunk[]): Steps<readonly MemoryChunk[]> {
  return sortSteps(
    chunks,
    (a, b) => compareTexts(a.series.projectId, b.series.projectId) || compareTexts(a.key, b.key),
  )
}

/** The points of an entry as they were when it was made. A class, since a hundred thousand may be made in one
 *  step, and packed later or never. */
export class MemoryChunk implements Chunk {
  readonly series: Series
  /** The series' key. */
  readonly key: string
  readonly count: number
  readonly firstBegin: Instant
  readonly lastBegin: Instant
  readonly #points: readonly PointValues[]
  #packed: Columns | undefined

  constructor({ series, key, points, firstBegin, lastBegin }: Entry) {
    this.series = series
    this.key = key
    this.count = points.length
    this.firstBegin = firstBegin
    this.lastBegin = lastBegin
    this.#points = points
  }

  get qtySum(): Amount {
    return sumOfAmounts(this.columns().qty)
  }

  get priceSum(): Amount {
    return sumOfAmounts(this.columns().price)
  }

  columns(): Columns {
    this.#packed ??= packColumns(this.#points.slice(0, this.count))
    return this.#packed
  }

  begins(): Float64Array {
    return this.columns().begins
  }
}
