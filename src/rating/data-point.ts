import type { Instant } from '../model/rating.ts'
import { type Attributes, attributeOf } from './attributes.ts'
import type { Decimal } from './decimal.ts'

/** The attribute that says whose a point is; a scope's id is its value. */
export const scopeKey = 'project_id'

/** What one metric came to, and cost, in one period. Immutable: a price is put on a copy. */
export type DataPoint = {
  readonly metric: string
  readonly begin: Instant
  readonly end: Instant
  readonly unit: string
  readonly qty: Decimal
  readonly price: Decimal
  /** What summaries can group by. */
  readonly groupby: Attributes
  /** What is only shown and filtered by. */
  readonly metadata: Attributes
}

/** What describes a point; the part that rules and filters look at. */
export type Description = Pick<DataPoint, 'groupby' | 'metadata'>

/** The point's attribute of that name: of groupby, or else of metadata. */
export function describedBy({ groupby, metadata }: Description, name: string): string | undefined {
  return attributeOf(groupby, name) ?? attributeOf(metadata, name)
}

/** The project a point belongs to; empty where it names none. */
export function projectOf(description: Description): string {
  return describedBy(description, scopeKey) ?? ''
}
