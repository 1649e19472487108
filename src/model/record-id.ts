import { recordNumberCount } from './record-marks.ts'
import type { RecordMark, Recordset } from './recordset.ts'

// The id of a record is not stored: it encodes where the record is, as a UUID of version 8 (RFC 9562 section 5.8). Of
// its 30 free digits, 14 are the microsecond at which the recordset was created, 12 are the first digits of the
// recordset's id, and 4 are the record's number. Recordsets are kept in the order of the first two, so a record is
// found by its id in any zone without an index over values, which would cost every zone memory.

const timeDigits = 14
const recordsetDigits = 12
const numberDigits = (recordNumberCount - 1).toString(16).length

const form = /^([0-9a-f]{8})-([0-9a-f]{4})-8([0-9a-f]{3})-8([0-9a-f]{3})-([0-9a-f]{12})$/

/** The recordset that the id of a record points to, and the record in it. */
type RecordPointer = {
  /** Creation of the recordset, in microseconds. */
  readonly createdAt: number
  /** The first digits of the recordset's id. */
  readonly idPrefix: string
  readonly number: number
}

/** The id of a record: where it was created, even if it has moved since. */
export function recordIdOf(
  { id, createdAt }: Pick<Recordset, 'id' | 'createdAt'>,
  mark: Pick<RecordMark, 'id' | 'number'>,
): string {
  if (mark.id !== undefined) return mark.id
  const digits =
    createdAt.toString(16).padStart(timeDigits, '0') +
    id.replaceAll('-', '').slice(0, recordsetDigits) +
    mark.number.toString(16).padStart(numberDigits, '0')
  const at = (start: number, end: number): string => digits.slice(start, end)
  return `${at(0, 8)}-${at(8, 12)}-8${at(12, 15)}-8${at(15, 18)}-${at(18, 30)}`
}

/** Reads where a record was created; undefined where the id is not that of a record. */
export function parseRecordId(id: string): RecordPointer | undefined {
  const [, ...parts] = form.exec(id) ?? []
  const digits = parts.join('')
  if (digits === '') return undefined
  const recordset = digits.slice(timeDigits, timeDigits + recordsetDigits)
  return {
    createdAt: Number.parseInt(digits.slice(0, timeDigits), 16),
    idPrefix: `${recordset.slice(0, 8)}-${recordset.slice(8)}`,
    number: Number.parseInt(digits.slice(-numberDigits), 16),
  }
}
