import { add, compare, type Decimal, subtract } from '../decimal.ts'

/** The part of a quantity that lies in one tier of the month. */
type TierPart = { readonly tier: number; readonly qty: Decimal }

/** Splits a quantity at the boundaries that the month's count crosses with it. Rules see one point at a time and cannot
 *  count a month, but they can price points that are split at the boundaries and marked with their tier.
 *  Boundaries ascend; a count that has reached one is in the tier after it. Parts add up to the quantity. */
export function splitByTier(
  qty: Decimal,
  usage: { readonly monthToDate: Decimal; readonly boundaries: readonly Decimal[] },
): readonly TierPart[] {
  const { boundaries } = usage
  const parts: TierPart[] = []
  const end = add(usage.monthToDate, qty)
  let from = usage.monthToDate
  for (const [tier, boundary] of boundaries.entries()) {
    if (compare(from, boundary) >= 0) continue
    if (compare(end, boundary) <= 0) return [...parts, { tier, qty: subtract(end, from) }]
    parts.push({ tier, qty: subtract(boundary, from) })
    from = boundary
  }
  return [...parts, { tier: boundaries.length, qty: subtract(end, from) }]
}
