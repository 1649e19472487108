import type { Instant } from '../model/rating.ts'
import type { DataPoint } from './data-point.ts'
import { chunkMatcher, rangeOf, type Selection } from './filters.ts'
import { getOrPut } from './get-or-put.ts'
import { hourSeconds, type Month, monthOf, monthPeriod, type Period } from './period.ts'
import type { Range } from './segments/amounts.ts'
import { type Chunk, pointsOf } from './segments/chunk.ts'
import type { Points } from './segments/point-store.ts'
import type { Snapshot } from './segments/snapshot.ts'
import { compareKeys } from './sort-steps.ts'

export type PointQuery = Selection & {
  /** Counts points, not frames. */
  readonly offset: number
  readonly limit: number
}

/** Whether any point matches: stops reading at the first. */
export async function hasPoints(store: Points, selection: Selection): Promise<boolean> {
  await using snapshot = store.snapshot(rangeOf(selection))
  const matching = chunkMatcher(selection.filters)
  for await (const chunks of snapshot.scan())
    if (chunks.some(chunk => matching(chunk) !== undefined)) return true
  return false
}

const maxHoursOfMonth = 31 * 24

/** Points collected at once; a page is yielded in such portions. */
const portionPoints = 20_000

/** A page of points in order of begin and end, and the total number of points. The store keeps points by project and
 *  series, so a page is found by counting: first by hour, then, in the hours it touches, by period; then its points
 *  are picked by rank. Only a portion of the page is in memory at a time. */
export class PointListing implements AsyncDisposable {
  readonly #snapshot: Snapshot
  readonly #query: PointQuery
  readonly #matching: (chunk: Chunk) => Chunk | undefined
  /** Number of points by the hour of the month they begin in. */
  readonly #hourCounts = new Map<Month, Uint32Array>()
  #total = 0

  private constructor(store: Points, query: PointQuery) {
    this.#snapshot = store.snapshot(rangeOf(query))
    this.#matching = chunkMatcher(query.filters)
    this.#query = query
  }

  /** Counts the matching points; dispose of the listing (`await using`) when the page is read. */
  static async open(store: Points, query: PointQuery): Promise<PointListing> {
    const listing = new PointListing(store, query)
    try {
      await listing.#countHours()
    } catch (error) {
      await listing[Symbol.asyncDispose]()
      throw error
    }
    return listing
  }

  /** The number of matching points before paging. */
  get total(): number {
    return this.#total
  }

  /** Yields the points of the page, by begin, end, and then the order of the store. */
  async *points(): AsyncGenerator<readonly DataPoint[]> {
    const { offset, limit } = this.#query
    let rank = 0
    for (const { begin, count } of this.#hours()) {
      const from = Math.max(offset - rank, 0)
      const to = Math.min(offset + limit - rank, count)
      rank += count
      if (from < to) yield* this.#pointsOfHour(begin, { from, to })
    }
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.#snapshot[Symbol.asyncDispose]()
  }

  async #countHours(): Promise<void> {
    for await (const chunks of this.#snapshot.scan()) {
      for (const chunk of chunks) this.#countChunk(this.#matching(chunk))
    }
  }

  /** A chunk lies within one month. */
  #countChunk(chunk: Chunk | undefined): void {
    if (chunk === undefined) return
    this.#total += chunk.count
    const month = monthOf(chunk.firstBegin)
    const counts = getOrPut(this.#hourCounts, month, () => new Uint32Array(maxHoursOfMonth))
    const monthBegin = monthPeriod(month).begin
    for (const begin of chunk.begins()) {
      const hour = Math.floor((begin - monthBegin) / hourSeconds)
      counts[hour] = (counts[hour] ?? 0) + 1
    }
  }

  /** The hours in order. */
  *#hours(): Generator<{ readonly begin: Instant; readonly count: number }> {
    for (const [month, counts] of [...this.#hourCounts].sort(compareKeys)) {
      const { begin } = monthPeriod(month)
      for (const [hour, count] of counts.entries())
        yield { begin: begin + hour * hourSeconds, count }
    }
  }

  async *#pointsOfHour(begin: Instant, ranks: Range): AsyncGenerator<readonly DataPoint[]> {
    const hour = { begin, end: begin + hourSeconds }
    const ranking = await this.#rankPeriods(hour)
    for (let from = ranks.from; from < ranks.to; from += portionPoints) {
      const to = Math.min(from + portionPoints, ranks.to)
      yield await this.#pick(hour, ranking, { from, to })
    }
  }

  /** The rank of the first point of each period in an hour. */
  async #rankPeriods(hour: Period): Promise<PeriodRanking> {
    const counts = new Map<string, { readonly period: Period; count: number }>()
    for await (const chunks of this.#snapshot.scan(hour)) {
      for (const chunk of chunks) {
        const { begins, ends } = this.#matching(chunk)?.columns() ?? { begins: [], ends: [] }
        for (const [i, begin] of begins.entries()) {
          const period = { begin, end: ends[i] ?? begin }
          getOrPut(counts, keyOf(period), () => ({ period, count: 0 })).count++
        }
      }
    }
    let rank = 0
    const ranking = new Map<string, number>()
    const inOrder = [...counts.values()].sort(({ period: a }, { period: b }) =>
      comparePeriods(a, b),
    )
    for (const { period, count } of inOrder) {
      ranking.set(keyOf(period), rank)
      rank += count
    }
    return ranking
  }

  async #pick(hour: Period, ranking: PeriodRanking, ranks: Range): Promise<readonly DataPoint[]> {
    const nextRank = new Map(ranking)
    const picked: { readonly rank: number; readonly point: DataPoint }[] = []
    for await (const chunks of this.#snapshot.scanInOrder(hour))
      for (const chunk of chunks) {
        const matching = this.#matching(chunk)
        if (matching === undefined) continue
        for (const point of pointsOf(matching)) {
          const key = keyOf(point)
          const rank = nextRank.get(key) ?? 0
          nextRank.set(key, rank + 1)
          if (rank >= ranks.from && rank < ranks.to) picked.push({ rank, point })
        }
      }
    return picked.sort((a, b) => a.rank - b.rank).map(({ point }) => point)
  }
}

type PeriodRanking = ReadonlyMap<string, number>

function keyOf({ begin, end }: Period): string {
  return `${begin} ${end}`
}

function comparePeriods(a: Period, b: Period): number {
  return a.begin - b.begin || a.end - b.end
}
