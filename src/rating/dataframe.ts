import type { Steps } from '../time-slice.ts'
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

// Data frames are the transfer form of points: those of one period together, by metric.

/** Limits of one request. */
const maxFrames = 10_000
const maxPoints = 100_000

/** The unit of points whose unit is given as the empty text. */
const unknownUnit = 'undefined'

/** Reads the body of a request that adds frames, as `exactJson` returned it; one point per step.
 *  @throws ApiError invalid_object with the first offending path; then no part of the body is to be used */
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

/** Points of one metric that are written in one piece. */
const pointsOfPiece = 100

/** Writes points as frames in JSON, separated by commas and in small pieces. Consecutive points with the same period
 *  share a frame; in it, the points of each metric are in the order given. */
export function* framesJson(points: readonly DataPoint[]): Generator<string> {
  let start = 0
  for (const [i, { begin, end }] of points.entries()) {
    const next = points[i + 1]
    if (next !== undefined && next.begin === begin && next.end === end) continue
    if (start > 0) yield ','
    yield* frameJson({ begin, end }, points.slice(start, i + 1))
    start = i + 1
  }
}

function* frameJson(period: Period, points: readonly DataPoint[]): Generator<string> {
  let opening = '{"usage":{'
  for (const [metric, entries] of Map.groupBy(points, point => point.metric)) {
    yield `${opening}${JSON.stringify(metric)}:[`
    for (let from = 0; from < entries.length; from += pointsOfPiece) {
      const piece = entries.slice(from, from + pointsOfPiece)
      yield (from === 0 ? '' : ',') + piece.map(pointJson).join(',')
    }
    opening = '],'
  }
  const [begin, end] = [period.begin, period.end].map(formatTimestamp)
  yield `]},"period":${JSON.stringify({ begin, end })}}`
}

function pointJson({ unit, qty, price, groupby, metadata }: DataPoint): string {
  return JSON.stringify({
    vol: { unit, qty: toNumber(qty) },
    rating: { price: toNumber(price) },
    groupby,
    metadata,
  })
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
