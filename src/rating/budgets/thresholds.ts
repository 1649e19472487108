import type { BudgetDraft } from '../../model/budget.ts'
import { compare, type Decimal, decimal, getDecimal, multiply, zero } from '../decimal.ts'

/** The thresholds of a budget whose owner gives none. */
export const defaultThresholds: readonly number[] = [80, 100]

/** Thresholds of a budget, and percentage of one, at most. */
export const maxThresholds = 10
export const maxThreshold = 1000

/** The thresholds that a cost has reached, ascending. A cost of zero has reached none. */
export function reachedThresholds(
  { amount, thresholds }: BudgetDraft,
  cost: Decimal,
): readonly number[] {
  if (compare(cost, zero) <= 0) return []
  return thresholds.filter(percentage => {
    const part = multiply(getDecimal(amount), decimal(BigInt(percentage), 2))
    return compare(cost, part) >= 0
  })
}
