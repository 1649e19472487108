import type { Steps } from '../../time-slice.ts'
import { canonicalAttributes } from '../attributes.ts'
import type { DataPoint } from '../data-point.ts'
import { add, type Decimal, decimal, divideByCount, getDecimal, zero } from '../decimal.ts'
import { getOrPut } from '../get-or-put.ts'
import { defaultTierBoundaries } from '../hashmap/price-model.ts'
import { splitByTier } from '../hashmap/tiers.ts'
import { ownerAttributes, type UsageCount, type UsageMetric } from '../metering/hourly-usage.ts'
import { hourMillis } from '../metering/tally.ts'
import { type Metric, meteredMetrics } from '../metrics.ts'
import type { Period } from '../period.ts'
import { compareKeys, sortSteps } from '../sort-steps.ts'

/** Returns the usage of a project in a period as points without a price. The result depends only on the arguments, so
 *  the same usage always gives the same points. Queries are split at the tiers of the month, in the order of their
 *  attributes. Works in small steps: a project may have many zones.
 *  @param counts of one project and one period
 *  @param monthToDate million queries of the project in this month before the period */
export function* pointsOfUsage(
  counts: Iterable<UsageCount>,
  period: Period,
  monthToDate: Decimal,
): Steps<readonly DataPoint[]> {
  const sums = new Map<string, { point: DataPoint; amount: Decimal }>()
  for (const count of counts) {
    const point = emptyPoint(count, period)
    const sum = getOrPut(sums, JSON.stringify([point.metric, point.groupby]), () => ({
      point,
      amount: zero,
    }))
    sum.amount = add(sum.amount, count.amount)
    yield
  }
  const points: DataPoint[] = []
  let used = monthToDate
  for (const [, { point, amount }] of yield* sortSteps([...sums], compareKeys)) {
    const qty = inUnit(point.metric, amount)
    const parts = inTiers({ ...point, qty }, used)
    points.push(...parts)
    if (point.metric === tieredMetric) used = add(used, qty)
    yield
  }
  return points
}

/** Responses in the unit that tiers go by. */
export function inTierUnit(responses: Decimal): Decimal {
  return inUnit(tieredMetric, responses)
}

const metricByCount: Readonly<Record<UsageMetric, Metric>> = {
  zone: metricNamed('dns.zone'),
  signed_zone: metricNamed('dns.zone.signed'),
  recordset: metricNamed('dns.recordset'),
  responses: metricNamed('dns.queries'),
  octets: metricNamed('dns.bytes'),
}

function metricNamed(name: string): Metric {
  const metric = meteredMetrics.find(each => each.name === name)
  if (metric === undefined) throw new RangeError(`not a metric: ${name}`)
  return metric
}

/** The boundaries are in the unit of this metric. */
const tieredMetric = 'dns.queries'
const boundaries = (defaultTierBoundaries[tieredMetric] ?? []).map(getDecimal)

function emptyPoint(count: UsageCount, period: Period): DataPoint {
  const { name, unit, groupby } = metricByCount[count.metric]
  const { owner, transport, rcode } = count
  const known: Readonly<Record<string, string>> = { ...ownerAttributes(owner), transport, rcode }
  const chosen = Object.fromEntries(groupby.map(key => [key, known[key] ?? '']))
  return {
    metric: name,
    ...period,
    unit,
    qty: zero,
    price: zero,
    groupby: canonicalAttributes(chosen),
    metadata: {},
  }
}

const hourMetrics: ReadonlySet<string> = new Set(['dns.zone', 'dns.zone.signed', 'dns.recordset'])

/** Converts milliseconds to hours, and counts to millions. */
function inUnit(metric: string, amount: Decimal): Decimal {
  return hourMetrics.has(metric)
    ? divideByCount(amount, hourMillis)
    : decimal(amount.coefficient, amount.scale + 6)
}

function inTiers(point: DataPoint, monthToDate: Decimal): readonly DataPoint[] {
  if (point.metric !== tieredMetric) return [point]
  return splitByTier(point.qty, { monthToDate, boundaries }).map(({ tier, qty }) => ({
    ...point,
    qty,
    metadata: { tier: String(tier) },
  }))
}
