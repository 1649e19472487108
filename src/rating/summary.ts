import { ApiError } from '../errors.ts'
import type { Instant } from '../model/rating.ts'
import { Aggregate, defaultFields, type SummaryField } from './aggregate.ts'
import { type Decimal, toNumber } from './decimal.ts'
import { chunkMatcher, type Filters, rangeOf } from './filters.ts'
import { getOrPut } from './get-or-put.ts'
import { fixedValue, type Grouping, groupValue } from './groupby.ts'
import { alignDown, daySeconds, type Period } from './period.ts'
import type { Stretch } from './segments/amounts.ts'
import type { Chunk } from './segments/chunk.ts'
import type { PointStore } from './segments/point-store.ts'
import type { Series } from './segments/series.ts'
import { formatTimestamp } from './timestamp.ts'

export type SummaryQuery = {
  readonly period: Period
  readonly filters: Filters
  readonly grouping: Grouping
  readonly fields?: readonly SummaryField[]
  /** Length of the collect period, for grouping by `time`. */
  readonly periodSeconds: number
  readonly offset: number
  readonly limit: number
}

export type SummaryRow = {
  readonly period: Period
  /** In the order of the fields. */
  readonly amounts: readonly Decimal[]
  /** In the order of the grouping's names. */
  readonly values: readonly string[]
}

export type Summary = {
  /** Rows there are, before paging. */
  readonly total: number
  readonly columns: readonly string[]
  readonly rows: readonly SummaryRow[]
}

/** Rows of a summary at most, before paging: each costs memory until all are known. */
export const maxSummaryRows = 500_000

/** Adds up what was used and what it cost. Sums of whole chunks are read, not computed, wherever a row takes all
 *  of a chunk. @throws ApiError bad_request there would be too many rows */
export async function summarize(store: PointStore, query: SummaryQuery): Promise<Summary> {
  const { period, filters, offset, limit } = query
  await using snapshot = store.snapshot(rangeOf(period, filters))
  const matching = chunkMatcher(filters)
  const rows = new Rows(query)
  for await (const chunks of snapshot.scan()) {
    for (const chunk of chunks) {
      const part = matching(chunk)
      if (part !== undefined) rows.take(part)
    }
  }
  const sorted = rows.sorted()
  const fields = query.fields ?? defaultFields
  return {
    total: sorted.length,
    columns:
      sorted.length === 0
        ? []
        : ['begin', 'end', ...fields.map(field => field.alias), ...query.grouping.names],
    rows: sorted.slice(offset, offset + limit),
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

type OpenRow = Omit<SummaryRow, 'amounts'> & { readonly aggregates: readonly Aggregate[] }

/** The rows of the series that agree in all that does not depend on time, found by the begin of a point. */
type SeriesRows = {
  /** Points that begin in the same slot of this length have the same row. */
  readonly slotSeconds: number
  readonly bySlot: Map<number, OpenRow>
}

/** Leads to rows value by value: a key made of all values would have to be built for each chunk. */
type ValueNode = { readonly children: Map<string | undefined, ValueNode>; rows?: SeriesRows }

class Rows {
  readonly #query: SummaryQuery
  readonly #fields: readonly SummaryField[]
  readonly #rows = new Map<string, OpenRow>()
  readonly #values: ValueNode = { children: new Map() }

  constructor(query: SummaryQuery) {
    this.#query = query
    this.#fields = query.fields ?? defaultFields
  }

  /** Counts a chunk under the rows its points belong to. A chunk lies within one month, in which calendar
   *  attributes and periods follow each other: equal at both ends means equal all the way. */
  take(chunk: Chunk): void {
    const { series, firstBegin, lastBegin } = chunk
    const rows = this.#rowsOf(series)
    const first = this.#rowAt(rows, series, firstBegin)
    if (this.#rowAt(rows, series, lastBegin) === first) {
      for (const aggregate of first.aggregates) aggregate.addChunk(chunk)
      return
    }
    const columns = chunk.columns()
    for (const stretch of stretches(columns.begins, rows.slotSeconds)) {
      const row = this.#rowAt(rows, series, columns.begins[stretch.from] ?? 0)
      for (const aggregate of row.aggregates) aggregate.addStretch(columns, stretch)
    }
  }

  sorted(): readonly SummaryRow[] {
    return [...this.#rows.values()].sort(compareRows).map(({ period, values, aggregates }) => ({
      period,
      values,
      amounts: aggregates.map(aggregate => aggregate.value()),
    }))
  }

  #rowsOf(series: Series): SeriesRows {
    const { grouping } = this.#query
    let node = this.#values
    let byDay = false
    for (const name of grouping.names) {
      const value = fixedValue(name, series)
      if (value === undefined) byDay = true
      node = getOrPut(node.children, value, () => ({ children: new Map() }))
    }
    node.rows ??= { slotSeconds: this.#slotSeconds({ byDay }), bySlot: new Map() }
    return node.rows
  }

  /** The longest slots at whose begin alone a row can change. */
  #slotSeconds({ byDay }: { readonly byDay: boolean }): number {
    const { grouping, periodSeconds } = this.#query
    if (!grouping.byPeriod) return byDay ? daySeconds : Number.POSITIVE_INFINITY
    return byDay && daySeconds % periodSeconds !== 0 ? 1 : periodSeconds
  }

  #rowAt({ slotSeconds, bySlot }: SeriesRows, series: Series, begin: Instant): OpenRow {
    return getOrPut(bySlot, Math.floor(begin / slotSeconds), () => this.#newRow(series, begin))
  }

  /** The row of a point, which another series may have opened already. */
  #newRow(series: Series, begin: Instant): OpenRow {
    const { grouping, period, periodSeconds } = this.#query
    const values = grouping.names.map(name => groupValue(name, series, begin))
    const bucket = grouping.byPeriod ? alignDown(begin, periodSeconds) : null
    return getOrPut(this.#rows, JSON.stringify([bucket, ...values]), () => {
      if (this.#rows.size >= maxSummaryRows) throw tooManyRows()
      return {
        values,
        period: bucket === null ? period : { begin: bucket, end: bucket + periodSeconds },
        aggregates: this.#fields.map(field => new Aggregate(field)),
      }
    })
  }
}

/** The stretches of sorted begins that lie in one slot. */
function* stretches(begins: Float64Array, slotSeconds: number): Generator<Stretch> {
  let from = 0
  for (let i = 1; i <= begins.length; i++) {
    const isSame =
      i < begins.length &&
      Math.floor((begins[i] ?? 0) / slotSeconds) === Math.floor((begins[from] ?? 0) / slotSeconds)
    if (isSame) continue
    yield { from, to: i }
    from = i
  }
}

function tooManyRows(): ApiError {
  return new ApiError(
    'bad_request',
    `The summary has more than ${maxSummaryRows} rows: narrow its period, filters or groupby.`,
  )
}

/** By values, then by time. */
function compareRows(a: OpenRow, b: OpenRow): number {
  for (const [i, value] of a.values.entries()) {
    const other = b.values[i] ?? ''
    if (value !== other) return value < other ? -1 : 1
  }
  return a.period.begin - b.period.begin
}
