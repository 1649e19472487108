import { type DataPoint, projectOf } from './data-point.ts'
import { formatDecimal } from './decimal.ts'
import { chunkMatcher, type Filters, rangeOf } from './filters.ts'
import type { Period } from './period.ts'
import { pointsOf } from './segments/chunk.ts'
import type { PointStore } from './segments/point-store.ts'
import { formatTimestamp } from './timestamp.ts'

// Exports are for accounting: every point, in the store's order, amounts to the last digit. The same points give
// the same octets, however and how often they were written.

export type ExportQuery = { readonly period: Period; readonly filters: Filters }

/** Yields points as lines of JSON. Amounts are text: a JSON reader would round them. */
export async function* exportNdjson(store: PointStore, query: ExportQuery): AsyncGenerator<string> {
  yield* textOfPoints(store, query, point => `${JSON.stringify(exportedPoint(point))}\n`)
}

/** Yields points as CSV (RFC 4180) with a header. Attributes are JSON in their fields. */
export async function* exportCsv(store: PointStore, query: ExportQuery): AsyncGenerator<string> {
  yield csvLine([
    'begin',
    'end',
    'type',
    'unit',
    'qty',
    'price',
    'project_id',
    'groupby',
    'metadata',
  ])
  yield* textOfPoints(store, query, point => {
    const { begin, end, type, unit, qty, price, groupby, metadata } = exportedPoint(point)
    const attributes = [JSON.stringify(groupby), JSON.stringify(metadata)]
    return csvLine([begin, end, type, unit, qty, price, projectOf(point), ...attributes])
  })
}

async function* textOfPoints(
  store: PointStore,
  { period, filters }: ExportQuery,
  format: (point: DataPoint) => string,
): AsyncGenerator<string> {
  await using snapshot = store.snapshot(rangeOf(period, filters))
  const matching = chunkMatcher(filters)
  for await (const chunk of snapshot.scanInOrder()) {
    const part = matching(chunk)
    if (part !== undefined) yield Array.from(pointsOf(part), format).join('')
  }
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

function csvLine(fields: readonly string[]): string {
  return `${fields.map(csvField).join(',')}\r\n`
}

function csvField(text: string): string {
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}
