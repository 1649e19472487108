import t from 'tap'
import {
  inTierUnit,
  rankOfMetric,
  UsagePoints,
} from '../../../src/rating/collector/usage-points.ts'
import type { DataPoint } from '../../../src/rating/data-point.ts'
import { type Decimal, formatDecimal, getDecimal, zero } from '../../../src/rating/decimal.ts'
import type { UsageCount } from '../../../src/rating/metering/hourly-usage.ts'
import { meteredMetrics } from '../../../src/rating/metrics.ts'
import type { Period } from '../../../src/rating/period.ts'
import { ownerOf } from '../../helpers/metered-zones.ts'
import { at } from '../../helpers/usage.ts'

function pointsOfUsage(counts: readonly UsageCount[], ...month: [Period, Decimal]) {
  const points = new UsagePoints(...month)
  const byMetric = Map.groupBy(counts, ({ metric }) => metric)
  return [...byMetric.values()]
    .flatMap(ofMetric => points.of(ofMetric))
    .sort((a, b) => rankOfMetric(a.metric) - rankOfMetric(b.metric))
}

const period = { begin: at('2026-10-01'), end: at('2026-10-01T01') }

function count(metric: UsageCount['metric'], amount: string, more: Partial<UsageCount> = {}) {
  const base = { begin: period.begin, owner: ownerOf('a'), transport: '', rcode: '' }
  return { ...base, metric, amount: getDecimal(amount), ...more }
}

const responses = (amount: string, rcode = 'NOERROR', transport = 'udp') =>
  count('responses', amount, { rcode, transport })

const textOf = ({ metric, qty, unit, groupby, metadata }: DataPoint) =>
  [metric, formatDecimal(qty), unit, groupby.rcode, groupby.transport, metadata.tier]
    .filter(part => part !== undefined)
    .join(' ')

t.test('counts become points in the metrics’ units, and cost nothing', async t => {
  const points = pointsOfUsage(
    [
      count('zone', '1800000'),
      count('signed_zone', '900000'),
      count('recordset', '9000000'),
      responses('1234567'),
      count('octets', '1', { transport: 'udp' }),
    ],
    period,
    zero,
  )
  t.same(points.map(textOf), [
    'dns.bytes 0.000001 MB udp',
    'dns.queries 1.234567 Mquery NOERROR udp 0',
    'dns.recordset 2.5 recordset',
    'dns.zone 0.5 zone',
    'dns.zone.signed 0.25 zone',
  ])
  for (const { metric, groupby, metadata, begin, end, price } of points) {
    const known = meteredMetrics.find(({ name }) => name === metric)
    t.same(Object.keys(groupby), [...(known?.groupby ?? [])].sort(), metric)
    t.same(Object.keys(metadata), known?.metadata)
    t.same({ begin, end, price }, { ...period, price: zero })
  }
  t.match(points.at(-2)?.groupby, {
    id: 'a',
    project_id: 'p1',
    zone_name: 'a.example.',
    pool_id: 'pool',
    zone_type: 'PRIMARY',
  })
})

t.test('what differs only in what a metric does not tell is one point', async t => {
  const elsewhere = { ...ownerOf('a'), poolId: 'elsewhere' }
  const points = pointsOfUsage(
    [
      responses('5'),
      { ...responses('6'), owner: elsewhere },
      count('zone', '900000'),
      count('zone', '900000', { owner: elsewhere }),
    ],
    period,
    zero,
  )
  t.same(points.map(textOf), [
    'dns.queries 0.000011 Mquery NOERROR udp 0',
    'dns.zone 0.25 zone',
    'dns.zone 0.25 zone',
  ])
})

t.test('queries are cut where the month’s count reaches the next tier', async t => {
  const counts = [responses('30000000', 'NXDOMAIN'), responses('20000000'), count('zone', '1')]
  const points = pointsOfUsage(counts, period, getDecimal('990'))
  t.same(points.map(textOf).slice(0, 3), [
    'dns.queries 10 Mquery NOERROR udp 0',
    'dns.queries 10 Mquery NOERROR udp 1',
    'dns.queries 30 Mquery NXDOMAIN udp 1',
  ])
  t.same(pointsOfUsage(counts.reverse(), period, getDecimal('990')), points, 'in whatever order')
  t.equal(formatDecimal(inTierUnit(getDecimal('5'))), '0.000005')
})
