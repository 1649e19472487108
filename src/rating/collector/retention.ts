import type { Instant } from '../../model/rating.ts'

/** Where what is kept begins when so many whole months before the current one are kept with it. */
export function retainedFrom(now: Instant, keepMonths: number): Instant {
  const date = new Date(now * 1000)
  return Date.UTC(date.getUTCFullYear(), date.getUTCMonth() - keepMonths) / 1000
}
