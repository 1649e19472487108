import { ApiError } from '../errors.ts'
import type { Instant } from '../model/rating.ts'
import { defaultFields, type SummaryField } from './aggregate.ts'
import type { Decimal } from './decimal.ts'
import type { Selection } from './filters.ts'
import type { Grouping } from './groupby.ts'
import type { Period } from './period.ts'

export type SummaryQuery = Selection & {
  readonly grouping: Grouping
  readonly fields?: readonly SummaryField[]
  /** The end of the rated part of the period, which forecasts are based on; the end of the period if left out. */
  readonly ratedUntil?: Instant
  /** Undefined: by the values grouped by, then by time. */
  readonly order?: SummaryOrder | undefined
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

/** The column a summary is sorted by; rows that are equal in it come in the default order. */
export type SummaryOrder = {
  /** One of `columnsOf`. */
  readonly column: string
  readonly isDescending: boolean
}

/** The columns of a summary in their order. */
export function columnsOf({
  fields = defaultFields,
  grouping,
}: Pick<SummaryQuery, 'fields' | 'grouping'>): readonly string[] {
  return ['begin', 'end', ...fields.map(field => field.alias), ...grouping.names]
}

/** Refuses two columns with one name: an object would show only one, such as an attribute called `qty` for the quantity.
 *  @throws ApiError bad_request */
export function requireDistinctColumns(columns: readonly string[]): void {
  const twice = columns.find((column, i) => columns.indexOf(column) < i)
  if (twice !== undefined)
    throw new ApiError('bad_request', `The summary would have two columns called '${twice}'.`)
}
