import { ApiError } from '../errors.ts'
import type { Instant } from '../model/rating.ts'
import { type Attributes, canonicalAttributes } from './attributes.ts'
import type { DataPoint } from './data-point.ts'
import { type Decimal, decimalFromNumber, parseDecimal, toNumber, zero } from './decimal.ts'
import { NumberText } from './exact-json.ts'
import type { Period } from './period.ts'
import { formatTimestamp, parseTimestamp } from './timestamp.ts'

// Data frames are how points travel: those of one period together, by metric. A body is read in one walk that
// checks and converts at once, because every leaf is a value to parse (an instant, an exact number), and the
// first thing wrong with it, in document order, is what the caller is told.

/** Bounds of one request. */
export const maxFrames = 10_000
export const maxPoints = 100_000
export const maxAttributes = 64
/** Characters of a metric's name, a unit, an attribute's name, an attribute's value. */
export const maxNameLength = 255
export const maxValueLength = 4096

/** What a frame's unit is when it is given as the empty text. */
const unknownUnit = 'undefined'

type Path = readonly (string | number)[]

/** Reads the body of a request that adds frames, as `parseJsonExactly` gave it.
 *  @throws ApiError invalid_object with the first offending path; nothing of the body is to be used then */
export function pointsFromBody(body: unknown): readonly DataPoint[] {
  const { dataframes } = objectAt(body, [], { required: ['dataframes'] })
  const frames = listAt(dataframes, ['dataframes'])
  if (frames.length === 0) refuse(['dataframes'], 'Parameter dataframes must not be empty.')
  if (frames.length > maxFrames) {
    refuse(['dataframes'], `expected at most ${maxFrames} frames in one request`)
  }
  const points: DataPoint[] = []
  for (const [i, frame] of frames.entries()) {
    pushFramePoints(points, frame, ['dataframes', i])
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

function pushFramePoints(points: DataPoint[], frame: unknown, path: Path): void {
  const { period, usage } = objectAt(frame, path, { required: ['period', 'usage'] })
  const { begin, end } = periodAt(period, [...path, 'period'])
  const usagePath = [...path, 'usage']
  for (const [metric, entries] of Object.entries(recordAt(usage, usagePath))) {
    const metricPath = [...usagePath, metric]
    requireText(metric, metricPath, maxNameLength)
    if (metric === '') refuse(metricPath, 'expected a metric name')
    for (const [i, entry] of listAt(entries, metricPath).entries()) {
      points.push({ metric, begin, end, ...amountsAt(entry, [...metricPath, i]) })
      if (points.length > maxPoints) {
        refuse(['dataframes'], `expected at most ${maxPoints} points in one request`)
      }
    }
  }
}

function periodAt(value: unknown, path: Path): Period {
  const { begin, end } = objectAt(value, path, { required: ['begin', 'end'] })
  const period = {
    begin: instantAt(begin, [...path, 'begin']),
    end: instantAt(end, [...path, 'end']),
  }
  if (period.end < period.begin) refuse([...path, 'end'], 'expected an end not before begin')
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

type KeyRules = { readonly required?: readonly string[]; readonly optional?: readonly string[] }

/** Objects are closed at every level: a key that means nothing is a mistake worth telling. */
function objectAt(value: unknown, path: Path, rules: KeyRules): Readonly<Record<string, unknown>> {
  const object = recordAt(value, path)
  const { required = [], optional = [] } = rules
  for (const key of Object.keys(object)) {
    if (!required.includes(key) && !optional.includes(key)) {
      refuse([...path, key], 'extra keys not allowed')
    }
  }
  for (const key of required) {
    if (!Object.hasOwn(object, key)) refuse([...path, key], 'required key not provided')
  }
  return object
}

function recordAt(value: unknown, path: Path): Readonly<Record<string, unknown>> {
  const isRecord =
    typeof value === 'object' &&
    value !== null &&
    !Array.isArray(value) &&
    !(value instanceof NumberText)
  return isRecord
    ? (value as Readonly<Record<string, unknown>>)
    : refuse(path, 'expected an object')
}

function listAt(value: unknown, path: Path): readonly unknown[] {
  return Array.isArray(value) ? value : refuse(path, 'expected a list')
}

function instantAt(value: unknown, path: Path): Instant {
  const instant = typeof value === 'string' ? parseTimestamp(value) : undefined
  return instant ?? refuse(path, 'expected an ISO 8601 timestamp')
}

function decimalAt(value: unknown, path: Path): Decimal {
  if (value === 0) return zero
  const parsed =
    typeof value === 'number'
      ? decimalFromNumber(value)
      : parseDecimal(
          value instanceof NumberText ? value.text : typeof value === 'string' ? value : '',
        )
  return 'refusal' in parsed ? refuse(path, parsed.refusal) : parsed
}

function textAt(value: unknown, path: Path): string {
  if (typeof value !== 'string') return refuse(path, 'expected a string')
  requireText(value, path, maxNameLength)
  return value
}

function attributesAt(value: unknown, path: Path): Attributes {
  const entries = Object.entries(recordAt(value, path))
  if (entries.length > maxAttributes) refuse(path, `expected at most ${maxAttributes} attributes`)
  const texts = entries.map(([key, attribute]) => {
    const keyPath = [...path, key]
    requireText(key, keyPath, maxNameLength)
    return [key, attributeAt(attribute, keyPath)] as const
  })
  return canonicalAttributes(Object.fromEntries(texts))
}

/** Attributes are text; other scalars are taken as the text they were written as, and null as empty. */
function attributeAt(value: unknown, path: Path): string {
  if (value === null) return ''
  if (value instanceof NumberText) return value.text
  if (typeof value === 'number' || typeof value === 'boolean') return String(value)
  if (typeof value !== 'string') return refuse(path, 'expected a string')
  requireText(value, path, maxValueLength)
  return value
}

/** Half a surrogate pair has no UTF-8 form: it would come back as another text than it went in. */
function requireText(text: string, path: Path, maxLength: number): void {
  if (text.length > maxLength) refuse(path, `expected at most ${maxLength} characters`)
  if (!text.isWellFormed()) refuse(path, 'expected well-formed Unicode')
}

function refuse(path: Path, message: string): never {
  const place = path.map(key => (typeof key === 'number' ? key : `'${key}'`)).join(', ')
  throw new ApiError('invalid_object', `${message} (path: '[${place}]')`, {
    fieldErrors: [{ path, message, validator: 'dataframe' }],
  })
}
