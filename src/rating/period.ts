import type { Clock } from '../clock.ts'
import type { Instant } from '../model/rating.ts'

/** The half-open interval [begin, end). */
export type Period = { readonly begin: Instant; readonly end: Instant }

/** A calendar month of UTC as `YYYY-MM`; text order is time order. */
export type Month = string

export const hourSeconds = 3600
export const daySeconds = 86_400

/** The longest period, for removing all points of a scope. Year 1 to 9999, which the API can write. */
export const allTime: Period = { begin: -62_135_596_800, end: 253_402_300_800 }

/** The current instant of a clock. */
export function nowSeconds(clock: Clock): Instant {
  return Math.floor(clock.nowMillis() / 1000)
}

/** Whether a point with this begin belongs to the period: only the begin decides. */
export function contains(period: Period, begin: Instant): boolean {
  return begin >= period.begin && begin < period.end
}

/** The begin of the hour that contains the instant. */
export function hourBegin(instant: Instant): Instant {
  return Math.floor(instant / hourSeconds) * hourSeconds
}

/** The month an instant lies in. */
export function monthOf(instant: Instant): Month {
  return new Date(instant * 1000).toISOString().slice(0, 7)
}

/** First instant of a month up to the first of the next. */
export function monthPeriod(month: Month): Period {
  const year = Number(month.slice(0, 4))
  const monthIndex = Number(month.slice(5)) - 1
  return { begin: firstOfMonth(year, monthIndex), end: firstOfMonth(year, monthIndex + 1) }
}

/** The period that a request asks for: a missing begin or end is that of the current month. */
export function requestedPeriod(
  asked: { readonly begin?: Instant | undefined; readonly end?: Instant | undefined },
  now: Instant,
): Period {
  const month = monthPeriod(monthOf(now))
  return { begin: asked.begin ?? month.begin, end: asked.end ?? month.end }
}

/** The begin of what is kept: the current month and `keepMonths` whole months before it. */
export function retainedFrom(now: Instant, keepMonths: number): Instant {
  const date = new Date(now * 1000)
  return firstOfMonth(date.getUTCFullYear(), date.getUTCMonth() - keepMonths)
}

function firstOfMonth(year: number, monthIndex: number): Instant {
  const date = new Date(0)
  date.setUTCFullYear(year, monthIndex, 1)
  return date.getTime() / 1000
}
