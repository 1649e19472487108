import type { Steps } from '../time-slice.ts'
import type { Attributes } from './attributes.ts'
import {
  attributesAt,
  decimalAt,
  instantAt,
  listAt,
  maxNameLength,
  objectAt,
  type Path,
  recordAt,
  refuseValue,
  requireText,
  textAt,
} from './body-values.ts'
import type { DataPoint } from './data-point.ts'
import { toNumber } from './decimal.ts'
import type { Period } from './period.ts'
import { formatTimestamp } from './timestamp.ts'

// Data frames are how points travel: those of one period together, by metric.

/** Bounds of one request. */
export const maxFrames = 10_000
export const maxPoints = 100_000

/** What a frame's unit is when it is given as the empty text. */
const unknownUnit = 'undefined'

/** Reads the body of a request that adds frames, as `exactJson` gave it; in steps of a point each.
 *  @throws ApiError invalid_object with the first offending path; nothing of the body is to be used then */
export function* pointsFromBody(body: unknown): Steps<readonly DataPoint[]> {
  const { dataframes } = objectAt(body, [], { required: ['dataframes'] })
  const frames = listAt(dataframes, ['dataframes'])
  if (frames.length === 0) refuseValue(['dataframes'], 'Parameter dataframes must not be empty.')
  if (frames.length > maxFrames) {
    refuseValue(['dataframes'], `expected at most ${maxFrames} frames in one request`)
  }
  const points: DataPoint[] = []
  for (const [i, frame] of frames.entries()) {
    yield* pushFramePoints(points, frame, ['dataframes', i])
  }
  return points
}

/** Points of one period as JSON, each metric's in the order given. */
export type FrameView = {
  readonly usage: Readonly<Record<string, readonly PointView[]>>
  readonly period: { readonly begin: string; readonly end: string }
}

export type PointView = {
  readonly vol: { readonly unit: string; readonly qty: number }
  readonly rating: { readonly price: number }
  readonly groupby: Attributes
  readonly metadata: Attributes
}

/** Shapes points into frames: neighbours with the same period share one. */
export function frameViews(points: readonly DataPoint[]): readonly FrameView[] {
  const views: FrameView[] = []
  let start = 0
  for (const [i, point] of points.entries()) {
    const next = points[i + 1]
    if (next !== undefined && next.begin === point.begin && next.end === point.end) continue
    views.push(frameView(point, points.slice(start, i + 1)))
    start = i + 1
  }
  return views
}

function frameView(period: Period, points: readonly DataPoint[]): FrameView {
  const byMetric = new Map<string, PointView[]>()
  for (const point of points) {
    const views = byMetric.get(point.metric)
    if (views === undefined) byMetric.set(point.metric, [pointView(point)])
    else views.push(pointView(point))
  }
  return {
    usage: Object.fromEntries(byMetric),
    period: { begin: formatTimestamp(period.begin), end: formatTimestamp(period.end) },
  }
}

function pointView({ unit, qty, price, groupby, metadata }: DataPoint): PointView {
  return {
    vol: { unit, qty: toNumber(qty) },
    rating: { price: toNumber(price) },
    groupby,
    metadata,
  }
}

function* pushFramePoints(points: DataPoint[], frame: unknown, path: Path): Steps<void> {
  const { period, usage } = objectAt(frame, path, { required: ['period', 'usage'] })
  const { begin, end } = periodAt(period, [...path, 'period'])
  const usagePath = [...path, 'usage']
  for (const [metric, entries] of Object.entries(recordAt(usage, usagePath))) {
    const metricPath = [...usagePath, metric]
    requireText(metric, metricPath, maxNameLength)
    if (metric === '') refuseValue(metricPath, 'expected a metric name')
    for (const [i, entry] of listAt(entries, metricPath).entries()) {
      points.push({ metric, begin, end, ...amountsAt(entry, [...metricPath, i]) })
      if (points.length > maxPoints) {
        refuseValue(['dataframes'], `expected at most ${maxPoints} points in one request`)
      }
      yield
    }
  }
}

function periodAt(value: unknown, path: Path): Period {
  const { begin, end } = objectAt(value, path, { required: ['begin', 'end'] })
  const period = {
    begin: instantAt(begin, [...path, 'begin']),
    end: instantAt(end, [...path, 'end']),
  }
  if (period.end < period.begin) refuseValue([...path, 'end'], 'expected an end not before begin')
  return period
}

function amountsAt(value: unknown, path: Path) {
  const entry = objectAt(value, path, {
    required: ['vol', 'groupby', 'metadata'],
    optional: ['rating'],
  })
  const vol = objectAt(entry.vol, [...path, 'vol'], { required: ['unit', 'qty'] })
  const { price = 0 } = objectAt(entry.rating ?? {}, [...path, 'rating'], { optional: ['price'] })
  return {
    unit: textAt(vol.unit, [...path, 'vol', 'unit']) || unknownUnit,
    qty: decimalAt(vol.qty, [...path, 'vol', 'qty']),
    price: decimalAt(price, [...path, 'rating', 'price']),
    groupby: attributesAt(entry.groupby, [...path, 'groupby']),
    metadata: attributesAt(entry.metadata, [...path, 'metadata']),
  }
}
