import type { Field } from '../field.ts'
import { u32 } from './integers.ts'

/** A moment as 32 bits of Unix seconds, written YYYYMMDDHHmmSS in UTC (RFC 4034 section 3.2). */
export const timestamp: Field<number> = {
  ...u32,
  parse: text => text.nextAs('a time as YYYYMMDDHHmmSS or Unix seconds', parseTimestamp),
  format: formatTimestamp,
}

/** Returns Unix seconds; undefined where it is not a moment, or not within 32 bits. */
export function parseTimestamp(text: string): number | undefined {
  const seconds = unixSeconds.test(text) ? Number(text) : calendarSeconds(text)
  return seconds <= 0xffff_ffff ? seconds : undefined
}

export function formatTimestamp(seconds: number): string {
  return new Date(seconds * 1000).toISOString().replace(/\.000Z$|[-:T]/g, '')
}

const unixSeconds = /^\d{1,10}$/
const calendar = /^(\d{4})(\d\d)(\d\d)(\d\d)(\d\d)(\d\d)$/

function calendarSeconds(text: string): number {
  const iso = text.replace(calendar, '$1-$2-$3T$4:$5:$6Z')
  const seconds = iso === text ? Number.NaN : Date.parse(iso) / 1000
  // Date.parse takes 30 February for 1 March, and 24:00 for the next day.
  return seconds >= 0 && formatTimestamp(seconds) === text ? seconds : Number.NaN
}
