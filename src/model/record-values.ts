import { FormatError } from '../dns/format-error.ts'
import { formatRdata, parseRdata, typeCode } from '../dns/rdata/index.ts'
import { splitText } from '../dns/rdata/split-text.ts'
import type { FieldError } from '../errors.ts'
import { quote } from './quote.ts'

/** Octets of all records of one owner and type in a message. What is left of 65,535 holds header, question,
 *  OPT and TSIG, so a record set that is accepted can also be answered, and transferred. */
const maxRrsetOctets = 63 * 1024
/** Octets of a record besides its rdata, its owner compressed. */
const recordOverheadOctets = 12

/** Values as a record set may store them, and what keeps others out. */
export type CheckedRecords = {
  /** As given and in the order given, each record once. */
  readonly records: readonly string[]
  readonly errors: readonly FieldError[]
}

/** Checks the values of a record set of a type that `recordTypeError` lets pass, by parsing them to wire
 *  form: nothing that could not be answered or transferred gets into a zone. */
export function checkRecords(type: string, values: readonly string[]): CheckedRecords {
  const code = typeCode(type) ?? 0
  const recordByKey = new Map<string, string>()
  const errors: FieldError[] = []
  let rrsetOctets = 0
  for (const [i, value] of values.entries()) {
    const rdata = rdataOrProblem(code, value)
    if (typeof rdata === 'string') errors.push(valueError(type, { value, i, problem: rdata }))
    else if (!recordByKey.has(recordKey(code, rdata))) {
      recordByKey.set(recordKey(code, rdata), value)
      rrsetOctets += recordOverheadOctets + rdata.length
    }
  }
  if (rrsetOctets > maxRrsetOctets) errors.push(sizeError(rrsetOctets))
  return { records: [...recordByKey.values()], errors }
}

/** The values of a TXT or SPF record set with each string that is too long split into several; those of other types, and
 *  what is no value of theirs, as they are. */
export function splitLongTexts(type: string, values: readonly string[]): readonly string[] {
  if (type !== 'TXT' && type !== 'SPF') return values
  return values.map(value => {
    try {
      return splitText(value)
    } catch (error) {
      // Said when the value is checked, as of any other.
      if (error instanceof FormatError) return value
      throw error
    }
  })
}

/** What two values of a type have in common exactly if they are one record. A value that cannot be read, as one
 *  that was stored under other rules, is like itself alone. */
export function recordKeyOf(type: string, value: string): string {
  const code = typeCode(type) ?? 0
  const rdata = rdataOrProblem(code, value)
  return typeof rdata === 'string' ? `unreadable ${value}` : recordKey(code, rdata)
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

/** Two values are one record when they differ in form only, or in the case of the names of these types
 *  (RFC 2181 section 5, RFC 4034 section 6.2). */
function recordKey(code: number, rdata: Uint8Array): string {
  if (typesOfNames.has(code)) return formatRdata(code, rdata).toLowerCase()
  return Buffer.from(rdata.buffer, rdata.byteOffset, rdata.length).toString('latin1')
}

/** Whether records of a type may be one although their octets differ. */
export function mayDifferInCase(code: number): boolean {
  return typesOfNames.has(code)
}

const typesOfNames: ReadonlySet<number | undefined> = new Set(
  ['NS', 'CNAME', 'PTR', 'MX', 'SRV', 'DNAME'].map(typeCode),
)

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
