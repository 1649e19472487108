import type { Instant } from '../../model/rating.ts'
import { add, type Decimal, divide, roundToPlaces, zero } from '../decimal.ts'
import type { Month, Period } from '../period.ts'

/** What a zone has used of a metric. */
export type UsedLine = {
  /** Empty for points without a zone, which were added from outside. */
  readonly zoneId: string
  readonly zoneName: string
  readonly metric: string
  readonly unit: string
  readonly quantity: Decimal
}

/** What that has cost. */
export type InvoiceLine = UsedLine & {
  /** Which tier of the month the quantity lies in; empty for what has none. */
  readonly tier: string
  readonly sum: Decimal
}

/** What a project has used in a month and what it costs. Amounts are exact. */
export type Invoice = {
  readonly projectId: string
  readonly month: Month
  readonly period: Period
  /** The end of what has been rated of the month. */
  readonly ratedUntil: Instant
  /** By zone, metric and tier. */
  readonly lines: readonly InvoiceLine[]
  readonly total: Decimal
  /** What has been used since, of which the price is not known. */
  readonly notRated: readonly UsedLine[]
}

/** Whether nothing more will come, unless it is rated again. */
export function isFinal({ period, ratedUntil }: Invoice): boolean {
  return ratedUntil >= period.end
}

/** What a unit has cost on average; undefined where there is no quantity. */
export function unitPrice({ quantity, sum }: InvoiceLine): Decimal | undefined {
  return quantity.coefficient === 0n ? undefined : divide(sum, quantity)
}

/** What the total is beyond the lines, when all are rounded to so many places: lines that are rounded one by one
 *  do not add up to it. */
export function roundingOf({ lines, total }: Invoice, places: number): Decimal {
  const rounded = lines.reduce((sum, line) => add(sum, roundToPlaces(line.sum, places)), zero)
  return add(roundToPlaces(total, places), {
    coefficient: -rounded.coefficient,
    scale: rounded.scale,
  })
}
