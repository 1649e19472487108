import { locale } from '../texts.ts'

const format = new Intl.DateTimeFormat(locale, { dateStyle: 'medium', timeStyle: 'short' })

/** A time of the API (UTC; that of DNS does not say so) in the reader's zone. */
export function formatTime(text: string): string {
  const hasOffset = /(?:Z|[+-]\d\d:\d\d)$/.test(text)
  return format.format(new Date(hasOffset ? text : `${text.slice(0, 23)}Z`))
}

const offeredMonths = 12

/** This month and those before it, in UTC as they are rated. */
export function lastMonths(): readonly string[] {
  const now = new Date()
  return Array.from({ length: offeredMonths }, (_, back) =>
    new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() - back)).toISOString().slice(0, 7),
  )
}
