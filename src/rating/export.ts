import { TimeSlice } from '../time-slice.ts'
import { type DataPoint, projectOf } from './data-point.ts'
import { formatDecimal } from './decimal.ts'
import { chunkMatcher, rangeOf, type Selection } from './filters.ts'
import { pointsOf } from './segments/chunk.ts'
import type { Points } from './segments/point-store.ts'
import { formatTimestamp } from './timestamp.ts'

// Exports are for accounting: every point, in the store's order, amounts to the last digit. The same points give
// the same octets, however and however often they were written.

/** Characters per piece: enough that sending a piece costs more than passing it on. */
const pieceLength = 32 * 1024

/** Yields points as lines of JSON. Amounts are text: a JSON reader would round them. */
export function exportNdjson(store: Points, selection: Selection): AsyncGenerator<string> {
  return linesOfPoints(store, selection, {
    head: '',
    format: point => `${JSON.stringify(exportedPoint(point))}\n`,
  })
}

/** Yields points as CSV (RFC 4180) with a header. Attributes are JSON in their fields. */
export function exportCsv(store: Points, selection: Selection): AsyncGenerator<string> {
  const head = 'begin,end,type,unit,qty,price,project_id,groupby,metadata\r\n'
  return linesOfPoints(store, selection, { head, format: csvOfPoint })
}

/** Keeps in memory only a piece of text and a block of each segment of a month, however many points there are. Stops
 *  reading when the consumer stops. */
async function* linesOfPoints(
  store: Points,
  selection: Selection,
  { head, format }: { readonly head: string; readonly format: (point: DataPoint) => string },
): AsyncGenerator<string> {
  await using snapshot = store.snapshot(rangeOf(selection))
  const matching = chunkMatcher(selection.filters)
  const slice = new TimeSlice()
  let piece = head
  for await (const chunks of snapshot.scanInOrder())
    for (const chunk of chunks) {
      const part = matching(chunk)
      if (part === undefined) continue
      for (const point of pointsOf(part)) {
        piece += format(point)
        if (piece.length < pieceLength) continue
        yield piece
        piece = ''
        if (slice.isSpent) await slice.yield()
      }
    }
  if (piece !== '') yield piece
}

function csvOfPoint(point: DataPoint): string {
  const { begin, end, type, unit, qty, price, groupby, metadata } = exportedPoint(point)
  const attributes = [JSON.stringify(groupby), JSON.stringify(metadata)]
  return csvLine([begin, end, type, unit, qty, price, projectOf(point), ...attributes])
}

function exportedPoint({ begin, end, metric, unit, qty, price, groupby, metadata }: DataPoint) {
  return {
    begin: formatTimestamp(begin),
    end: formatTimestamp(end),
    type: metric,
    unit,
    qty: formatDecimal(qty),
    price: formatDecimal(price),
    groupby,
    metadata,
  }
}

/** A line of CSV (RFC 4180). */
export function csvLine(fields: readonly string[]): string {
  return `${fields.map(csvField).join(',')}\r\n`
}

function csvField(text: string): string {
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}
