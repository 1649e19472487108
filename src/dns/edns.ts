import { types } from './codes.ts'
import { FormatError } from './format-error.ts'
import type { Reader } from './reader.ts'
import type { Writer } from './writer.ts'

/** One option, its octets uninterpreted. */
export type EdnsOption = { readonly code: number; readonly octets: Uint8Array }

/** The OPT pseudo-record (RFC 6891 section 6.1). */
export type Edns = {
  /** As received: below 512 means 512 (RFC 6891 section 6.2.3), which the caller has to apply. */
  readonly payloadOctets: number
  /** Upper eight bits of the response code; the lower four are in the header. */
  readonly extendedRcode: number
  readonly version: number
  /** The DO bit (RFC 3225). */
  readonly isDnssecOk: boolean
  readonly options: readonly EdnsOption[]
}

/** RFC 6891 sets no bound on options; clients send a handful at most. */
export const maxEdnsOptions = 64

const dnssecOkFlag = 0x8000
/** Root owner, type, class, TTL and RDLENGTH. */
const fixedOctets = 11
const optionHeaderOctets = 4

/** Reads the rest of an OPT record whose owner and type have been read. Unknown flags are ignored.
 *  Options share the message's memory.
 *  @throws FormatError an option runs past the rdata, or there are more than `maxEdnsOptions`. */
export function decodeEdns(reader: Reader): Edns {
  const payloadOctets = reader.u16()
  const extendedRcode = reader.u8()
  const version = reader.u8()
  const ednsFlags = reader.u16()
  const options = reader.within(reader.u16(), () => decodeOptions(reader))
  return {
    payloadOctets,
    extendedRcode,
    version,
    isDnssecOk: (ednsFlags & dnssecOkFlag) !== 0,
    options,
  }
}

/** Writes the whole record, its root owner included. */
export function encodeEdns(writer: Writer, edns: Edns): void {
  writer.u8(0)
  writer.u16(types.OPT)
  writer.u16(edns.payloadOctets)
  writer.u8(edns.extendedRcode)
  writer.u8(edns.version)
  writer.u16(edns.isDnssecOk ? dnssecOkFlag : 0)
  writer.u16(optionsOctets(edns.options))
  for (const option of edns.options) {
    writer.u16(option.code)
    writer.u16(option.octets.length)
    writer.octets(option.octets)
  }
}

/** Returns how many octets `encodeEdns` will write, to be reserved before the sections are written. */
export function ednsOctets(edns: Edns): number {
  return fixedOctets + optionsOctets(edns.options)
}

function decodeOptions(reader: Reader): EdnsOption[] {
  const options: EdnsOption[] = []
  while (reader.remainingOctets > 0) {
    if (options.length === maxEdnsOptions) {
      throw new FormatError(`more than ${maxEdnsOptions} EDNS options at offset ${reader.offset}`)
    }
    const code = reader.u16()
    options.push({ code, octets: reader.take(reader.u16()) })
  }
  return options
}

function optionsOctets(options: readonly EdnsOption[]): number {
  return options.reduce((sum, option) => sum + optionHeaderOctets + option.octets.length, 0)
}
