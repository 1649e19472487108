import type { Instant } from '../../model/rating.ts'

/** The begin of what is kept: the current month and `keepMonths` whole months before it. */
export function retainedFrom(now: Instant, keepMonths: number): Instant {
  const date = new Date(now * 1000)
  return Date.UTC(date.getUTCFullYear(), date.getUTCMonth() - keepMonths) / 1000
}
