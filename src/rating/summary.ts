import { inSlices } from '../time-slice.ts'
import { defaultFields, isMoney } from './aggregate.ts'
import { formatDecimal, formatPlaces } from './decimal.ts'
import { csvLine } from './export.ts'
import { chunkMatcher, rangeOf } from './filters.ts'
import type { Points } from './segments/point-store.ts'
import { columnsOf, type SummaryQuery, type SummaryRow } from './summary-query.ts'
import { SummaryRows } from './summary-rows.ts'
import { formatTimestamp } from './timestamp.ts'

export type Summary = {
  /** The number of rows before paging. */
  readonly total: number
  readonly columns: readonly string[]
  /** Which of the amounts of a row are money. */
  readonly isMoney: readonly boolean[]
  readonly rows: readonly SummaryRow[]
}

/** How amounts are shown: as floats, as CloudKitty does; those of money rounded to a number of places; or exactly. */
export type AmountForm = 'float' | { readonly moneyPlaces: number } | 'exact'

/** Rows that are written in one piece. */
const rowsOfPiece = 100
/** Of memory. */
const rowOctets = 200
const amountOctets = 64

/** Adds up quantities and costs. Where a row takes a whole chunk, the sums stored with the chunk are used instead of its
 *  points. @throws ApiError bad_request there would be too many rows */
export async function summarize(store: Points, query: SummaryQuery): Promise<Summary> {
  const { offset, limit } = query
  await using snapshot = store.snapshot(rangeOf(query))
  const matching = chunkMatcher(query.filters)
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
    isMoney: (query.fields ?? defaultFields).map(isMoney),
    rows: await inSlices(rows.read(page.slice(offset, offset + limit))),
  }
}

/** About how much memory a summary takes, in octets. */
export function octetsOf({ rows, isMoney }: Summary): number {
  return rows.length * (rowOctets + isMoney.length * amountOctets)
}

/** A summary as columns and rows of values, the form that clients print, as JSON in small pieces. */
export function* tableJson(summary: Summary, form: AmountForm): Generator<string> {
  const { total, columns, rows } = summary
  yield `{"total":${total},"columns":${JSON.stringify(columns)},"results":`
  yield* arrayJson(rows, row => jsonValues(row, summary, form))
  yield ',"format":"table"}'
}

/** A summary as one object per row, as JSON in small pieces. */
export function* objectsJson(summary: Summary, form: AmountForm): Generator<string> {
  const { total, columns, rows } = summary
  yield `{"total":${total},"results":`
  yield* arrayJson(rows, row => {
    const values = jsonValues(row, summary, form)
    return Object.fromEntries(columns.map((column, i) => [column, values[i]]))
  })
  yield ',"format":"object"}'
}

/** A summary as CSV (RFC 4180) with a header, in small pieces. */
export function* summaryCsv(summary: Summary, form: AmountForm): Generator<string> {
  const { columns, rows } = summary
  yield columns.length === 0 ? '' : csvLine(columns)
  for (let from = 0; from < rows.length; from += rowsOfPiece) {
    yield rows
      .slice(from, from + rowsOfPiece)
      .map(row => csvLine(rowOf(row, amountTexts(row, summary, form))))
      .join('')
  }
}

function* arrayJson<T>(elements: readonly T[], view: (element: T) => unknown): Generator<string> {
  for (let from = 0; from < elements.length; from += rowsOfPiece) {
    const piece = elements.slice(from, from + rowsOfPiece)
    yield (from === 0 ? '[' : ',') + piece.map(each => JSON.stringify(view(each))).join(',')
  }
  yield elements.length === 0 ? '[]' : ']'
}

function jsonValues(row: SummaryRow, summary: Summary, form: AmountForm): readonly unknown[] {
  if (form === 'exact') return rowOf(row, amountTexts(row, summary, form).map(rawJson))
  return rowOf(row, amountTexts(row, summary, form).map(Number))
}

/** A JSON number with all its digits, which a float would lose. */
function rawJson(text: string): unknown {
  return (JSON as unknown as { rawJSON(text: string): unknown }).rawJSON(text)
}

function amountTexts(
  { amounts }: SummaryRow,
  { isMoney }: Summary,
  form: AmountForm,
): readonly string[] {
  return amounts.map((amount, i) => {
    const isRounded = typeof form === 'object' && isMoney[i] === true
    return isRounded ? formatPlaces(amount, form.moneyPlaces) : formatDecimal(amount)
  })
}

function rowOf<T>({ period, values }: SummaryRow, amounts: readonly T[]): readonly (T | string)[] {
  return [formatTimestamp(period.begin), formatTimestamp(period.end), ...amounts, ...values]
}
