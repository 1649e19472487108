import fc from 'fast-check'
import { type Attributes, canonicalAttributes } from '../../src/rating/attributes.ts'
import { type DataPoint, projectOf } from '../../src/rating/data-point.ts'
import { decimal, formatDecimal, getDecimal } from '../../src/rating/decimal.ts'
import { allTime, contains, type Period } from '../../src/rating/period.ts'
import type { Batch } from '../../src/rating/segments/batch.ts'
import { pointsOf } from '../../src/rating/segments/chunk.ts'
import type { Points } from '../../src/rating/segments/point-store.ts'
import { parseTimestamp } from '../../src/rating/timestamp.ts'

/** The instant that a text names; the text must be valid. */
export function at(text: string): number {
  const instant = parseTimestamp(text)
  if (instant === undefined) throw new Error(`${text} is no timestamp`)
  return instant
}

/** An hour's point in a few words: `usage('2026-10-01T05', 'p1', '1.5')`. */
export function usage(
  begin: string,
  projectId: string,
  qty: string,
  more: Partial<Omit<DataPoint, 'groupby'>> & { readonly groupby?: Attributes } = {},
): DataPoint {
  return {
    metric: 'dns.queries',
    unit: 'Mquery',
    begin: at(begin),
    end: at(begin) + 3600,
    qty: getDecimal(qty),
    price: getDecimal('0'),
    metadata: {},
    ...more,
    groupby: canonicalAttributes({ project_id: projectId, ...more.groupby }),
  }
}

const amount = fc.oneof(
  fc
    .tuple(fc.integer({ min: -1000, max: 1000 }), fc.nat(3))
    .map(([n, scale]) => decimal(BigInt(n), scale)),
  fc.tuple(fc.bigInt(-(10n ** 40n), 10n ** 40n), fc.nat(40)).map(([n, scale]) => decimal(n, scale)),
)

/** Points of a few series over two months, many of them alike, with amounts of any size. */
export const anyPoint: fc.Arbitrary<DataPoint> = fc
  .record({
    metric: fc.constantFrom('dns.zone', 'dns.queries'),
    hour: fc.nat(40),
    length: fc.constantFrom(3600, 1800),
    qty: amount,
    price: amount,
    projectId: fc.constantFrom('p1', 'p2', 'p1!', ''),
    rcode: fc.constantFrom('NOERROR', 'NXDOMAIN'),
  })
  .map(({ hour, length, projectId, rcode, ...rest }) => {
    const begin = at('2026-10-31T04') + hour * 3600
    return {
      ...rest,
      begin,
      end: begin + length,
      unit: 'u',
      groupby: projectId === '' ? { rcode } : { project_id: projectId, rcode },
      metadata: {},
    }
  })

const origin = fc.constantFrom('pushed', 'dns')

const anyPeriod = fc.tuple(fc.nat(40), fc.integer({ min: 1, max: 20 })).map(([first, count]) => {
  const begin = at('2026-10-31T04') + first * 3600
  return { begin, end: begin + count * 3600 }
})

const anyRemoval = fc.record(
  { projectId: fc.constantFrom('p1', 'p2', ''), origin, period: anyPeriod },
  { requiredKeys: ['period'] },
)

export const anyBatch: fc.Arbitrary<Batch> = fc.record({
  origin,
  points: fc.array(anyPoint, { maxLength: 12 }),
  removals: fc.array(anyRemoval, { maxLength: 2 }),
})

/** The expected contents of a store, kept in the simplest way. */
export class NaiveStore {
  #stored: readonly { readonly point: DataPoint; readonly origin: string }[] = []

  write(batch: Batch): void {
    for (const removal of batch.removals ?? []) {
      this.#stored = this.#stored.filter(
        each =>
          !contains(removal.period, each.point.begin) ||
          (removal.projectId !== undefined && removal.projectId !== projectOf(each.point)) ||
          (removal.origin !== undefined && removal.origin !== each.origin),
      )
    }
    this.#stored = [
      ...this.#stored,
      ...batch.points.map(point => ({ point, origin: batch.origin })),
    ]
  }

  copy(): NaiveStore {
    const copy = new NaiveStore()
    copy.#stored = this.#stored
    return copy
  }

  points(period: Period = allTime): readonly DataPoint[] {
    return this.#stored.map(({ point }) => point).filter(point => contains(period, point.begin))
  }

  /** All points as text, sorted. */
  texts(period: Period = allTime): readonly string[] {
    return this.points(period).map(pointText).sort()
  }
}

/** All points of a store as text, in the store's order. */
export async function storedTexts(
  store: Points,
  period: Period = allTime,
): Promise<readonly string[]> {
  await using snapshot = store.snapshot(period)
  const texts: string[] = []
  for await (const chunks of snapshot.scanInOrder())
    for (const chunk of chunks) for (const point of pointsOf(chunk)) texts.push(pointText(point))
  return texts
}

export function pointText({ qty, price, ...rest }: DataPoint): string {
  const { metric, begin, end, unit, groupby, metadata } = rest
  const values = [
    metric,
    begin,
    end,
    unit,
    groupby,
    metadata,
    formatDecimal(qty),
    formatDecimal(price),
  ]
  return JSON.stringify(values)
}
