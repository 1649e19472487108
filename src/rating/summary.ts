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
    rows: page.slice(offset, offset + limit).map(row => rows.read(row)),
  }
}

/** A summary as columns and rows of values, the form clients print. */
export function summaryTable({ total, columns, rows }: Summary) {
  return { total, columns, results: rows.map(rowValues), format: 'table' as const }
}

/** A summary as one object a row. */
export function summaryObjects({ total, columns, rows }: Summary) {
  const results = rows.map(row => {
    const values = rowValues(row)
    return Object.fromEntries(columns.map((column, i) => [column, values[i]]))
  })
  return { total, results, format: 'object' as const }
}

function rowValues({ period, amounts, values }: SummaryRow): readonly (string | number)[] {
  return [
    formatTimestamp(period.begin),
    formatTimestamp(period.end),
    ...amounts.map(toNumber),
    ...values,
  ]
}
