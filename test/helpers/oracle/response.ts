import { classes, ednsOptions, rcodes, types } from '../../../src/dns/codes.ts'
import { type Edns, ednsOctets, encodeEdns } from '../../../src/dns/edns.ts'
import { encodeHeader, flags, opcodeFlags, opcodeOf } from '../../../src/dns/header.ts'
import type { Name } from '../../../src/dns/name.ts'
import { writeRdata } from '../../../src/dns/rdata/index.ts'
import { encodeTsig, type Tsig } from '../../../src/dns/tsig.ts'
import { Writer } from '../../../src/dns/writer.ts'
import type { Transport } from '../../../src/nameserver/request.ts'
import type { Rrset } from '../../../src/zone/rrset.ts'
import { soaNumbers } from '../../../src/zone/soa.ts'
import { optionsFor } from './options.ts'
import { ednsVersion, type Query } from './query.ts'

/** The payload we offer and never exceed over UDP: what passes unfragmented practically everywhere. */
export const maxUdpPayloadOctets = 1232

/** The sections that RRsets go into, in the order of the message. */
export type Section = 'answer' | 'authority' | 'additional'

/** Where the flags and the counts are in the header. */
const flagsOffset = 2
const countOffsets = { answer: 6, authority: 8, additional: 10 } as const

const emptyHeader = { questionCount: 0, answerCount: 0, authorityCount: 0, additionalCount: 0 }

/** One response under construction. Sections are put in the order of the message; `finish` closes it. The
 *  room for OPT is set aside at the start, so it fits whatever the sections do (RFC 6891 section 7). */
export class Response {
  /** Twelve bits; the upper eight travel in OPT. */
  rcode: number = rcodes.noError
  /** RFC 8914 */
  extendedError: number | undefined
  /** RFC 7314 */
  #expireSeconds: number | undefined
  isAuthoritative = false
  /** The last record. */
  tsig: Tsig | undefined
  readonly #query: Query
  readonly #writer: Writer
  readonly #limitOctets: number
  readonly #transport: Transport
  readonly #counts = { answer: 0, authority: 0, additional: 0 }
  #isTruncated = false

  /** Starts the response to `query` in `buffer`, which it uses until the response has been sent. */
  constructor(query: Query, buffer: Uint8Array, limitOctets: number, transport: Transport = 'udp') {
    this.#query = query
    this.#transport = transport
    this.#limitOctets = Math.min(limitOctets, buffer.length)
    const edns = query.edns === undefined ? undefined : this.#replyEdns(query.edns)
    const reservedOctets = edns === undefined ? 0 : ednsOctets(edns)
    this.#writer = new Writer(buffer, this.#limitOctets - reservedOctets)
    this.#putHead()
  }

  /** Whether something that must be there did not fit. Nothing more is put then. */
  get isTruncated(): boolean {
    return this.#isTruncated
  }

  /** Puts a whole RRset that the response is wrong without; otherwise sets TC (RFC 2181 section 9). */
  putRequired(section: Section, owner: Name, rrset: Rrset): void {
    if (!this.putOptional(section, owner, rrset)) this.#isTruncated = true
  }

  /** Whether names that are put from here on can be pointed at (RFC 1035 section 4.1.4). */
  get isWithinReach(): boolean {
    return this.#writer.offset < 2 ** 14
  }

  /** Whether the client wants signatures (RFC 3225). */
  get isDnssecOk(): boolean {
    return this.#query.edns?.isDnssecOk ?? false
  }

  /** Puts a whole RRset if it fits, and returns whether it did. */
  putOptional(section: Section, owner: Name, rrset: Rrset): boolean {
    if (this.#isTruncated) return false
    const mark = this.#writer.mark()
    for (const rdata of rrset.rdatas) {
      putRecord(this.#writer, owner, { type: rrset.type, ttlSeconds: rrset.ttlSeconds, rdata })
      if (!this.#writer.hasOverflowed) continue
      this.#writer.rollback(mark)
      return false
    }
    this.#counts[section] += rrset.rdatas.length
    return true
  }

  /** Puts a text about the server, of class CH, as the answer to the question. */
  putChaosText(text: Uint8Array): void {
    const { question } = this.#query
    if (question === undefined) return
    const rdata = Uint8Array.of(text.length, ...text)
    const record = { type: types.TXT, class: classes.chaos, ttlSeconds: 0, rdata }
    putRecord(this.#writer, question.name, record)
    this.#counts.answer += 1
  }

  /** Adds the EXPIRE of a zone, if the client asks for it and there is room. */
  putExpire(soa: Rrset): void {
    const isAsked = this.#query.edns?.options.some(({ code }) => code === ednsOptions.expire)
    if (!isAsked || this.#query.edns?.version !== 0 || this.#isTruncated) return
    const mark = this.#writer.mark()
    this.#writer.octets(new Uint8Array(8))
    if (!this.#writer.hasOverflowed) this.#expireSeconds = soaNumbers(soa).expireSeconds
    this.#writer.rollback(mark)
  }

  /** Writes the parts that are only known at the end. The result is a view of the buffer. */
  finish(): Uint8Array {
    const writer = this.#writer
    writer.setLimit(this.#limitOctets)
    if (this.#query.edns !== undefined) {
      encodeEdns(writer, this.#replyEdns(this.#query.edns))
      this.#counts.additional += 1
    }
    if (this.tsig !== undefined) this.#putTsig(this.tsig)
    writer.patch16(flagsOffset, this.#flags())
    writer.patch16(countOffsets.answer, this.#counts.answer)
    writer.patch16(countOffsets.authority, this.#counts.authority)
    writer.patch16(countOffsets.additional, this.#counts.additional)
    return writer.finish()
  }

  /** The names in it can be longer than what a client takes over UDP; it can come again over TCP. */
  #putTsig(tsig: Tsig): void {
    const mark = this.#writer.mark()
    encodeTsig(this.#writer, tsig)
    if (this.#writer.hasOverflowed) {
      this.#writer.rollback(mark)
      this.#isTruncated = true
    } else this.#counts.additional += 1
  }

  #putHead(): void {
    const { id, question } = this.#query
    const questionCount = question === undefined ? 0 : 1
    encodeHeader(this.#writer, { ...emptyHeader, id, flags: 0, questionCount })
    if (question === undefined) return
    // As sent, case included: resolvers compare it octet by octet (0x20 hardening).
    this.#writer.name(question.name)
    this.#writer.u16(question.type)
    this.#writer.u16(question.class)
  }

  /** Our OPT to the client's: the options it asks for, others are ignored (RFC 6891 section 6.1.2), and DO copied, as RFC
   *  3225 section 3 demands of servers with and without signatures. */
  #replyEdns(edns: Edns): Edns {
    return {
      payloadOctets: maxUdpPayloadOctets,
      extendedRcode: this.rcode >>> 4,
      version: ednsVersion,
      isDnssecOk: edns.isDnssecOk,
      options: optionsFor(edns, {
        transport: this.#transport,
        extendedError: this.extendedError,
        expireSeconds: this.#expireSeconds,
      }),
    }
  }

  /** RD is the client's own (RFC 1035 section 4.1.1). RA, AD, CD and the reserved bit stay clear: this is no
   *  resolver (RFC 4035 section 3.1.6). */
  #flags(): number {
    const received = this.#query.flags
    return (
      flags.response |
      opcodeFlags(opcodeOf(received)) |
      (this.isAuthoritative ? flags.authoritative : 0) |
      (this.#isTruncated ? flags.truncated : 0) |
      (received & flags.recursionDesired) |
      (this.rcode & 0x0f)
    )
  }
}

function putRecord(
  writer: Writer,
  owner: Name,
  record: { type: number; class?: number; ttlSeconds: number; rdata: Uint8Array },
): void {
  writer.compressedName(owner)
  writer.u16(record.type)
  writer.u16(record.class ?? classes.in)
  writer.u32(record.ttlSeconds)
  const lengthAt = writer.offset
  writer.u16(0)
  writeRdata(writer, record.type, record.rdata)
  if (!writer.hasOverflowed) writer.patch16(lengthAt, writer.offset - lengthAt - 2)
}
