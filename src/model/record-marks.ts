import { recordKeyOf } from './record-values.ts'
import type { RecordMark, RecordMarks, Recordset } from './recordset.ts'

// What is known of each value of a recordset as a record of its own, for the older API: its number, its times and
// a description. A recordset that has none of it, as nearly all have, stands for the obvious: its values are
// numbered from 0 as they stand, and as old as it is. So a record costs nothing until it differs from that.

/** Numbers there are in one recordset: many more than values at a time. */
export const recordNumberCount = 0x1_0000

/** No value is empty. */
const none = ''

/** A value with its mark. */
export type MarkedRecord = { readonly value: string; readonly mark: RecordMark }

/** What of a recordset its values are. */
export type RecordContents = Pick<Recordset, 'records' | 'recordMarks'>

/** What marks say of a record, beside number and times. */
export type MarkFields = Pick<RecordMark, 'description' | 'data'>

/** The records of a recordset, in the order of its values. */
export function markedRecords(recordset: Recordset): readonly MarkedRecord[] {
  const { ofValues } = marksOf(recordset)
  return recordset.records.map((value, i) => ({
    value,
    mark: ofValues[i] ?? impliedMark(recordset, i),
  }))
}

/** What is known of a record before it has a number; times where they are not those of something new. */
export type KnownRecord = Partial<Omit<RecordMark, 'number'>>

/** The marks of a new recordset with one record. */
export function marksOfFirst(known: KnownRecord, atMicros: number): RecordMarks {
  return { nextNumber: 1, ofValues: [{ ...newMark(0, atMicros), ...known }] }
}

/** A recordset with one record more, at the end. */
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

/** A recordset with another record at a position. */
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

/** The mark of a record after a change of it. */
export function changedMark(mark: RecordMark, fields: MarkFields, atMicros: number): RecordMark {
  const { description: _description, data: _data, ...kept } = mark
  return { ...kept, ...fields, version: mark.version + 1, updatedAt: atMicros }
}

/** A recordset with other values, given all together. A value that stays is the same record, however it is
 *  spelled now. Where one has gone and one has come, that one is the same record with another value. Whatever
 *  else has come is new. */
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

/** Values by what makes them one record. Most are found by their text alone and need not be read for this. */
function keyed(type: string, values: readonly string[]): ReadonlyMap<string, string> {
  return new Map(values.map(value => [recordKeyOf(type, value), value]))
}

/** The one value that has gone, where just one has come in its stead. */
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

/** Numbers for new records. When all have been given they begin anew with those that are free: a recordset has
 *  fewer values than there are numbers, so there always are some. */
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

/** With another spelling of the value, how it was given says nothing any more. */
function withoutData(mark: RecordMark): RecordMark {
  const { data: _data, ...kept } = mark
  return kept
}

function newMark(number: number, atMicros: number): RecordMark {
  return { number, version: 1, createdAt: atMicros, updatedAt: null }
}
