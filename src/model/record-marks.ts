import { recordKeyOf } from './record-values.ts'
import type { RecordMark, RecordMarks, Recordset } from './recordset.ts'

// Data about each value of a recordset as a single record, for the older API: its number, its times and a
// description. In a recordset without such marks, as nearly all are, the values are numbered from 0 in their order
// and have the times of the recordset. So a record costs nothing until it differs from that.

/** How many numbers one recordset has: many more than values at a time. */
export const recordNumberCount = 0x1_0000

/** No value is empty. */
const none = ''

/** A value with its mark. */
export type MarkedRecord = { readonly value: string; readonly mark: RecordMark }

/** The fields of a recordset that hold its values. */
type RecordContents = Pick<Recordset, 'records' | 'recordMarks'>

/** The fields of a mark other than number and times. */
export type MarkFields = Pick<RecordMark, 'description' | 'data'>

/** The records of a recordset, in the order of its values. */
export function markedRecords(recordset: Recordset): readonly MarkedRecord[] {
  const { ofValues } = marksOf(recordset)
  return recordset.records.map((value, i) => ({
    value,
    mark: ofValues[i] ?? impliedMark(recordset, i),
  }))
}

/** The known fields of a record before it has a number; times only where they differ from those of a new record. */
export type KnownRecord = Partial<Omit<RecordMark, 'number'>>

/** The marks of a new recordset with one record. */
export function marksOfFirst(known: KnownRecord, atMicros: number): RecordMarks {
  return { nextNumber: 1, ofValues: [{ ...newMark(0, atMicros), ...known }] }
}

/** A recordset with one more record at the end. */
export function withRecord(
  before: Recordset,
  { value, known }: { readonly value: string; readonly known: KnownRecord },
  atMicros: number,
): RecordContents {
  const numbers = new Numbers(marksOf(before))
  const mark = { ...newMark(numbers.take(), atMicros), ...known }
  const ofValues = [...marksOf(before).ofValues, mark]
  return {
    records: [...before.records, value],
    recordMarks: { nextNumber: numbers.next, ofValues },
  }
}

/** A recordset without the record at a position. */
export function withoutRecord(before: Recordset, position: number): RecordContents {
  const { nextNumber, ofValues } = marksOf(before)
  return {
    records: before.records.toSpliced(position, 1),
    recordMarks: { nextNumber, ofValues: ofValues.toSpliced(position, 1) },
  }
}

/** A recordset with the record at a position replaced. */
export function withReplacedRecord(
  before: Recordset,
  position: number,
  { value, mark }: MarkedRecord,
): RecordContents {
  const { nextNumber, ofValues } = marksOf(before)
  return {
    records: before.records.with(position, value),
    recordMarks: { nextNumber, ofValues: ofValues.with(position, mark) },
  }
}

/** The mark of a record after a change. */
export function changedMark(mark: RecordMark, fields: MarkFields, atMicros: number): RecordMark {
  const { description: _description, data: _data, ...kept } = mark
  return { ...kept, ...fields, version: mark.version + 1, updatedAt: atMicros }
}

/** A recordset with all its values replaced by others. A value that stays is the same record, even if spelled
 *  differently. Where exactly one value was removed and one added, it is the same record with another value. All
 *  other added values are new records. */
export function withRecords(
  before: Recordset,
  records: readonly string[],
  atMicros: number,
): RecordContents {
  const isPlain = before.recordMarks === undefined && before.records.length === records.length
  if (isPlain && records.length === 1) return { records }
  const recordMarks = marksAfter(before, records, atMicros)
  const { nextNumber, ofValues } = recordMarks
  const areImplied =
    isPlain &&
    nextNumber === records.length &&
    ofValues.every(({ number }, position) => number === position)
  return areImplied ? { records } : { records, recordMarks }
}

function marksAfter(before: Recordset, records: readonly string[], atMicros: number): RecordMarks {
  const { type } = before
  const old = new Map(markedRecords(before).map(({ value, mark }) => [value, mark]))
  const given = new Set(records)
  const gone = keyed(
    type,
    [...old.keys()].filter(value => !given.has(value)),
  )
  const come = keyed(
    type,
    records.filter(value => !old.has(value)),
  )
  const followed = old.get(soleReplaced(gone, come) ?? none)
  const numbers = new Numbers(marksOf(before))
  const markOfNew = (key: string): RecordMark => {
    const respelled = old.get(gone.get(key) ?? none)
    if (respelled !== undefined) return withoutData(respelled)
    if (followed === undefined) return newMark(numbers.take(), atMicros)
    return changedMark(followed, descriptionOf(followed), atMicros)
  }
  const markByValue = new Map([...come].map(([key, value]) => [value, markOfNew(key)]))
  const ofValues = records.flatMap(value => old.get(value) ?? markByValue.get(value) ?? [])
  return { nextNumber: numbers.next, ofValues }
}

/** Values by their record key. Most values are matched by their text alone and need no parsing for this. */
function keyed(type: string, values: readonly string[]): ReadonlyMap<string, string> {
  return new Map(values.map(value => [recordKeyOf(type, value), value]))
}

/** The removed value where exactly one was removed and exactly one added. */
function soleReplaced(
  gone: ReadonlyMap<string, string>,
  come: ReadonlyMap<string, string>,
): string | undefined {
  const [value, ...others] = [...gone].flatMap(([key, each]) => (come.has(key) ? [] : [each]))
  const comeCount = [...come.keys()].filter(key => !gone.has(key)).length
  return others.length === 0 && comeCount === 1 ? value : undefined
}

function descriptionOf({ description }: RecordMark): MarkFields {
  return description === undefined ? {} : { description }
}

/** Numbers for new records. When all have been given out, counting restarts with the free ones: a recordset has
 *  fewer values than there are numbers, so some are always free. */
class Numbers {
  next: number
  readonly #taken: ReadonlySet<number>

  constructor({ nextNumber, ofValues }: RecordMarks) {
    this.next = nextNumber
    this.#taken = new Set(ofValues.map(({ number }) => number))
  }

  take(): number {
    let number = this.next % recordNumberCount
    while (this.#taken.has(number)) number = (number + 1) % recordNumberCount
    this.next = number + 1
    return number
  }
}

function marksOf(recordset: Recordset): RecordMarks {
  const { records, recordMarks } = recordset
  if (recordMarks !== undefined) return recordMarks
  return { nextNumber: records.length, ofValues: records.map((_, i) => impliedMark(recordset, i)) }
}

function impliedMark({ version, createdAt, updatedAt }: Recordset, number: number): RecordMark {
  return { number, version, createdAt, updatedAt }
}

/** Drops the value as given, which no longer applies to another spelling of the value. */
function withoutData(mark: RecordMark): RecordMark {
  const { data: _data, ...kept } = mark
  return kept
}

function newMark(number: number, atMicros: number): RecordMark {
  return { number, version: 1, createdAt: atMicros, updatedAt: null }
}
