import { locale } from '../texts.ts'

const format = new Intl.DateTimeFormat(locale, { dateStyle: 'medium', timeStyle: 'short' })

/** A time of the API in the reader's time zone. It is UTC; the DNS API does not mark it as such. */
export function formatTime(text: string): string {
  const hasOffset = /(?:Z|[+-]\d\d:\d\d)$/.test(text)
  return format.format(new Date(hasOffset ? text : `${text.slice(0, 23)}Z`))
}

const day = new Intl.DateTimeFormat(locale, { dateStyle: 'medium', timeZone: 'UTC' })

/** A day in UTC, by which usage is rated. */
export function formatDay(at: Date): string {
  return day.format(at)
}

const monthFormat = new Intl.DateTimeFormat(locale, {
  month: 'long',
  year: 'numeric',
  timeZone: 'UTC',
})

/** @param month such as 2026-11 */
export function formatMonth(month: string): string {
  return monthFormat.format(new Date(`${month}-01T00:00:00Z`))
}

const offeredMonths = 12

/** This month and those before it, in UTC, by which usage is rated. */
export function lastMonths(): readonly string[] {
  const now = new Date()
  return Array.from({ length: offeredMonths }, (_, back) =>
    new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() - back)).toISOString().slice(0, 7),
  )
}
