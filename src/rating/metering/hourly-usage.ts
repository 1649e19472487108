import type { Instant } from '../../model/rating.ts'
import { TimeSlice } from '../../time-slice.ts'
import { attributeOf, canonicalAttributes } from '../attributes.ts'
import { type DataPoint, scopeKey } from '../data-point.ts'
import { add, type Decimal, decimal, zero } from '../decimal.ts'
import { hourSeconds, type Period } from '../period.ts'
import { decimalOf } from '../segments/amounts.ts'
import { pointsOf } from '../segments/chunk.ts'
import type { Points } from '../segments/point-store.ts'
import type { Owner } from './account.ts'
import {
  type Hour,
  octetKinds,
  octetsAt,
  periodOf,
  recordsetMillisAt,
  responseKinds,
  type Tally,
  zoneMillisAt,
} from './tally.ts'

/** One number of an hour: its zone, owner, metric and kind. Never a price. */
export type UsageCount = {
  readonly metric: UsageMetric
  readonly begin: Instant
  readonly amount: Decimal
  readonly owner: Omit<Owner, 'isSigned'>
  /** Empty for what is not a response. */
  readonly transport: string
  readonly rcode: string
}

/** What one owner's zone used in an hour. */
export type ZoneTally = { readonly owner: Owner; readonly tally: Tally }

export type UsageMetric = 'zone' | 'signed_zone' | 'recordset' | 'responses' | 'octets'

const units: Readonly<Record<UsageMetric, string>> = {
  zone: 'ms',
  signed_zone: 'ms',
  recordset: 'ms',
  responses: 'response',
  octets: 'octet',
}

/** The origin of what the meter writes. */
const meterOrigin = 'meter'
/** Points of one write, which are added to the store in one turn of the event loop: about a millisecond. */
const pointsPerBatch = 4000

/** The usage of finished hours as it was counted, from which rating and every new rating start. It is kept as points
 *  without a price in a store of its own. */
export class HourlyUsage {
  readonly #points: Points
  readonly #onWritten: (projectIds: ReadonlySet<string>, period: Period) => Promise<void>

  /** @param onWritten called with the projects that have usage in an hour; the hour is final when that resolves */
  constructor(
    points: Points,
    onWritten: (projectIds: ReadonlySet<string>, period: Period) => Promise<void>,
  ) {
    this.#points = points
    this.#onWritten = onWritten
  }

  /** Stores an hour, replacing what is stored of it. */
  async write(hour: Hour, tallies: Iterable<ZoneTally>): Promise<void> {
    const slice = new TimeSlice()
    const period = periodOf(hour)
    const projectIds = new Set<string>()
    let points: DataPoint[] = []
    await this.#points.write({
      origin: meterOrigin,
      removals: [{ origin: meterOrigin, period }],
      points: [],
    })
    for (const { owner, tally } of tallies) {
      projectIds.add(owner.projectId)
      points.push(...pointsOfTally(owner, tally, period))
      if (points.length >= pointsPerBatch) {
        await this.#points.write({ origin: meterOrigin, points })
        points = []
      }
      if (slice.isSpent) await slice.yield()
    }
    if (points.length > 0) await this.#points.write({ origin: meterOrigin, points })
    await this.#onWritten(projectIds, period)
  }

  /** Yields the usage of a project in a period, or that of all projects one after the other. The order depends on the
   *  usage alone. */
  async *read(period: Period, projectId?: string): AsyncGenerator<UsageCount> {
    const projectIds = projectId === undefined ? undefined : new Set([projectId])
    await using snapshot = this.#points.snapshot({ ...period, ...(projectIds && { projectIds }) })
    for await (const chunk of snapshot.scanInOrder()) {
      for (const point of pointsOf(chunk)) yield countOf(point)
    }
  }

  /** The number of responses of any kind that a project got in a period. */
  async responses(period: Period, projectId: string): Promise<Decimal> {
    const metric: UsageMetric = 'responses'
    let sum = zero
    await using snapshot = this.#points.snapshot({ ...period, projectIds: new Set([projectId]) })
    for await (const chunks of snapshot.scan()) {
      for (const chunk of chunks)
        if (chunk.series.metric === metric) sum = add(sum, decimalOf(chunk.qtySum))
    }
    return sum
  }

  /** A lower bound, as coarse as a month, of the first instant from `from` on with usage. Undefined where there is none. */
  usedFrom(from: Instant): Instant | undefined {
    return this.#points.heldFrom(from)
  }

  /** The end of the last hour with usage; undefined without any. */
  get usedUntil(): Instant | undefined {
    const { lastBegin } = this.#points
    return lastBegin === undefined ? undefined : lastBegin + hourSeconds
  }
}

/** The same numbers as they are read from stored hours. */
export function countsOfTally(owner: Owner, tally: Tally, hour: Hour): readonly UsageCount[] {
  return pointsOfTally(owner, tally, periodOf(hour)).map(countOf)
}

function pointsOfTally(owner: Owner, tally: Tally, period: Period): readonly DataPoint[] {
  const points: DataPoint[] = []
  const put = (metric: UsageMetric, at: number, kind: Readonly<Record<string, string>> = {}) => {
    const amount = tally[at] ?? 0
    if (amount === 0) return
    points.push({
      metric,
      ...period,
      unit: units[metric],
      qty: decimal(BigInt(amount), 0),
      price: zero,
      groupby: canonicalAttributes({ ...ownerAttributes(owner), ...kind }),
      metadata: {},
    })
  }
  for (const [i, kind] of responseKinds.entries()) put('responses', i, kind)
  for (const [i, kind] of octetKinds.entries()) put('octets', octetsAt + i, kind)
  put('zone', zoneMillisAt)
  if (owner.isSigned) put('signed_zone', zoneMillisAt)
  put('recordset', recordsetMillisAt)
  return points
}

/** The attributes of points that name their owner. */
export function ownerAttributes(owner: UsageCount['owner']) {
  const { zoneId, zoneName, zoneType, poolId, projectId } = owner
  return {
    id: zoneId,
    pool_id: poolId,
    [scopeKey]: projectId,
    zone_name: zoneName,
    zone_type: zoneType,
  }
}

function countOf({ metric, begin, qty, groupby }: DataPoint): UsageCount {
  const text = (key: string) => attributeOf(groupby, key) ?? ''
  return {
    metric: metric as UsageMetric,
    begin,
    amount: qty,
    transport: text('transport'),
    rcode: text('rcode'),
    owner: {
      zoneId: text('id'),
      zoneName: text('zone_name'),
      zoneType: text('zone_type'),
      poolId: text('pool_id'),
      projectId: text(scopeKey),
    },
  }
}
