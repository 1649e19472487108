import type { Instant } from '../../model/rating.ts'
import { inSlices, mapInSlices, TimeSlice } from '../../time-slice.ts'
import { attributeOf, canonicalAttributes } from '../attributes.ts'
import { type DataPoint, scopeKey } from '../data-point.ts'
import { add, compare, type Decimal, decimal, zero } from '../decimal.ts'
import { hourSeconds, monthOf, type Period } from '../period.ts'
import { amountAt, decimalOf } from '../segments/amounts.ts'
import { type Chunk, chunkOfPoint } from '../segments/chunk.ts'
import type { Points } from '../segments/point-store.ts'
import type { Range } from '../segments/segment.ts'
import { seriesKey } from '../segments/series.ts'
import { compareTexts, sortSteps } from '../sort-steps.ts'
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

const none = { transport: '', rcode: '' }

/** Where a metric's numbers are in a tally, and what distinguishes them. */
const numbersOf: Readonly<
  Record<UsageMetric, readonly ({ at: number } & Pick<UsageCount, 'transport' | 'rcode'>)[]>
> = {
  zone: [{ at: zoneMillisAt, ...none }],
  signed_zone: [{ at: zoneMillisAt, ...none }],
  recordset: [{ at: recordsetMillisAt, ...none }],
  responses: responseKinds.map((kind, at) => ({ at, ...kind })),
  octets: octetKinds.map((kind, i) => ({ at: octetsAt + i, ...none, ...kind })),
}

/** In the order of the store. */
const metricsInOrder = (Object.keys(units) as UsageMetric[]).sort()

/** The origin of what the meter writes. */
const meterOrigin = 'meter'
/** Points of one write, which are added to the store in one turn of the event loop: about a millisecond. */
const pointsPerBatch = 4000
/** With more zones, an hour becomes a segment of its own: in memory, each of its points would take a kilobyte. */
const maxZonesInMemory = 5000

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

  /** Stores an hour, replacing what is stored of it. A crash in the middle leaves only part of it.
   *  @param tallies what they throw ends that, before anything is replaced
   *  @param requireWanted called now and then once they are read; what it throws likewise */
  async write(
    hour: Hour,
    tallies: Iterable<ZoneTally>,
    requireWanted: () => void = () => undefined,
  ): Promise<void> {
    const period = periodOf(hour)
    const zones = await mapInSlices(tallies, each => each)
    const removals = [{ origin: meterOrigin, period }]
    if (zones.length <= maxZonesInMemory) {
      await this.#points.write({ origin: meterOrigin, removals, points: [] })
      await this.#writeBatches(zones, period)
    } else {
      const sorted = await inSlices(sortSteps(zones, compareZones))
      const month = monthOf(period.begin)
      await using staged = await this.#points.stage(month, chunksOf(sorted, period, requireWanted))
      await staged.store(removals)
    }
    await this.#onWritten(new Set(zones.map(({ owner }) => owner.projectId)), period)
  }

  async #writeBatches(zones: readonly ZoneTally[], period: Period): Promise<void> {
    const slice = new TimeSlice()
    let points: DataPoint[] = []
    for (const [i, zone] of zones.entries()) {
      for (const count of countsOfTally(zone, period)) points.push(pointOf(count, period))
      if (points.length >= pointsPerBatch || i === zones.length - 1) {
        await this.#points.write({ origin: meterOrigin, points })
        points = []
      }
      if (slice.isSpent) await slice.yield()
    }
  }

  /** Yields the usage of a project in a period, or that of all projects one after the other. The order depends on the
   *  usage alone. */
  async *read(period: Period, projectId?: string): AsyncGenerator<UsageCount> {
    const projectIds = projectId === undefined ? undefined : new Set([projectId])
    for await (const counts of this.parts({ ...period, projectIds })) yield* counts
  }

  /** Yields the usage of a range in the same order, a block at a time: of a project metric by metric, and zones in the order of
   *  their ids. */
  async *parts(range: Range): AsyncGenerator<Iterable<UsageCount>> {
    await using snapshot = this.#points.snapshot(range)
    for await (const chunks of snapshot.scanInOrder()) yield countsOfChunks(chunks)
  }

  /** The number of responses of any kind in a range. */
  async responses(range: Range): Promise<Decimal> {
    const metric: UsageMetric = 'responses'
    let sum = zero
    await using snapshot = this.#points.snapshot(range)
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
export function countsOfTally(zone: ZoneTally, period: Period): readonly UsageCount[] {
  return metricsInOrder.flatMap(metric => countsOf(metric, zone, period))
}

/** The chunks of an hour in the order of the store, each made when it is asked for. Yields to the event loop even where many zones
 *  have nothing of a metric.
 *  @param zones by project and zone
 *  @param requireWanted as of `write` */
async function* chunksOf(
  zones: readonly ZoneTally[],
  period: Period,
  requireWanted: () => void,
): AsyncGenerator<Chunk> {
  const slice = new TimeSlice()
  for (const ofProject of runs(zones, ({ owner }) => owner.projectId)) {
    for (const metric of metricsInOrder)
      for (const ofZone of runs(ofProject, ({ owner }) => owner.zoneId)) {
        requireWanted()
        const counts = ofZone.flatMap(zone => countsOf(metric, zone, period))
        const chunks = counts.map(count => chunkOfPoint(pointOf(count, period), meterOrigin))
        if (chunks.length > 1) chunks.sort(compareChunks)
        yield* chunks
        if (slice.isSpent) await slice.yield()
      }
  }
}

function compareChunks(a: Chunk, b: Chunk): number {
  const bySeries = compareTexts(seriesKey(a.series), seriesKey(b.series))
  return bySeries || compare(decimalOf(a.qtySum), decimalOf(b.qtySum))
}

/** The stretches of items with the same key. */
function* runs<T>(items: readonly T[], keyOf: (item: T) => string): Generator<readonly T[]> {
  let from = 0
  for (let i = 1; i <= items.length; i += 1) {
    const [first, next] = [items[from], items[i]]
    if (first === undefined || (next !== undefined && keyOf(first) === keyOf(next))) continue
    yield items.slice(from, i)
    from = i
  }
}

function compareZones({ owner: a }: ZoneTally, { owner: b }: ZoneTally): number {
  return compareTexts(a.projectId, b.projectId) || compareTexts(a.zoneId, b.zoneId)
}

function countsOf(
  metric: UsageMetric,
  { owner, tally }: ZoneTally,
  { begin }: Period,
): readonly UsageCount[] {
  if (metric === 'signed_zone' && !owner.isSigned) return []
  return numbersOf[metric].flatMap(({ at, transport, rcode }) => {
    const amount = tally[at] ?? 0
    return amount === 0
      ? []
      : [{ metric, begin, amount: decimal(BigInt(amount), 0), owner, transport, rcode }]
  })
}

function pointOf({ metric, amount, owner, transport, rcode }: UsageCount, period: Period) {
  const kind = { ...(rcode && { rcode }), ...(transport && { transport }) }
  return {
    metric,
    ...period,
    unit: units[metric],
    qty: amount,
    price: zero,
    groupby: canonicalAttributes({ ...ownerAttributes(owner), ...kind }),
    metadata: {},
  }
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

function* countsOfChunks(chunks: readonly Chunk[]): Generator<UsageCount> {
  for (const chunk of chunks) {
    const { series, count, firstBegin, qtySum } = chunk
    const text = (key: string) => attributeOf(series.groupby, key) ?? ''
    const ofSeries = {
      metric: series.metric as UsageMetric,
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
    if (count === 1) {
      yield { ...ofSeries, begin: firstBegin, amount: decimalOf(qtySum) }
      continue
    }
    const { begins, qty } = chunk.columns()
    for (const [i, begin] of begins.entries())
      yield { ...ofSeries, begin, amount: amountAt(qty, i) }
  }
}
