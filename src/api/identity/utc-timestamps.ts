import { formatTimestamp } from '../timestamps.ts'

/** Microseconds since the Unix epoch as the identity service writes times: unlike the DNS service, it marks them
 *  as UTC (`2026-11-21T10:00:00.000000Z`). */
export function formatUtc(micros: number): string {
  return `${formatTimestamp(micros)}Z`
}

const pattern = /^\d{4}-\d\d-\d\dT\d\d:\d\d(?::\d\d(?:\.\d{1,9})?)?(?<zone>Z|[+-]\d\d:\d\d)?$/

/** Reads a time (ISO 8601), to the millisecond, as microseconds since the Unix epoch. One without a zone is UTC,
 *  as some clients leave the Z out. Undefined when it is none. */
export function parseUtc(text: string): number | undefined {
  const match = pattern.exec(text)
  if (match === null) return undefined
  const millis = Date.parse(match.groups?.zone === undefined ? `${text}Z` : text)
  return Number.isNaN(millis) ? undefined : millis * 1000
}
