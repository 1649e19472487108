import { ApiError, requireFound } from '../../errors.ts'
import {
  type RecordDraft,
  recordDataOf,
  recordDraftOf,
  recordValueOf,
} from '../../model/record-draft.ts'
import { parseRecordId, recordIdOf } from '../../model/record-id.ts'
import {
  changedMark,
  type KnownRecord,
  type MarkedRecord,
  type MarkFields,
  markedRecords,
  marksOfFirst,
  withoutRecord,
  withRecord,
  withReplacedRecord,
} from '../../model/record-marks.ts'
import { recordKeyOf } from '../../model/record-values.ts'
import type { Recordset } from '../../model/recordset.ts'
import type { Zone } from '../../model/zone.ts'
import type { StoreReader, Transaction } from '../../store/store.ts'
import { findRecordsetOf } from '../rules/find-recordset.ts'
import { getWritableRecordset } from '../rules/zone-access.ts'
import {
  deleteRecordset,
  putChangedRecordset,
  putNewRecordset,
  type RecordsetChange,
  requireNotManaged,
} from './recordset-rows.ts'

// Finds and writes single records: values of recordsets. A recordset is created with its first record and deleted with
// its last.

/** A record and its place. */
export type FoundRecord = MarkedRecord & {
  readonly recordset: Recordset
  /** The index of its value in the recordset. */
  readonly position: number
}

type Known = { readonly value: string; readonly known: KnownRecord }

/** The records of a recordset. */
export function recordsOf(recordset: Recordset): readonly FoundRecord[] {
  return markedRecords(recordset).map((record, position) => ({ ...record, recordset, position }))
}

/** Finds a record where its id says that it was created, or where it has moved since. Reads one recordset, however
 *  many the zone has. */
export function findRecord(
  reader: StoreReader,
  zone: Pick<Zone, 'id'>,
  id: string,
): FoundRecord | undefined {
  for (const recordset of reader.list('recordsets', 'byMovedRecord', id)) {
    if (recordset.zoneId === zone.id) return recordsOf(recordset).find(({ mark }) => mark.id === id)
  }
  const pointer = parseRecordId(id)
  if (pointer === undefined) return undefined
  const { createdAt, idPrefix, number } = pointer
  const after = { createdAt, id: idPrefix }
  for (const recordset of reader.list('recordsets', 'byZone', zone.id, { after })) {
    const isPointedTo = recordset.createdAt === createdAt && recordset.id.startsWith(idPrefix)
    if (!isPointedTo) return undefined
    const found = recordsOf(recordset).find(
      ({ mark }) => mark.number === number && mark.id === undefined,
    )
    if (found !== undefined) return found
  }
  return undefined
}

/** @throws ApiError record_not_found */
export function getRecord(reader: StoreReader, zone: Zone, id: string): FoundRecord {
  return requireFound(findRecord(reader, zone, id), 'record_not_found')
}

/** Adds a record to its recordset, which it creates if there is none. The TTL of a recordset is that of its first
 *  record.
 *  @param from the known data of a record that is not new
 *  @throws ApiError duplicate_record, and what `putNewRecordset` and `putChangedRecordset` throw */
export function addRecord(
  tx: Transaction,
  change: RecordsetChange,
  draft: RecordDraft,
  from: KnownRecord = {},
): FoundRecord {
  const value = recordValueOf(draft)
  const known = { ...from, ...fieldsOf(draft, value) }
  const existing = findRecordsetOf(tx, change.zone, draft)
  if (existing === undefined) return addFirst(tx, change, { ...draft, value, known })
  const before = getWritable(tx, change, existing)
  requireNewValue(before, value)
  const contents = withRecord(before, { value, known }, tx.atMicros)
  return lastOf(putChangedRecordset(tx, { ...change, before }, contents))
}

/** Changes the value, description or TTL of a record, the TTL for its whole recordset.
 *  @throws ApiError duplicate_record, and what `putChangedRecordset` throws */
export function replaceRecord(
  tx: Transaction,
  change: RecordsetChange,
  { recordset, position, ...before }: FoundRecord,
  draft: RecordDraft,
): FoundRecord {
  const was = recordDraftOf(recordset, before)
  const isSame = draft.data === was.data && draft.priority === was.priority
  const value = isSame ? before.value : recordValueOf(draft)
  requireNewValue({ ...recordset, ...withoutRecord(recordset, position) }, value)
  const mark = changedMark(before.mark, fieldsOf(draft, value), tx.atMicros)
  const contents = withReplacedRecord(recordset, position, { value, mark })
  const { ttlSeconds } = draft
  const changed = putChangedRecordset(
    tx,
    { ...change, before: recordset },
    { ...contents, ...(ttlSeconds !== was.ttlSeconds && { ttlSeconds }) },
  )
  return { recordset: changed, position, value, mark }
}

/** Moves a record to the recordset of another name or type. The record keeps its id.
 *  @throws ApiError what `addRecord` throws */
export function moveRecord(
  tx: Transaction,
  change: RecordsetChange,
  found: FoundRecord,
  draft: RecordDraft,
): FoundRecord {
  const { recordset, mark } = found
  removeRecord(tx, change, found)
  return addRecord(tx, change, draft, {
    id: recordIdOf(recordset, mark),
    version: mark.version + 1,
    createdAt: mark.createdAt,
    updatedAt: tx.atMicros,
  })
}

/** @throws ApiError what `putChangedRecordset` throws */
export function removeRecord(
  tx: Transaction,
  change: RecordsetChange,
  { recordset, position }: FoundRecord,
): void {
  if (recordset.records.length === 1) deleteRecordset(tx, change.zone, recordset)
  else putChangedRecordset(tx, { ...change, before: recordset }, withoutRecord(recordset, position))
}

function addFirst(
  tx: Transaction,
  change: RecordsetChange,
  { name, type, ttlSeconds, value, known }: RecordDraft & Known,
): FoundRecord {
  const draft = { name, type, ttlSeconds, description: null, records: [value] }
  // A record without any data beyond its recordset's needs no mark.
  const isPlain = Object.keys(known).length === 0
  const marks = isPlain ? {} : { recordMarks: marksOfFirst(known, tx.atMicros) }
  return lastOf(putNewRecordset(tx, change, { ...draft, ...marks }))
}

function getWritable(
  tx: Transaction,
  { caller, zone }: RecordsetChange,
  { id }: Recordset,
): Recordset {
  const recordset = getWritableRecordset(tx, caller, { zone, id })
  requireNotManaged({ caller, zone }, recordset, 'updated')
  return recordset
}

/** @throws ApiError duplicate_record */
function requireNewValue({ type, records }: Recordset, value: string): void {
  const key = recordKeyOf(type, value)
  if (!records.some(other => recordKeyOf(type, other) === key)) return
  throw new ApiError('duplicate_record', 'Duplicate Record')
}

/** The fields that a mark needs so that the record is shown as it was given. */
function fieldsOf({ type, data, description }: RecordDraft, value: string): MarkFields {
  return {
    ...(description !== null && { description }),
    ...(data !== recordDataOf(type, value).data && { data }),
  }
}

function lastOf(recordset: Recordset): FoundRecord {
  const found = recordsOf(recordset).at(-1)
  if (found === undefined) throw new Error(`recordset ${recordset.id} has no records`)
  return found
}
