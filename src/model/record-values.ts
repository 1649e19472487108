import { FormatError, ifWellFormed } from '../dns/format-error.ts'
import { parseRdata, typeCode } from '../dns/rdata/index.ts'
import { mayDifferInCase, rdataKey } from '../dns/rdata/rdata-key.ts'
import { splitText } from '../dns/rdata/split-text.ts'
import type { FieldError } from '../errors.ts'
import { quote } from './quote.ts'

/** Maximum octets of all records of one owner and type in a message. The rest of 65,535 holds header, question,
 *  OPT and TSIG, so every accepted recordset can be answered and transferred. */
const maxRrsetOctets = 63 * 1024
/** Octets of a record besides its rdata, with its owner compressed. */
const recordOverheadOctets = 12

/** The values that a recordset may store, and the errors of the others. */
type CheckedRecords = {
  /** As given, in the order given, without duplicate records. */
  readonly records: readonly string[]
  readonly errors: readonly FieldError[]
}

/** The most recently parsed lists of values, which pass from a request through the rules to the store and the publisher.
 *  Lists are never changed, so each is parsed to wire form once. */
const readLists: ReadList[] = []
const maxReadLists = 64
let nextReadList = 0
type ReadList = {
  readonly values: readonly string[]
  readonly code: number
  readonly rdatas: readonly Uint8Array[]
  /** Whether a recordset may store them. */
  readonly isChecked: boolean
}

function readListOf(code: number, values: readonly string[]): ReadList | undefined {
  const known = readLists.find(list => list.values === values)
  return known?.code === code ? known : undefined
}

function noteReadList(list: ReadList): void {
  readLists[nextReadList] = list
  nextReadList = (nextReadList + 1) % maxReadLists
}

/** The values of a recordset in wire form, each complete and uncompressed.
 *  @throws FormatError one of them is no value of this type */
export function rdatasOf(code: number, records: readonly string[]): readonly Uint8Array[] {
  const known = readListOf(code, records)
  if (known !== undefined) return known.rdatas
  const rdatas = records.map(value => parseRdata(code, value))
  noteReadList({ values: records, code, rdatas, isChecked: false })
  return rdatas
}

/** Checks the values of a recordset of a type that `recordTypeError` accepts, by parsing them to wire form:
 *  a value that could not be answered or transferred does not get into a zone. */
export function checkRecords(type: string, values: readonly string[]): CheckedRecords {
  const code = typeCode(type) ?? 0
  if (readListOf(code, values)?.isChecked) return { records: values, errors: [] }
  const recordByKey = new Map<string, string>()
  const rdatas: Uint8Array[] = []
  const errors: FieldError[] = []
  let rrsetOctets = 0
  for (const [i, value] of values.entries()) {
    const rdata = rdataOrProblem(code, value)
    if (typeof rdata === 'string') {
      errors.push(valueError(type, { value, i, problem: rdata }))
      continue
    }
    // Only others could be the same record.
    const key = values.length === 1 ? '' : rdataKey(code, rdata)
    if (recordByKey.has(key)) continue
    recordByKey.set(key, value)
    rdatas.push(rdata)
    rrsetOctets += recordOverheadOctets + rdata.length
  }
  if (rrsetOctets > maxRrsetOctets) errors.push(sizeError(rrsetOctets))
  const records = recordByKey.size === values.length ? values : [...recordByKey.values()]
  if (errors.length === 0) noteReadList({ values: records, code, rdatas, isChecked: true })
  return { records, errors }
}

/** The records of a type without duplicates; records that differ only in the case of a name are one. */
export function distinctRdatas(code: number, rdatas: readonly Uint8Array[]): readonly Uint8Array[] {
  if (rdatas.length === 1 || !mayDifferInCase(code)) return rdatas
  const byKey = new Map<string, Uint8Array>()
  for (const rdata of rdatas) {
    const key = rdataKey(code, rdata)
    if (!byKey.has(key)) byKey.set(key, rdata)
  }
  return [...byKey.values()]
}

/** Checks that records fit into an answer together. */
export function rdatasError(rdatas: readonly Uint8Array[]): FieldError | undefined {
  const octets = rdatas.reduce((sum, { length }) => sum + recordOverheadOctets + length, 0)
  return octets > maxRrsetOctets ? sizeError(octets) : undefined
}

/** The values of a TXT or SPF recordset with each string that is too long split into several; those of other types, and
 *  invalid values, unchanged. */
export function splitLongTexts(type: string, values: readonly string[]): readonly string[] {
  if (type !== 'TXT' && type !== 'SPF') return values
  // An invalid one is reported when the value is checked, as for other types.
  return values.map(value => ifWellFormed(() => splitText(value)) ?? value)
}

/** A key that two values of a type share exactly if they are one record. A value that cannot be parsed, such as one
 *  that was stored under other rules, equals only itself. */
export function recordKeyOf(type: string, value: string): string {
  const code = typeCode(type) ?? 0
  const rdata = rdataOrProblem(code, value)
  return typeof rdata === 'string' ? `unreadable ${value}` : rdataKey(code, rdata)
}

/** A key that two lists of values of a type share exactly if they are the same records, in any order. */
export function recordsKeyOf(type: string, values: readonly string[]): string {
  return JSON.stringify([...new Set(values.map(value => recordKeyOf(type, value)))].sort())
}

function rdataOrProblem(code: number, value: string): Uint8Array | string {
  if (value !== value.trim()) return 'it has blanks around it'
  try {
    return parseRdata(code, value)
  } catch (error) {
    if (error instanceof FormatError) return error.message
    throw error
  }
}

function valueError(
  type: string,
  { value, i, problem }: { value: string; i: number; problem: string },
): FieldError {
  return {
    path: ['records', i],
    message: `${quote(value)} is not a '${type}' Record: ${problem}`,
    validator: 'format',
    validator_value: [type],
  }
}

function sizeError(rrsetOctets: number): FieldError {
  return {
    path: ['records'],
    message: `The records have ${rrsetOctets} octets together, at most ${maxRrsetOctets} fit into an answer`,
    validator: 'maxOctets',
    validator_value: maxRrsetOctets,
  }
}
