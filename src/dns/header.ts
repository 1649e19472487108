import type { Reader } from './reader.ts'
import type { Writer } from './writer.ts'

/** Octets of the fixed header (RFC 1035 section 4.1.1). */
export const headerOctets = 12
/** Where the number of additional records is. */
export const additionalCountAt = 10

/** The second 16 bits of the header, as masks. */
export const flags = {
  response: 0x8000,
  authoritative: 0x0400,
  truncated: 0x0200,
  recursionDesired: 0x0100,
  recursionAvailable: 0x0080,
  authenticData: 0x0020,
  checkingDisabled: 0x0010,
} as const

const opcodeShift = 11
const opcodeMask = 0x7800
const rcodeMask = 0x000f

export type Header = {
  readonly id: number
  /** All 16 flag bits, opcode and rcode included. */
  readonly flags: number
  readonly questionCount: number
  readonly answerCount: number
  readonly authorityCount: number
  readonly additionalCount: number
}

/** @throws FormatError fewer than twelve octets. */
export function decodeHeader(reader: Reader): Header {
  return {
    id: reader.u16(),
    flags: reader.u16(),
    questionCount: reader.u16(),
    answerCount: reader.u16(),
    authorityCount: reader.u16(),
    additionalCount: reader.u16(),
  }
}

export function encodeHeader(writer: Writer, header: Header): void {
  writer.u16(header.id)
  writer.u16(header.flags)
  writer.u16(header.questionCount)
  writer.u16(header.answerCount)
  writer.u16(header.authorityCount)
  writer.u16(header.additionalCount)
}

export function opcodeOf(headerFlags: number): number {
  return (headerFlags & opcodeMask) >>> opcodeShift
}

export function opcodeFlags(opcode: number): number {
  return (opcode << opcodeShift) & opcodeMask
}

/** The low four bits; the rest of an extended rcode is in OPT (RFC 6891 section 6.1.3). */
export function rcodeOf(headerFlags: number): number {
  return headerFlags & rcodeMask
}
