import type { Attributes } from '../attributes.ts'
import { attributeOf } from '../attributes.ts'
import type { DataPoint } from '../data-point.ts'
import { add, type Decimal, decimal, divideByCount, getDecimal, zero } from '../decimal.ts'
import { getOrPut } from '../get-or-put.ts'
import { defaultTierBoundaries } from '../hashmap/price-model.ts'
import { splitByTier } from '../hashmap/tiers.ts'
import { ownerAttributes, type UsageCount, type UsageMetric } from '../metering/hourly-usage.ts'
import { hourMillis } from '../metering/tally.ts'
import { type Metric, meteredMetrics } from '../metrics.ts'
import type { Period } from '../period.ts'
import { compareKeys } from '../sort-steps.ts'

/** Makes points without a price of the usage of a project in a period. The same usage always gives the same points: queries are
 *  split at the tiers of the month, in the order of their attributes. */
export class UsagePoints {
  readonly #period: Period
  #monthToDate: Decimal

  /** @param monthToDate million queries of the project in this month before the period */
  constructor(period: Period, monthToDate: Decimal) {
    this.#period = period
    this.#monthToDate = monthToDate
  }

  /** Million queries of the project in this month, with those of which points were made. */
  get monthToDate(): Decimal {
    return this.#monthToDate
  }

  /** The points of one zone and metric. For queries, zones must come in the order of their ids.
   *  @param counts in any order */
  of(counts: readonly UsageCount[]): readonly DataPoint[] {
    const [first] = counts
    if (first === undefined) return []
    const metric = metricByCount[first.metric]
    if (counts.length === 1)
      return this.#pointsOf(metric, attributesFor(metric, first), first.amount)
    const sums = new Map<string, { readonly groupby: Attributes; amount: Decimal }>()
    for (const count of counts) {
      const groupby = attributesFor(metric, count)
      const sum = getOrPut(sums, JSON.stringify(groupby), () => ({ groupby, amount: zero }))
      sum.amount = add(sum.amount, count.amount)
    }
    return [...sums]
      .sort(compareKeys)
      .flatMap(([, { groupby, amount }]) => this.#pointsOf(metric, groupby, amount))
  }

  #pointsOf(metric: Metric, groupby: Attributes, amount: Decimal): readonly DataPoint[] {
    const { name, unit } = metric
    const qty = inUnit(name, amount)
    return this.#inTiers({ ...this.#period, metric: name, unit, qty, groupby })
  }

  #inTiers(point: Omit<DataPoint, 'price' | 'metadata'>): readonly DataPoint[] {
    if (point.metric !== tieredMetric) return [{ ...point, price: zero, metadata: {} }]
    const parts = splitByTier(point.qty, { monthToDate: this.#monthToDate, boundaries })
    this.#monthToDate = add(this.#monthToDate, point.qty)
    return parts.map(({ tier, qty }) => ({
      ...point,
      qty,
      price: zero,
      metadata: { tier: String(tier) },
    }))
  }
}

/** Responses in the unit that tiers go by. */
export function inTierUnit(responses: Decimal): Decimal {
  return inUnit(tieredMetric, responses)
}

/** The metric of points that counts become. */
export function metricOf({ metric }: Pick<UsageCount, 'metric'>): Metric {
  return metricByCount[metric]
}

/** The place of a metric among those of a project in the order of the store. */
export function rankOfMetric(name: string): number {
  return namesInOrder.indexOf(name)
}

const namesInOrder = meteredMetrics.map(({ name }) => name).sort()

type PointMetric = Metric & { readonly keys: readonly string[] }

const metricByCount: Readonly<Record<UsageMetric, PointMetric>> = {
  zone: metricNamed('dns.zone'),
  signed_zone: metricNamed('dns.zone.signed'),
  recordset: metricNamed('dns.recordset'),
  responses: metricNamed('dns.queries'),
  octets: metricNamed('dns.bytes'),
}

function metricNamed(name: string): PointMetric {
  const metric = meteredMetrics.find(each => each.name === name)
  if (metric === undefined) throw new RangeError(`not a metric: ${name}`)
  return { ...metric, keys: metric.groupby.toSorted() }
}

/** The boundaries are in the unit of this metric. */
const tieredMetric = 'dns.queries'
const boundaries = (defaultTierBoundaries[tieredMetric] ?? []).map(getDecimal)

/** In canonical order. */
function attributesFor({ keys }: PointMetric, { owner, transport, rcode }: UsageCount): Attributes {
  const known: Attributes = { ...ownerAttributes(owner), transport, rcode }
  const attributes: Record<string, string> = {}
  for (const key of keys) attributes[key] = attributeOf(known, key) ?? ''
  return attributes
}

const hourMetrics: ReadonlySet<string> = new Set(['dns.zone', 'dns.zone.signed', 'dns.recordset'])

/** Converts milliseconds to hours, and counts to millions. */
export function inUnit(metric: string, amount: Decimal): Decimal {
  return hourMetrics.has(metric)
    ? divideByCount(amount, hourMillis)
    : decimal(amount.coefficient, amount.scale + 6)
}
