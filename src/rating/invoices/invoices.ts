import type { Clock } from '../../clock.ts'
import { ApiError } from '../../errors.ts'
import { type Caller, isAdmin } from '../../identity/caller.ts'
import type { Instant } from '../../model/rating.ts'
import type { Store } from '../../store/store.ts'
import { inSlices, mapInSlices, type Steps, TimeSlice } from '../../time-slice.ts'
import { attributeOf } from '../attributes.ts'
import { inUnit, metricOf } from '../collector/usage-points.ts'
import { scopeKey } from '../data-point.ts'
import { ExactSum } from '../exact-sum.ts'
import { getOrPut } from '../get-or-put.ts'
import type { UsageCount } from '../metering/hourly-usage.ts'
import { type Month, monthOf, monthPeriod, nowSeconds, type Period } from '../period.ts'
import { ratedUntil } from '../scopes/catch-up.ts'
import { dnsCollector } from '../scopes/scope-state.ts'
import type { PointStore } from '../segments/point-store.ts'
import { restrictChunk } from '../segments/restrict.ts'
import type { Range } from '../segments/segment.ts'
import type { Series } from '../segments/series.ts'
import { compareKeys, sortSteps } from '../sort-steps.ts'
import type { Invoice, InvoiceLine, UsedLine } from './invoice.ts'

/** Reads the usage of a project in a period before it is rated. */
export type MeteredUsage = (
  projectId: string,
  period: Period,
) => AsyncIterable<UsageCount> | Iterable<UsageCount>

type InvoicesOptions = {
  readonly store: Store
  readonly points: Pick<PointStore, 'snapshot'>
  readonly clock: Clock
}

/** Maximum number of lines: each takes memory until all are known. */
const maxLines = 500_000

/** The costs of months, zone by zone. */
export class Invoices {
  readonly #options: InvoicesOptions
  /** Set by the meter. */
  metered: MeteredUsage = () => []

  constructor(options: InvoicesOptions) {
    this.#options = options
  }

  /** The invoice of a month, of the current one up to now.
   *  @param requireWanted as of `Range`
   *  @throws ApiError forbidden another project's; bad_request not a month, a future one, or too many lines */
  async get(
    caller: Caller,
    projectId: string,
    month: Month,
    requireWanted: () => void = () => undefined,
  ): Promise<Invoice> {
    if (!isAdmin(caller) && caller.projectId !== projectId)
      throw new ApiError('forbidden', 'The invoice of another project')
    const now = nowSeconds(this.#options.clock)
    requireMonth(month, now)
    const period = monthPeriod(month)
    const until = this.#ratedUntil(projectId, period, now)
    const { lines, total } = await this.#rated(
      { ...period, projectIds: new Set([projectId]), requireWanted },
      until,
    )
    const notRated = await this.#notRated(
      projectId,
      { begin: until, end: period.end },
      requireWanted,
    )
    const projectName = this.#options.store.get('projects', projectId)?.name
    return { projectId, projectName, month, period, ratedUntil: until, lines, total, notRated }
  }

  #ratedUntil(projectId: string, period: Period, now: Instant): Instant {
    const { store } = this.#options
    let until = period.begin
    for (const state of store.list('scopeStates', 'byScope', projectId)) {
      if (state.scopeKey !== scopeKey || state.collector !== dnsCollector) continue
      until = Math.max(until, Math.min(ratedUntil(state), now, period.end))
    }
    return until
  }

  /** Points of our own collector are stored before its state says so: from `until` on, they are still usage that is not
   *  rated. */
  async #rated(range: Range, until: Instant) {
    const ratedPeriod = { begin: range.begin, end: until }
    await using snapshot = this.#options.points.snapshot(range)
    const lines = new OpenLines()
    const total = new ExactSum()
    for await (const chunks of snapshot.scan()) {
      for (const chunk of chunks) {
        const isOwn = chunk.series.origin === dnsCollector
        const rated = isOwn ? restrictChunk(chunk, ratedPeriod, []) : chunk
        if (rated === undefined) continue
        const { series, qtySum, priceSum } = rated
        const line = lines.of(lineOf(series))
        line.quantity.addScaled(qtySum.value, qtySum.scale)
        line.sum.addScaled(priceSum.value, priceSum.scale)
        total.addScaled(priceSum.value, priceSum.scale)
      }
    }
    return { lines: await inSlices(lines.sorted()), total: total.total() }
  }

  async #notRated(
    projectId: string,
    period: Period,
    requireWanted: () => void,
  ): Promise<readonly UsedLine[]> {
    if (period.begin >= period.end) return []
    const lines = new OpenLines()
    const slice = new TimeSlice()
    for await (const count of this.metered(projectId, period)) {
      const { name: metric, unit } = metricOf(count)
      const { zoneId, zoneName } = count.owner
      lines.of({ zoneId, zoneName, metric, unit, tier: '' }).quantity.add(count.amount)
      requireWanted()
      if (slice.isSpent) await slice.yield()
    }
    const sorted = await inSlices(lines.sorted())
    return mapInSlices(sorted, ({ tier: _, sum: __, quantity, ...used }) => ({
      ...used,
      quantity: inUnit(used.metric, quantity),
    }))
  }
}

type LineKey = Pick<InvoiceLine, 'zoneId' | 'zoneName' | 'metric' | 'unit' | 'tier'>

function lineOf({ groupby, metadata, metric, unit }: Series): LineKey {
  const zoneName = attributeOf(groupby, 'zone_name') ?? ''
  const zoneId = zoneName === '' ? '' : (attributeOf(groupby, 'id') ?? '')
  return { zoneId, zoneName, metric, unit, tier: attributeOf(metadata, 'tier') ?? '' }
}

type OpenLine = Omit<InvoiceLine, 'quantity' | 'sum'> & {
  readonly quantity: ExactSum
  readonly sum: ExactSum
}

class OpenLines {
  readonly #lines = new Map<string, OpenLine>()

  /** @throws ApiError bad_request there are too many */
  of({ zoneId, zoneName, metric, unit, tier }: LineKey): OpenLine {
    const key = JSON.stringify([zoneName, zoneId, metric, unit, tier])
    return getOrPut(this.#lines, key, () => {
      if (this.#lines.size >= maxLines)
        throw new ApiError('bad_request', `The invoice has more than ${maxLines} lines`)
      const [quantity, sum] = [new ExactSum(), new ExactSum()]
      return { zoneId, zoneName, metric, unit, tier, quantity, sum }
    })
  }

  *sorted(): Steps<readonly InvoiceLine[]> {
    const lines: InvoiceLine[] = []
    for (const [, line] of yield* sortSteps([...this.#lines], compareKeys)) {
      lines.push({ ...line, quantity: line.quantity.total(), sum: line.sum.total() })
      yield
    }
    return lines
  }
}

/** @throws ApiError bad_request not a month, or a future one */
export function requireMonth(month: Month, now: Instant): void {
  if (!/^[12]\d{3}-(?:0[1-9]|1[0-2])$/.test(month))
    throw new ApiError('bad_request', `A month is written like 2026-11, not ${month}`)
  if (month > monthOf(now)) throw new ApiError('bad_request', `${month} is still to come`)
}
