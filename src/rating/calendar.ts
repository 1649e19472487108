import type { Instant } from '../model/rating.ts'
import { daySeconds } from './period.ts'

// The calendar attributes a summary can group by (`time-d`, `time-w`, `time-m`, `time-y`). Existing systems
// write them to each point as it is rated; here they are derived from the point's begin, so pushed points have
// them too and they are not stored.

/** Attribute names, which are also the summary's column names. */
type CalendarAttribute = 'day_of_the_year' | 'week_of_the_year' | 'month' | 'year'

const valueByAttribute: Record<CalendarAttribute, (instant: Instant) => string> = {
  day_of_the_year: instant => String(dayOfYear(instant) + 1),
  week_of_the_year: weekOfYear,
  month: instant => String(new Date(instant * 1000).getUTCMonth() + 1),
  year: instant => String(new Date(instant * 1000).getUTCFullYear()),
}

/** The attribute for each letter after `time-`. */
export const calendarAttributes: ReadonlyMap<string, CalendarAttribute> = new Map([
  ['d', 'day_of_the_year'],
  ['w', 'week_of_the_year'],
  ['m', 'month'],
  ['y', 'year'],
])

export function isCalendarAttribute(name: string): name is CalendarAttribute {
  return Object.hasOwn(valueByAttribute, name)
}

/** The value of the attribute at an instant, in UTC. It is the same all day. */
export function calendarValue(attribute: CalendarAttribute, instant: Instant): string {
  return valueByAttribute[attribute](instant)
}

function dayOfYear(instant: Instant): number {
  const newYear = new Date(instant * 1000)
  newYear.setUTCMonth(0, 1)
  newYear.setUTCHours(0, 0, 0, 0)
  return Math.floor((instant - newYear.getTime() / 1000) / daySeconds)
}

/** `00` to `53`: weeks begin on Sunday, the days before the first one are week 00 (strftime's `%U`). */
function weekOfYear(instant: Instant): string {
  const weekday = new Date(instant * 1000).getUTCDay()
  const week = Math.floor((dayOfYear(instant) + 7 - weekday) / 7)
  return String(week).padStart(2, '0')
}
