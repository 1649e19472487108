import { inSlices } from '../time-slice.ts'
import { toNumber } from './decimal.ts'
import { chunkMatcher, rangeOf } from './filters.ts'
import type { PointStore } from './segments/point-store.ts'
import { columnsOf, type SummaryQuery, type SummaryRow } from './summary-query.ts'
import { SummaryRows } from './summary-rows.ts'
import { formatTimestamp } from './timestamp.ts'

export type Summary = {
  /** Rows there are, before paging. */
  readonly total: number
  readonly columns: readonly string[]
  readonly rows: readonly SummaryRow[]
}

/** Rows that are written in one piece. */
const rowsOfPiece = 100

/** Adds up what was used and what it cost. Sums of whole chunks are read, not computed, wherever a row takes all
 *  of a chunk. @throws ApiError bad_request there would be too many rows */
export async function summarize(store: PointStore, query: SummaryQuery): Promise<Summary> {
  const { period, filters, offset, limit } = query
  await using snapshot = store.snapshot(rangeOf(period, filters))
  const matching = chunkMatcher(filters)
  const rows = new SummaryRows(query)
  for await (const chunks of snapshot.scan()) {
    for (const chunk of chunks) {
      const part = matching(chunk)
      if (part !== undefined) rows.take(part)
    }
  }
  const page = await inSlices(rows.sorted(query.order))
  return {
    total: rows.count,
    columns: rows.count === 0 ? [] : columnsOf(query),
    rows: await inSlices(rows.read(page.slice(offset, offset + limit))),
  }
}

/** A summary as columns and rows of values, the form clients print; in JSON, in small pieces. */
export function* tableJson({ total, columns, rows }: Summary): Generator<string> {
  yield `{"total":${total},"columns":${JSON.stringify(columns)},"results":`
  yield* arrayJson(rows, rowValues)
  yield ',"format":"table"}'
}

/** A summary as one object a row, likewise. */
export function* objectsJson({ total, columns, rows }: Summary): Generator<string> {
  yield `{"total":${total},"results":`
  yield* arrayJson(rows, row => {
    const values = rowValues(row)
    return Object.fromEntries(columns.map((column, i) => [column, values[i]]))
  })
  yield ',"format":"object"}'
}

function* arrayJson<T>(elements: readonly T[], view: (element: T) => unknown): Generator<string> {
  for (let from = 0; from < elements.length; from += rowsOfPiece) {
    const piece = elements.slice(from, from + rowsOfPiece)
    yield (from === 0 ? '[' : ',') + piece.map(each => JSON.stringify(view(each))).join(',')
  }
  yield elements.length === 0 ? '[]' : ']'
}

function rowValues({ period, amounts, values }: SummaryRow): readonly (string | number)[] {
  return [
    formatTimestamp(period.begin),
    formatTimestamp(period.end),
    ...amounts.map(toNumber),
    ...values,
  ]
}
