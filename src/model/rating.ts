import type { Stamped } from './stamped.ts'

// The rows behind usage rating: price rules as entered, and how far each scope has been rated.
// Amounts are decimal text (rating/decimal.ts), so that no row ever holds a rounded price.

/** Whole seconds since the Unix epoch: the resolution of usage periods. Rows' own stamps stay microseconds. */
export type Instant = number

/** The id of the secret that is no secret: the epoch of the node that rates, of several (`RatingTerm`). It is among them because
 *  each version of the program knows that collection, and nodes of two versions share a log. */
export const ratingTermId = 'rating-term'

/** A metric that hashmap rules price, by its public name. */
export type HashmapService = Stamped & { readonly name: string }

/** An attribute of a service's data points that prices may depend on. */
export type HashmapField = Stamped & { readonly serviceId: string; readonly name: string }

/** Rules that are computed together. The prices of different groups add up. */
export type HashmapGroup = Stamped & { readonly name: string }

/** `flat`: a price per unit; the highest one applies. `rate`: a factor; all of them apply. */
export type HashmapRuleType = 'flat' | 'rate'

/** What mappings and thresholds share. Exactly one of `serviceId` and `fieldId` is set. */
type HashmapRule = Stamped & {
  readonly serviceId: string | null
  readonly fieldId: string | null
  readonly groupId: string | null
  /** The project the rule is for; null for all projects without their own rule in its place. */
  readonly tenantId: string | null
  readonly type: HashmapRuleType
  readonly cost: string
  readonly name: string | null
  readonly description: string | null
  /** The rule prices periods that begin in [start, end); null is open. */
  readonly start: Instant | null
  readonly end: Instant | null
  readonly createdBy: string | null
  readonly updatedBy: string | null
}

export type HashmapMapping = HashmapRule & {
  /** The attribute value it applies to; null exactly when the parent is a service. */
  readonly value: string | null
}

export type HashmapThreshold = HashmapRule & {
  /** The quantity, or the attribute's number, from which it applies. */
  readonly level: string
}

/** A rating script: kept and given back as text, never run. */
export type Pyscript = Stamped & {
  readonly name: string
  readonly data: string
  readonly description: string | null
  readonly start: Instant | null
  readonly end: Instant | null
}

/** The settings of a rating module; its id is the module's name. */
export type RatingModule = Stamped & {
  readonly isEnabled: boolean
  /** Modules rate in order of falling priority. */
  readonly priority: number
}

/** How far one scope has been rated. The first four fields name it. */
export type ScopeState = Stamped & {
  readonly scopeId: string
  readonly scopeKey: string
  readonly collector: string
  readonly fetcher: string
  /** Begin of the last period rated, or the instant it was reset to; null before the first. */
  readonly lastProcessed: Instant | null
  /** Where rating continues after a reset; null to continue after `lastProcessed`. */
  readonly resumeFrom: Instant | null
  /** Inactive scopes are not rated. */
  readonly isActive: boolean
  readonly activationToggled: Instant | null
}

/** An order to rate [start, end) of a scope again. */
export type Reprocess = Stamped & {
  readonly scopeId: string
  readonly reason: string
  readonly start: Instant
  readonly end: Instant
  /** Begin of the last period done; null until begun. */
  readonly current: Instant | null
}

/** Which collector serves a service; its id is the service's name. Kept for compatibility with clients. */
export type CollectorMapping = Stamped & { readonly collector: string }

/** Whether a collector is switched on; its id is the collector's name. */
export type CollectorState = Stamped & { readonly isEnabled: boolean }
