import type { Instant } from '../../model/rating.ts'
import { add, type Decimal, divide, roundToPlaces, subtract, zero } from '../decimal.ts'
import type { Month, Period } from '../period.ts'

/** The usage of a zone in one metric. */
export type UsedLine = {
  /** Empty for points without a zone, which were added from outside. */
  readonly zoneId: string
  readonly zoneName: string
  readonly metric: string
  readonly unit: string
  readonly quantity: Decimal
}

/** Usage with its cost. */
export type InvoiceLine = UsedLine & {
  /** The tier of the month that the quantity lies in; empty for metrics without tiers. */
  readonly tier: string
  readonly sum: Decimal
}

/** The usage of a project in a month and its cost. Amounts are exact. */
export type Invoice = {
  readonly projectId: string
  /** Undefined for a project of an external Keystone, and for one that is deleted. */
  readonly projectName: string | undefined
  readonly month: Month
  readonly period: Period
  /** The end of the rated part of the month. */
  readonly ratedUntil: Instant
  /** By zone, metric and tier. */
  readonly lines: readonly InvoiceLine[]
  readonly total: Decimal
  /** The usage since then, whose price is not known yet. */
  readonly notRated: readonly UsedLine[]
}

/** Whether the month is completely rated, so that only rating it again can change the invoice. */
export function isFinal({ period, ratedUntil }: Invoice): boolean {
  return ratedUntil >= period.end
}

/** The average cost of a unit; undefined where the quantity is zero. */
export function unitPrice({ quantity, sum }: InvoiceLine): Decimal | undefined {
  return quantity.coefficient === 0n ? undefined : divide(sum, quantity)
}

/** The difference between the total and the lines when all are rounded to `places`: lines that are rounded one by one
 *  need not add up to the total. */
export function roundingOf({ lines, total }: Invoice, places: number): Decimal {
  const rounded = lines.reduce((sum, line) => add(sum, roundToPlaces(line.sum, places)), zero)
  return subtract(roundToPlaces(total, places), rounded)
}
