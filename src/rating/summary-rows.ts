import { ApiError } from '../errors.ts'
import type { Instant } from '../model/rating.ts'
import type { Steps } from '../time-slice.ts'
import { Aggregate, defaultFields, type SummaryField } from './aggregate.ts'
import { compare, type Decimal, zero } from './decimal.ts'
import { forecastCost } from './forecast.ts'
import { getOrPut } from './get-or-put.ts'
import { fixedValue, groupValue } from './groupby.ts'
import { daySeconds, hourBegin, hourSeconds } from './period.ts'
import type { Range } from './segments/amounts.ts'
import type { Chunk } from './segments/chunk.ts'
import type { Series } from './segments/series.ts'
import { compareTexts, sortSteps } from './sort-steps.ts'
import type { SummaryOrder, SummaryQuery, SummaryRow } from './summary-query.ts'

/** Maximum number of rows of a summary, before paging: each takes memory until all are known. */
const maxSummaryRows = 500_000

/** A row that is still being added to. */
type OpenRow = Omit<SummaryRow, 'amounts'> & { readonly aggregates: readonly Aggregate[] }

/** The rows of the series that agree in all values that do not depend on time, found by the begin of a point. */
type SeriesRows = {
  /** Points that begin in the same slot of this length have the same row. */
  readonly slotSeconds: number
  readonly bySlot: Map<number, OpenRow>
}

/** A tree that leads to rows value by value: a key made of all values would have to be built for each chunk. */
type ValueNode = { readonly children: Map<string | undefined, ValueNode>; rows?: SeriesRows }

/** Collects the rows of a summary. */
export class SummaryRows {
  readonly #query: SummaryQuery
  readonly #fields: readonly SummaryField[]
  readonly #rows = new Map<string, OpenRow>()
  readonly #values: ValueNode = { children: new Map() }

  constructor(query: SummaryQuery) {
    this.#query = query
    this.#fields = query.fields ?? defaultFields
  }

  /** Adds a chunk to the rows of its points. A chunk lies within one month, in which calendar attributes and periods only
   *  advance: if both ends have the same row, so have all points between. */
  take(chunk: Chunk): void {
    const { series, firstBegin, lastBegin } = chunk
    const rows = this.#rowsOf(series)
    const first = this.#rowAt(rows, series, firstBegin)
    if (this.#rowAt(rows, series, lastBegin) === first) {
      for (const aggregate of first.aggregates) aggregate.addChunk(chunk)
      return
    }
    const columns = chunk.columns()
    for (const range of ranges(columns.begins, rows.slotSeconds)) {
      const row = this.#rowAt(rows, series, columns.begins[range.from] ?? 0)
      for (const aggregate of row.aggregates) aggregate.addRange(columns, range)
    }
  }

  get count(): number {
    return this.#rows.size
  }

  /** All rows in order, in small steps. */
  *sorted(order: SummaryOrder | undefined): Steps<readonly OpenRow[]> {
    const rows = [...this.#rows.values()]
    if (order === undefined) return yield* sortSteps(rows, compareRows)
    const { column, isDescending } = order
    const sign = isDescending ? -1 : 1
    const compareColumn = yield* this.#comparisonBy(column, rows)
    return yield* sortSteps(rows, (a, b) => sign * compareColumn(a, b) || compareRows(a, b))
  }

  /** The rows with their amounts, in small steps. */
  *read(rows: readonly OpenRow[]): Steps<readonly SummaryRow[]> {
    const read: SummaryRow[] = []
    for (const { period, values, aggregates } of rows) {
      const amounts = aggregates.map(aggregate => this.#amountOf(aggregate))
      read.push({ period, values, amounts })
      yield
    }
    return read
  }

  #amountOf(aggregate: Aggregate): Decimal {
    const value = aggregate.value()
    const { period, ratedUntil = period.end } = this.#query
    return aggregate.isForecast ? (forecastCost(value, period, ratedUntil) ?? value) : value
  }

  /** Returns the comparison of rows by a column. Amounts are computed once per row, not once per comparison. */
  *#comparisonBy(
    column: string,
    rows: readonly OpenRow[],
  ): Steps<(a: OpenRow, b: OpenRow) => number> {
    const name = this.#query.grouping.names.indexOf(column)
    if (name >= 0) return (a, b) => compareTexts(a.values[name], b.values[name])
    const field = this.#fields.findIndex(({ alias }) => alias === column)
    if (field < 0) return (a, b) => a.period.begin - b.period.begin
    const amounts = new Map<OpenRow, Decimal>()
    for (const row of rows) {
      const aggregate = row.aggregates[field]
      amounts.set(row, aggregate === undefined ? zero : this.#amountOf(aggregate))
      yield
    }
    return (a, b) => compare(amounts.get(a) ?? zero, amounts.get(b) ?? zero)
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

  /** The longest slot length for which the row changes only at the begin of a slot. */
  #slotSeconds({ byDay }: { readonly byDay: boolean }): number {
    if (this.#query.grouping.byPeriod) return hourSeconds
    return byDay ? daySeconds : Number.POSITIVE_INFINITY
  }

  #rowAt({ slotSeconds, bySlot }: SeriesRows, series: Series, begin: Instant): OpenRow {
    return getOrPut(bySlot, Math.floor(begin / slotSeconds), () => this.#newRow(series, begin))
  }

  /** The row of a point, which another series may have created already. */
  #newRow(series: Series, begin: Instant): OpenRow {
    const { grouping, period } = this.#query
    const values = grouping.names.map(name => groupValue(name, series, begin))
    const bucket = grouping.byPeriod ? hourBegin(begin) : null
    return getOrPut(this.#rows, JSON.stringify([bucket, ...values]), () => {
      if (this.#rows.size >= maxSummaryRows) throw tooManyRows()
      return {
        values,
        period: bucket === null ? period : { begin: bucket, end: bucket + hourSeconds },
        aggregates: this.#fields.map(field => new Aggregate(field)),
      }
    })
  }
}

/** The ranges of sorted begins that lie in one slot. */
function* ranges(begins: Float64Array, slotSeconds: number): Generator<Range> {
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
    const order = compareTexts(value, b.values[i])
    if (order !== 0) return order
  }
  return a.period.begin - b.period.begin
}
