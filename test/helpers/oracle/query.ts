import { opcodes, rcodes, types } from '../../../src/dns/codes.ts'
import { decodeEdns, type Edns } from '../../../src/dns/edns.ts'
import { FormatError } from '../../../src/dns/format-error.ts'
import {
  decodeHeader,
  flags,
  type Header,
  headerOctets,
  opcodeOf,
} from '../../../src/dns/header.ts'
import type { Question } from '../../../src/dns/message.ts'
import type { Name } from '../../../src/dns/name.ts'
import { Reader } from '../../../src/dns/reader.ts'
import { decodeTsig, type Tsig } from '../../../src/dns/tsig.ts'
import { judgeCookie } from './options.ts'

/** The only EDNS version there is (RFC 6891 section 6.1.3). */
export const ednsVersion = 0

/** A request, as far as it could be understood: a query, or a NOTIFY, which has the same form. */
export type Query = {
  readonly id: number
  /** All 16 flag bits as received. */
  readonly flags: number
  /** The one question; undefined where there was none, or several, or it could not be read. */
  readonly question: Question | undefined
  readonly edns: Edns | undefined
  readonly tsig: Tsig | undefined
  /** NOERROR, or the error for the request's form alone. */
  readonly rcode: number
}

/** Reads a request whatever its form; undefined for what must not be answered at all: too short to have
 *  an id, or itself a response (two servers could answer each other for ever). Never throws. */
export function readQuery(request: Uint8Array): Query | undefined {
  if (request.length < headerOctets) return undefined
  const reader = new Reader(request)
  const header = decodeHeader(reader)
  if ((header.flags & flags.response) !== 0) return undefined
  const opcode = opcodeOf(header.flags)
  const known: readonly number[] = [opcodes.query, opcodes.notify, opcodes.update]
  const isKnown = known.includes(opcode)
  return isKnown ? readBody(reader, header) : readUnknown(reader, header)
}

/** RFC 8906 section 3.1.4: an opcode we do not have may share nothing with ours but the header. Where the rest has our form, an
 *  OPT is answered with one, and one of another version with BADVERS (RFC 6891 section 6.1.3). */
function readUnknown(reader: Reader, header: Header): Query {
  const query = headerOnly(header, rcodes.notImp)
  if (header.questionCount > 1) return query
  const { edns, tsig, rcode } = readSections(reader, header)
  const isRead = rcode === rcodes.noError || rcode === rcodes.badVers
  if (edns === undefined || tsig !== undefined || !isRead) return query
  return { ...query, edns: { ...edns, options: [] }, rcode: rcode || rcodes.notImp }
}

function headerOnly(header: Header, rcode: number): Query {
  return { id: header.id, flags: header.flags, ...nothing, question: undefined, rcode }
}

function readBody(reader: Reader, header: Header): Query {
  // RFC 9619: a query has one question at most; BIND takes no more in a NOTIFY, either. Several are not read: which one
  // would the answer be to? And each could be a pointer to a long name, so that 64 kB of them would take a thread for
  // tens of milliseconds.
  if (header.questionCount > 1) return headerOnly(header, rcodes.formErr)
  const { question, rcode, ...additionals } = readSections(reader, header)
  const isEmpty = header.questionCount === 0 && !asksForCookie(header, additionals)
  const { id, flags } = header
  const formRcode = isEmpty && rcode === rcodes.noError ? rcodes.formErr : rcode
  return { id, flags, question, ...additionals, rcode: formRcode }
}

function readSections(reader: Reader, header: Header): Omit<Query, 'id' | 'flags'> {
  let question: Question | undefined
  let additionals: Additionals = nothing
  let rcode: number = rcodes.noError
  try {
    if (header.questionCount === 1) question = readQuestion(reader)
    skipRecords(reader, header.answerCount + header.authorityCount)
    additionals = readAdditionals(reader, header.additionalCount)
    const { edns } = additionals
    if (reader.remainingOctets > 0) rcode = rcodes.formErr
    else if (edns !== undefined && edns.version !== ednsVersion) rcode = rcodes.badVers
    else if (judgeCookie(edns).kind === 'malformed') rcode = rcodes.formErr
  } catch (error) {
    if (!(error instanceof FormatError)) throw error
    rcode = rcodes.formErr
  }
  return { question, ...additionals, rcode }
}

/** RFC 7873 section 5.4: a query without a question may ask for a cookie. */
function asksForCookie(header: Header, { edns }: Additionals): boolean {
  const isQuery = opcodeOf(header.flags) === opcodes.query
  return isQuery && edns?.version === ednsVersion && judgeCookie(edns).kind === 'given'
}

type Additionals = Pick<Query, 'edns' | 'tsig'>

const nothing: Additionals = { edns: undefined, tsig: undefined }

/** The first name of a message has nothing to point at, so it is not compressed. */
function readQuestion(reader: Reader): Question {
  const at = reader.offset
  const name = reader.name()
  if (reader.offset !== at + name.length) throw new FormatError('a question that is compressed')
  return { name, type: reader.u16(), class: reader.u16() }
}

/** Skips records that have no meaning here (an IXFR carries a SOA, and so may a NOTIFY). The targets of their pointers
 *  are not read: a request must not cost more than its octets.
 *  @throws FormatError an OPT (RFC 6891 section 6.1.1) or a TSIG (RFC 8945 section 5.1): neither belongs here. */
function skipRecords(reader: Reader, count: number): void {
  for (let i = 0; i < count; i += 1) {
    skipName(reader)
    const type = reader.u16()
    if (type === types.OPT || type === types.TSIG) throw new FormatError(`type ${type} misplaced`)
    skipRecordBody(reader)
  }
}

/** @throws FormatError more than one OPT, or one that is not owned by the root (RFC 6891 section 6.1.1); a TSIG that is
 *  not the last record (RFC 8945 section 5.1). */
function readAdditionals(reader: Reader, count: number): Additionals {
  let edns: Edns | undefined
  for (let i = 0; i < count; i += 1) {
    const ownerAt = reader.offset
    const isRootOwner = skipName(reader)
    const type = reader.u16()
    if (type === types.TSIG) {
      if (i < count - 1) throw new FormatError('TSIG is not the last record')
      return { edns, tsig: decodeTsig(reader, nameAt(reader.octets, ownerAt)) }
    }
    if (type !== types.OPT) {
      skipRecordBody(reader)
      continue
    }
    if (edns !== undefined) throw new FormatError('more than one OPT')
    if (!isRootOwner) throw new FormatError('OPT is not owned by the root')
    edns = decodeEdns(reader)
  }
  return { edns, tsig: undefined }
}

function nameAt(octets: Uint8Array, at: number): Name {
  const reader = new Reader(octets)
  reader.skip(at)
  return reader.name()
}

/** Skips class, TTL and rdata. */
function skipRecordBody(reader: Reader): void {
  reader.skip(6)
  reader.skip(reader.u16())
}

/** Skips a name without following its pointer, so at the cost of its octets here. Returns whether it is
 *  the root, written as such.
 *  @throws FormatError past the end, a pointer that does not go back, or a reserved label type. */
function skipName(reader: Reader): boolean {
  const start = reader.offset
  for (;;) {
    const at = reader.offset
    const length = reader.u8()
    if (length === 0) return at === start
    if (length >= 0xc0) {
      const target = ((length & 0x3f) << 8) | reader.u8()
      if (target >= at) throw new FormatError(`a pointer does not go back at offset ${at}`)
      return false
    }
    if (length > 0x3f) throw new FormatError(`a reserved label type at offset ${at}`)
    reader.skip(length)
  }
}
