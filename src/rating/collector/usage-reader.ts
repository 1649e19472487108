import type { Instant } from '../../model/rating.ts'
import type { DataPoint } from '../data-point.ts'
import { add, type Decimal, zero } from '../decimal.ts'
import type { HourlyUsage, UsageCount } from '../metering/hourly-usage.ts'
import { contains, type Month, monthOf, monthPeriod, type Period } from '../period.ts'
import { inTierUnit, pointsOfUsage } from './usage-points.ts'

/** How many responses a project got in a month up to an instant. */
type MonthToDate = { readonly month: Month; readonly until: Instant; readonly responses: Decimal }

/** Reads what was metered as points without a price. What it remembers are sums of hours that are final. */
export class UsageReader {
  readonly #hours: Pick<HourlyUsage, 'read' | 'responses'>
  readonly #monthsToDate = new Map<string, MonthToDate>()

  constructor(hours: Pick<HourlyUsage, 'read' | 'responses'>) {
    this.#hours = hours
  }

  /** Returns what a project has used in each of some periods, which follow each other. */
  async read(
    projectId: string,
    periods: readonly Period[],
  ): Promise<readonly { readonly period: Period; readonly points: readonly DataPoint[] }[]> {
    const [first, last] = [periods[0], periods.at(-1)]
    if (first === undefined || last === undefined) return []
    const counts = await this.#countsByPeriod(projectId, periods)
    let month = await this.#monthBefore(projectId, first.begin)
    const result = periods.map((period, i) => {
      if (monthOf(period.begin) !== month.month)
        month = { month: monthOf(period.begin), until: period.begin, responses: zero }
      const ofPeriod = counts[i] ?? []
      const points = pointsOfUsage(ofPeriod, period, inTierUnit(month.responses))
      const responses = ofPeriod.reduce(addResponses, month.responses)
      month = { ...month, until: period.end, responses }
      return { period, points }
    })
    this.#monthsToDate.set(projectId, month)
    return result
  }

  async #countsByPeriod(projectId: string, periods: readonly Period[]): Promise<UsageCount[][]> {
    const begin = periods[0]?.begin ?? 0
    const end = periods.at(-1)?.end ?? 0
    const counts = periods.map((): UsageCount[] => [])
    for await (const count of this.#hours.read({ begin, end }, projectId)) {
      counts[periods.findIndex(period => contains(period, count.begin))]?.push(count)
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
