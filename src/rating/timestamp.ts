import type { Instant } from '../model/rating.ts'
import { allTime, contains } from './period.ts'

// Instants in the forms rating clients write and read. In: the ISO 8601 forms of the field's usual parser
// (`2019-07-23T12:28:10+02:00`, `20190723T122810Z`, `2019-05-01 00:00:00`, `2019-05`); no offset means UTC, and
// fractions of a second are dropped. Out: always UTC.

const maxTextLength = 64

const datePattern = /^(\d{4})(?:-(\d{1,2})(?:-(\d{1,2}))?|(\d{2})(\d{2}))?$/
const timePattern =
  /^(\d{2})(?::?(\d{2})(?::?(\d{1,2})(?:[.,]\d+)?)?)?(Z|[+\- ]\d{2}(?::?\d{2})?)?$/

/** Reads an instant; undefined where the text is not one. A blank before the offset is a plus sign that came
 *  through a URL unencoded. */
export function parseTimestamp(text: string): Instant | undefined {
  if (text.length > maxTextLength) return undefined
  const [, dateText = '', separator, timeText = ''] = /^([\d-]+)(?:([T ])(.*))?$/.exec(text) ?? []
  const date = datePattern.exec(dateText)
  if (date === null) return undefined
  const [, year, dashedMonth, dashedDay, month = dashedMonth, day = dashedDay] = date
  const midnight = midnightOf(Number(year), Number(month ?? 1), Number(day ?? 1))
  if (midnight === undefined || separator === undefined) return midnight
  const seconds = day === undefined ? undefined : secondsOfDay(timeText)
  if (seconds === undefined || !contains(allTime, midnight + seconds)) return undefined
  return midnight + seconds
}

/** `2019-07-23T12:28:10+00:00`: the specification's output form. */
export function formatTimestamp(instant: Instant): string {
  return `${formatNaive(instant)}+00:00`
}

/** `2019-07-23T12:28:10`: UTC, not stated, as version 1 of the rating API writes it. */
export function formatNaive(instant: Instant): string {
  return new Date(instant * 1000).toISOString().slice(0, -5)
}

/** `20190723T122810Z`: the specification's input form. */
export function formatCompact(instant: Instant): string {
  return `${formatNaive(instant).replaceAll(/[-:]/g, '')}Z`
}

/** `2019-07-23 12:28:10`: how the specification shows a scope's state. */
export function formatSpaced(instant: Instant): string {
  return formatNaive(instant).replace('T', ' ')
}

function midnightOf(year: number, month: number, day: number): Instant | undefined {
  const date = new Date(0)
  date.setUTCFullYear(year, month - 1, day)
  // A day that the month does not have has moved into the next month.
  const isReal = year > 0 && date.getUTCMonth() === month - 1 && date.getUTCDate() === day
  return isReal ? date.getTime() / 1000 : undefined
}

function secondsOfDay(text: string): number | undefined {
  const match = timePattern.exec(text)
  if (match === null) return undefined
  const [, hour = '0', minute = '0', second = '0', zone = 'Z'] = match
  const offset = offsetSeconds(zone)
  if (Number(hour) > 23 || Number(minute) > 59 || Number(second) > 59) return undefined
  if (offset === undefined) return undefined
  return Number(hour) * 3600 + Number(minute) * 60 + Number(second) - offset
}

function offsetSeconds(zone: string): number | undefined {
  if (zone === 'Z') return 0
  const hours = Number(zone.slice(1, 3))
  const minutes = Number(zone.slice(3).replace(':', '') || 0)
  if (hours > 23 || minutes > 59) return undefined
  return (zone.startsWith('-') ? -1 : 1) * (hours * 3600 + minutes * 60)
}
