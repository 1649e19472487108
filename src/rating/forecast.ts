import type { Instant, ScopeState } from '../model/rating.ts'
import { type Decimal, decimal, divideByCount, multiply } from './decimal.ts'
import type { Period } from './period.ts'
import { ratedUntil } from './scopes/catch-up.ts'

/** The cost of a period at its end if usage continues at the same rate: the cost so far, times the length of the
 *  period, divided by the part of it that has been rated. Exact up to one rounding to 28 places; undefined while
 *  nothing has been rated.
 *
 *  @param cost the cost of the rated part
 *  @param until the end of the rated part */
export function forecastCost(cost: Decimal, period: Period, until: Instant): Decimal | undefined {
  const ratedSeconds = Math.min(until, period.end) - period.begin
  if (ratedSeconds <= 0) return undefined
  const seconds = decimal(BigInt(period.end - period.begin), 0)
  return divideByCount(multiply(cost, seconds), ratedSeconds)
}

/** The instant up to which the scope that is furthest ahead has rated a period; now where no scope has reached the
 *  period, as for a project whose usage is all added from outside. A scope that was set forward beyond now has rated
 *  nothing there: the future is never part of it. */
export function ratedPart(
  states: Iterable<ScopeState>,
  { period, now }: { readonly period: Period; readonly now: Instant },
): Instant {
  let until = period.begin
  for (const state of states) {
    if (state.isActive) until = Math.max(until, Math.min(ratedUntil(state), now))
  }
  return Math.min(until > period.begin ? until : Math.max(now, period.begin), period.end)
}
