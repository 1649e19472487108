import type { Instant } from '../../model/rating.ts'
import { TimeSlice } from '../../time-slice.ts'
import type { DataPoint } from '../data-point.ts'
import { type Decimal, zero } from '../decimal.ts'
import { getOrPut } from '../get-or-put.ts'
import type { HourlyUsage, UsageCount } from '../metering/hourly-usage.ts'
import { type Month, monthOf, monthPeriod, type Period } from '../period.ts'
import type { Range } from '../segments/segment.ts'
import { inTierUnit, UsagePoints } from './usage-points.ts'

/** Million queries of a project in a month up to an instant. */
type MonthToDate = { readonly month: Month; readonly until: Instant; readonly queries: Decimal }

/** The counts of some zones, those of one metric and zone together. */
type Runs = readonly (readonly UsageCount[])[]

/** The usage of a period. */
export type PeriodUsage = { readonly period: Period; readonly points: readonly DataPoint[] }

/** What a reader reads of hours. */
export type ReadableHours = Pick<HourlyUsage, 'parts' | 'responses'>

/** Reads metered usage as points without a price. It remembers only sums of hours that are final. */
export class UsageReader {
  readonly #hours: ReadableHours
  readonly #requireWanted: () => void
  readonly #monthsToDate = new Map<string, MonthToDate>()

  /** @param requireWanted called now and then while usage is read; what it throws ends that */
  constructor(hours: ReadableHours, requireWanted: () => void) {
    this.#hours = hours
    this.#requireWanted = requireWanted
  }

  /** Returns the usage of a project in each of several periods, in order, without usage between them; undefined where it consists
   *  of more than `limit` counts. */
  async read(
    projectId: string,
    periods: readonly Period[],
    limit: number,
  ): Promise<readonly PeriodUsage[] | undefined> {
    const [first, last] = [periods[0], periods.at(-1)]
    if (first === undefined || last === undefined) return []
    const runsByBegin = new Map<Instant, (readonly UsageCount[])[]>()
    let count = 0
    for await (const runs of this.#runs(projectId, { begin: first.begin, end: last.end }))
      for (const run of runs) {
        count += run.length
        if (count > limit) return undefined
        for (const [begin, ofPeriod] of Map.groupBy(run, each => each.begin))
          getOrPut(runsByBegin, begin, () => []).push(ofPeriod)
      }
    const usage: PeriodUsage[] = []
    for (const period of periods) {
      const points: DataPoint[] = []
      const runs = runsByBegin.get(period.begin) ?? []
      for await (const some of this.#points(projectId, period, [runs])) points.push(...some)
      usage.push({ period, points })
    }
    return usage
  }

  /** Yields the usage of a project in one period, some points at a time: metric by metric, and zones in the order of their ids. */
  stream(projectId: string, period: Period): AsyncGenerator<readonly DataPoint[]> {
    return this.#points(projectId, period, this.#runs(projectId, period))
  }

  async *#points(
    projectId: string,
    period: Period,
    parts: AsyncIterable<Runs> | Iterable<Runs>,
  ): AsyncGenerator<readonly DataPoint[]> {
    const month = monthOf(period.begin)
    const points = new UsagePoints(period, await this.#monthToDate(projectId, month, period.begin))
    const slice = new TimeSlice()
    for await (const runs of parts) {
      const made: DataPoint[] = []
      for (const run of runs) {
        made.push(...points.of(run))
        if (slice.isSpent) await slice.yield()
      }
      yield made
    }
    const { monthToDate: queries } = points
    this.#monthsToDate.set(projectId, { month, until: period.end, queries })
  }

  async *#runs(projectId: string, period: Period): AsyncGenerator<Runs> {
    const slice = new TimeSlice()
    let run: UsageCount[] = []
    for await (const counts of this.#hours.parts(this.#range(projectId, period))) {
      const runs: (readonly UsageCount[])[] = []
      for (const count of counts) {
        const [first = count] = run
        if (first.metric !== count.metric || first.owner.zoneId !== count.owner.zoneId) {
          runs.push(run)
          run = []
        }
        run.push(count)
        if (slice.isSpent) await slice.yield()
      }
      yield runs
    }
    yield [run]
  }

  async #monthToDate(projectId: string, month: Month, until: Instant): Promise<Decimal> {
    const known = this.#monthsToDate.get(projectId)
    if (known?.month === month && known.until === until) return known.queries
    const { begin } = monthPeriod(month)
    if (begin >= until) return zero
    const range = this.#range(projectId, { begin, end: until })
    return inTierUnit(await this.#hours.responses(range))
  }

  #range(projectId: string, period: Period): Range {
    return { ...period, projectIds: new Set([projectId]), requireWanted: this.#requireWanted }
  }
}
