import type { Stamped } from '../model/stamped.ts'

/** Microseconds since the Unix epoch as the API writes times: UTC without a zone designator, six fractional
 *  digits (`2026-11-21T10:00:00.000000`). */
export function formatTimestamp(micros: number): string {
  const text = new Date(Math.floor(micros / 1000)).toISOString()
  const microsOfMilli = String(((micros % 1000) + 1000) % 1000).padStart(3, '0')
  return `${text.slice(0, -1)}${microsOfMilli}`
}

/** Same, for the times that may be absent. */
export function formatTimestampOrNull(micros: number | null): string | null {
  return micros === null ? null : formatTimestamp(micros)
}

/** The times that every row has, as views show them. */
export function timesOf({ createdAt, updatedAt }: Pick<Stamped, 'createdAt' | 'updatedAt'>) {
  return { created_at: formatTimestamp(createdAt), updated_at: formatTimestampOrNull(updatedAt) }
}
