import type { Instant } from '../../model/rating.ts'
import { inSlices, TimeSlice } from '../../time-slice.ts'
import type { DataPoint } from '../data-point.ts'
import { add, type Decimal, zero } from '../decimal.ts'
import { getOrPut } from '../get-or-put.ts'
import type { HourlyUsage, UsageCount } from '../metering/hourly-usage.ts'
import { type Month, monthOf, monthPeriod, type Period } from '../period.ts'
import { inTierUnit, pointsOfUsage } from './usage-points.ts'

/** The number of responses of a project in a month up to an instant. */
type MonthToDate = { readonly month: Month; readonly until: Instant; readonly responses: Decimal }

/** The usage of a period. */
export type PeriodUsage = { readonly period: Period; readonly points: readonly DataPoint[] }

/** Reads metered usage as points without a price. It remembers only sums of hours that are final. */
export class UsageReader {
  readonly #hours: Pick<HourlyUsage, 'read' | 'responses'>
  readonly #monthsToDate = new Map<string, MonthToDate>()

  constructor(hours: Pick<HourlyUsage, 'read' | 'responses'>) {
    this.#hours = hours
  }

  /** Returns the usage of a project in each of several periods, in order; between them is no usage. */
  async read(projectId: string, periods: readonly Period[]): Promise<readonly PeriodUsage[]> {
    const [first, last] = [periods[0], periods.at(-1)]
    if (first === undefined || last === undefined) return []
    const counts = await this.#countsByBegin(projectId, { begin: first.begin, end: last.end })
    let month = await this.#monthBefore(projectId, first.begin)
    const result: PeriodUsage[] = []
    for (const period of periods) {
      if (monthOf(period.begin) !== month.month)
        month = { month: monthOf(period.begin), until: period.begin, responses: zero }
      const ofPeriod = counts.get(period.begin) ?? []
      const monthToDate = inTierUnit(month.responses)
      const points = await inSlices(pointsOfUsage(ofPeriod, period, monthToDate))
      result.push({ period, points })
      const responses = ofPeriod.reduce(addResponses, month.responses)
      month = { ...month, until: period.end, responses }
    }
    this.#monthsToDate.set(projectId, month)
    return result
  }

  async #countsByBegin(projectId: string, period: Period): Promise<Map<Instant, UsageCount[]>> {
    const counts = new Map<Instant, UsageCount[]>()
    const slice = new TimeSlice()
    for await (const count of this.#hours.read(period, projectId)) {
      getOrPut(counts, count.begin, () => []).push(count)
      if (slice.isSpent) await slice.yield()
    }
    return counts
  }

  async #monthBefore(projectId: string, until: Instant): Promise<MonthToDate> {
    const month = monthOf(until)
    const known = this.#monthsToDate.get(projectId)
    if (known?.month === month && known.until === until) return known
    const { begin } = monthPeriod(month)
    const responses =
      begin < until ? await this.#hours.responses({ begin, end: until }, projectId) : zero
    return { month, until, responses }
  }
}

function addResponses(sum: Decimal, { metric, amount }: UsageCount): Decimal {
  return metric === 'responses' ? add(sum, amount) : sum
}
