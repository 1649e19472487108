import type { FieldError } from '../errors.ts'
import type { Changes } from './changes.ts'
import { notAllowed, required } from './field-rules.ts'
import { quote } from './quote.ts'
import type { MarkedRecord } from './record-marks.ts'
import { checkRecords } from './record-values.ts'
import type { Recordset } from './recordset.ts'
import { recordsetNameError } from './recordset-name.ts'

// A record of the older API: one value with the name, type and TTL of its recordset, and with the priority of MX
// and SRV beside it.

/** Record types that can be written; all others are read-only. */
export const writtenRecordTypes = [
  'A',
  'AAAA',
  'CNAME',
  'MX',
  'SRV',
  'TXT',
  'SPF',
  'NS',
  'PTR',
  'SSHFP',
] as const

/** The fields of a record. The schemas have already checked lengths and ranges. */
export type RecordDraft = {
  readonly name: string
  readonly type: string
  readonly data: string
  readonly priority: number | null
  /** Null: the zone's TTL. */
  readonly ttlSeconds: number | null
  readonly description: string | null
}

/** Changes of a record; an undefined field stays as it is. */
export type RecordPatch = Changes<RecordDraft>

/** A value in the form of the older API. */
type RecordData = Pick<RecordDraft, 'data' | 'priority'>

/** Maximum characters of a value written through the older API. */
const maxDataLength = 255

const typesWithPriority: readonly string[] = ['MX', 'SRV']
const typesOfText: readonly string[] = ['TXT', 'SPF']

/** Checks a record as a whole, new or changed. Whether it may be at its name depends on its zone. */
export function recordDraftErrors(draft: RecordDraft): (FieldError | undefined)[] {
  if (!isWritten(draft.type)) return [typeError(draft.type)]
  const isWhole = draft.priority !== null || !typesWithPriority.includes(draft.type)
  return [
    recordsetNameError(draft.name, draft.type),
    priorityError(draft),
    // Without its priority there is no value to check.
    ...(isWhole ? dataErrors(draft) : []),
  ]
}

/** Checks the changed fields of a record by rules that records from other sources need not meet: the older API writes
 *  PTR only of whole addresses, and only short values. */
export function newFieldErrors(
  draft: RecordDraft,
  before?: RecordDraft,
): (FieldError | undefined)[] {
  const isNamed = draft.name !== before?.name || draft.type !== before.type
  return [
    isNamed ? reverseNameError(draft) : undefined,
    draft.data === before?.data ? undefined : lengthError(draft),
  ]
}

/** The value of a record as stored in a recordset. Here a text with blanks is one string even without quotes. */
export function recordValueOf({ type, data, priority }: RecordDraft): string {
  if (typesWithPriority.includes(type)) return `${priority} ${data}`
  const isPlainText = typesOfText.includes(type) && !data.startsWith('"') && /\s/.test(data)
  return isPlainText ? `"${data.replaceAll(/["\\]/g, '\\$&')}"` : data
}

/** The draft that would create this record. */
export function recordDraftOf(
  { name, type, ttlSeconds }: Recordset,
  { value, mark }: MarkedRecord,
): RecordDraft {
  const { priority, data } = recordDataOf(type, value)
  const { description = null } = mark
  return { name, type, ttlSeconds, priority, data: mark.data ?? data, description }
}

/** A value of a recordset in the form of the older API. */
export function recordDataOf(type: string, value: string): RecordData {
  const [, priority, data] = typesWithPriority.includes(type)
    ? (/^(\d+)\s+(.+)$/s.exec(value) ?? [])
    : []
  if (priority === undefined || data === undefined) return { priority: null, data: value }
  return { priority: Number(priority), data }
}

const wholeReverseName = /^(?:(?:\d{1,3}\.){4}in-addr|(?:[0-9a-f]\.){32}ip6)\.arpa\.$/i

function reverseNameError({ name, type }: RecordDraft): FieldError | undefined {
  if (type !== 'PTR' || wholeReverseName.test(name)) return undefined
  const message = `${quote(name)} is not the reverse name of an address`
  return { path: ['name'], message, validator: 'pattern' }
}

function lengthError({ data }: RecordDraft): FieldError | undefined {
  if (data.length <= maxDataLength) return undefined
  return { path: ['data'], message: `${quote(data)} is too long`, validator: 'maxLength' }
}

function isWritten(type: string): boolean {
  return writtenRecordTypes.some(known => known === type)
}

function typeError(type: string): FieldError {
  const message = `${quote(type)} is not one of ${writtenRecordTypes.join(', ')}`
  return { path: ['type'], message, validator: 'enum' }
}

function priorityError({ type, priority }: RecordDraft): FieldError | undefined {
  const hasPriority = typesWithPriority.includes(type)
  if (hasPriority && priority === null) return required('priority')
  if (hasPriority || priority === null) return undefined
  return notAllowed('priority', `must be null for ${type}`)
}

function dataErrors(draft: RecordDraft): readonly FieldError[] {
  if (draft.type === 'A' && draft.data === '0.0.0.0') {
    return [{ path: ['data'], message: "'0.0.0.0' is no host's address", validator: 'format' }]
  }
  const { errors } = checkRecords(draft.type, [recordValueOf(draft)])
  return errors.map(error => ({ ...error, path: ['data'] }))
}
