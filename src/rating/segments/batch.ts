import type { Steps } from '../../time-slice.ts'
import type { DataPoint } from '../data-point.ts'
import { getOrPut } from '../get-or-put.ts'
import { amountOf, decimalOf, readAmount, writeAmount } from './amounts.ts'
import { ByteReader } from './byte-reader.ts'
import { ByteWriter } from './byte-writer.ts'
import type { PointValues } from './columns.ts'
import type { Removal } from './removals.ts'
import { readSeries, type Series, seriesKey, seriesOf, writeSeries } from './series.ts'
import { readTexts, TextDictionary } from './text-dictionary.ts'

/** What is written at once: all of it becomes durable and visible together, or none of it. Removals are applied first, to
 *  the points stored before, so a batch can replace what it removes. */
export type Batch = {
  /** A batch whose key was seen before is not stored again. */
  readonly key?: string
  /** Who writes: `pushed`, or the collector the points were rated from. */
  readonly origin: string
  readonly removals?: readonly Removal[]
  readonly points: readonly DataPoint[]
}

/** The points of one series in a batch, in the order given. */
export type SeriesPoints = {
  readonly series: Series
  readonly key: string
  readonly points: PointValues[]
}

/** A batch as it is applied: its points by series. */
export type PreparedBatch = {
  readonly key: string | undefined
  readonly removals: readonly Removal[]
  readonly series: readonly SeriesPoints[]
}

/** Sorts the points of a batch by series, in small steps. */
export function* prepareBatch({ key, origin, removals = [], points }: Batch): Steps<PreparedBatch> {
  const series = yield* bySeries(points, origin)
  return { key, removals: removals.map(plainRemoval), series }
}

/** A removal without any other members of its objects, because it is kept as JSON. */
function plainRemoval({ period: { begin, end }, ...scope }: Removal): Removal {
  return { ...scope, period: { begin, end } }
}

// An entry of the log: its head as JSON, a dictionary, then each series and its points as they came. It is
// read once or never, so it is written quickly rather than small.

export function* encodeBatch({ key, removals, series }: PreparedBatch): Steps<Buffer> {
  const dictionary = new TextDictionary()
  const body = new ByteWriter()
  for (const { series: name, points } of series) {
    writeSeries(body, name, dictionary)
    body.varint(points.length)
    for (const point of points) {
      writePoint(body, point)
      yield
    }
  }
  const record = new ByteWriter()
  record.text(JSON.stringify({ key, removals }))
  dictionary.writeTo(record)
  record.varint(series.length)
  record.append(body.bytes)
  return record.bytes
}

export function decodeBatch(record: Buffer): PreparedBatch {
  const reader = new ByteReader(record)
  const head = JSON.parse(reader.text()) as Pick<Batch, 'key' | 'removals'>
  const texts = readTexts(reader)
  const series = Array.from({ length: reader.varint() }, () => {
    const name = readSeries(reader, texts)
    const points = Array.from({ length: reader.varint() }, () => readPoint(reader))
    return { series: name, key: seriesKey(name), points }
  })
  return { key: head.key, removals: head.removals ?? [], series }
}

function writePoint(writer: ByteWriter, { begin, end, qty, price }: PointValues): void {
  writer.signed(begin)
  writer.signed(end - begin)
  writeAmount(writer, amountOf(qty))
  writeAmount(writer, amountOf(price))
}

function readPoint(reader: ByteReader): PointValues {
  const begin = reader.signed()
  const end = begin + reader.signed()
  const qty = decimalOf(readAmount(reader))
  return { begin, end, qty, price: decimalOf(readAmount(reader)) }
}

function* bySeries(points: readonly DataPoint[], origin: string): Steps<readonly SeriesPoints[]> {
  const byProject = new Map<string, Map<string, SeriesPoints>>()
  for (const point of points) {
    const series = seriesOf(point, origin)
    const key = seriesKey(series)
    const ofProject = getOrPut(byProject, series.projectId, () => new Map<string, SeriesPoints>())
    const ofSeries = getOrPut(ofProject, key, () => ({ series, key, points: [] }))
    ofSeries.points.push(valuesOf(point))
    yield
  }
  return [...byProject.values()].flatMap(ofProject => [...ofProject.values()])
}

function valuesOf({ begin, end, qty, price }: PointValues): PointValues {
  return { begin, end, qty, price }
}
