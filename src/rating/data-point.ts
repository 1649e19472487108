import type { Instant } from '../model/rating.ts'
import { type Attributes, attributeOf } from './attributes.ts'
import type { Decimal } from './decimal.ts'

/** The attribute that names the owner of a point; its value is the id of a scope. */
export const scopeKey = 'project_id'

/** The quantity and cost of one metric in one period. Immutable: a price is set on a copy. */
export type DataPoint = {
  readonly metric: string
  readonly begin: Instant
  readonly end: Instant
  readonly unit: string
  readonly qty: Decimal
  readonly price: Decimal
  /** Attributes that summaries can group by. */
  readonly groupby: Attributes
  /** Attributes that are only shown and filtered by. */
  readonly metadata: Attributes
}

/** The attributes of a point, which rules and filters look at. */
export type Description = Pick<DataPoint, 'groupby' | 'metadata'>

/** The point's attribute of that name: of groupby, or else of metadata. */
export function describedBy({ groupby, metadata }: Description, name: string): string | undefined {
  return attributeOf(groupby, name) ?? attributeOf(metadata, name)
}

/** The project a point belongs to; empty where it names none. */
export function projectOf(description: Description): string {
  return describedBy(description, scopeKey) ?? ''
}
