import { classes, ednsOptions, opcodes, rcodes, types } from '../dns/codes.ts'
import { maxEdnsOptions } from '../dns/edns.ts'
import { FormatError } from '../dns/format-error.ts'
import { flags, headerOctets, opcodeOf } from '../dns/header.ts'
import { maxMessageOctets } from '../dns/message.ts'
import { skipName, u16 } from '../dns/octets.ts'
import { Reader } from '../dns/reader.ts'
import { decodeTsig, type Tsig } from '../dns/tsig.ts'
import type { TableMemory } from '../zone/table/memory.ts'
import { NameKey } from '../zone/table/name-key.ts'
import { ResponseRoom } from './response-room.ts'

/** How a request reached us, as far as it changes the answer. */
export type Transport = 'udp' | 'tcp'

/** The payload we offer and never exceed over UDP: it passes unfragmented practically everywhere. */
export const maxUdpPayloadOctets = 1232
/** RFC 1035 section 4.2.1: what every client takes over UDP; a payload size below means as much (RFC 6891 section 6.2.3). */
export const minUdpPayloadOctets = 512
/** Class, TTL and RDLENGTH of a record. */
const recordRestOctets = 8
/** Root owner, type, class, TTL and RDLENGTH of an OPT. */
const optFixedOctets = 11
const dnssecOkFlag = 0x80
const optionHeaderOctets = 4
/** RFC 7873 section 4: the client's cookie alone, or with the server's behind it. */
export const clientCookieOctets = 8
const minCookieOctets = 16
const maxCookieOctets = 40
/** The result of a read whose octets are malformed, as that of `skipName`. */
const broken = -1

/** A request of any form, read in place; it allocates nothing except for a TSIG. A request costs no more than its octets:
 *  of several questions none is read, and in records that are not used no pointer is followed. */
export class Request {
  octets: Uint8Array = noOctets
  /** Where the request ends in `octets`. */
  end = 0
  transport: Transport = 'udp'
  /** Whether the request gets a response: not if it is too short to have an id, nor if it is itself a response, or two
   *  servers could answer each other for ever. */
  isAnswerable = false
  /** NOERROR, or the rcode of the request before any zone is consulted. */
  rcode: number = rcodes.noError
  /** Whether zones are consulted for its name. */
  isOfZone = false
  isNotify = false
  /** Whether a whole zone or its changes are requested (RFC 5936, RFC 1995). */
  isTransfer = false
  isUpdate = false
  /** Whether there was one question that could be read. */
  hasQuestion = false
  /** The name asked for. */
  readonly key: NameKey
  qtype = 0
  qclass = 0
  /** Where the question ends, or the header where there is none. */
  questionEnd = headerOctets
  /** The most octets that the response may have. */
  limitOctets = 0
  hasEdns = false
  #version = 0
  isDnssecOk = false
  /** Whether the request has any of the options below. */
  hasOptions = false
  wantsIdentity = false
  wantsKeepalive = false
  wantsExpire = false
  /** Whether it is padded, so that its response is to be padded on an encrypted transport. */
  wantsPadding = false
  /** Where the octets of the COOKIE are, 0 for none, and their number. */
  cookieAt = 0
  cookieLength = 0
  #isCookieMalformed = false
  tsig: Tsig | undefined
  /** Where it begins. */
  tsigAt = 0
  /** Whether `zone` has been found for it (`RequestBatch`): the one that the name is in, 0 for none. */
  hasZone = false
  zone = 0
  /** Where its response is written. */
  readonly room = new ResponseRoom()

  constructor(memory: TableMemory) {
    this.key = new NameKey(memory)
  }

  /** Reads the first `end` octets. */
  read(octets: Uint8Array, end: number, transport: Transport): void {
    this.octets = octets
    this.end = end
    this.transport = transport
    this.hasQuestion = false
    this.hasZone = false
    this.isTransfer = false
    this.zone = 0
    this.questionEnd = headerOctets
    this.#forgetRecords()
    this.isAnswerable = end >= headerOctets && (u16(octets, 2) & flags.response) === 0
    this.rcode = this.isAnswerable ? this.#readMessage() : rcodes.formErr
    // Without a question that could be read there is an rcode.
    this.isOfZone = this.hasQuestion && this.rcode === rcodes.noError && this.tsig === undefined
  }

  /** Continues with a request whose TSIG is good. */
  passTsig(): void {
    if (!this.isNotify && !this.isUpdate && this.hasQuestion) this.rcode = this.#refusal()
    this.isOfZone = this.hasQuestion && this.rcode === rcodes.noError
  }

  get id(): number {
    return u16(this.octets, 0)
  }

  #readMessage(): number {
    const { octets } = this
    const opcode = opcodeOf(u16(octets, 2))
    this.isNotify = opcode === opcodes.notify
    this.isUpdate = opcode === opcodes.update
    if (opcode !== opcodes.query && !this.isNotify && !this.isUpdate) return this.#readUnknown()
    const questionCount = u16(octets, 4)
    // RFC 9619: a query has one question at most; BIND takes no more in a NOTIFY, either.
    if (questionCount > 1) return rcodes.formErr
    if (questionCount === 1 && !this.#readQuestion()) return rcodes.formErr
    const rcode = this.#readRecords()
    if (rcode === broken) this.#forgetRecords()
    if (rcode === broken) return rcodes.formErr
    if (rcode !== rcodes.noError) return rcode
    const isQuery = !this.isNotify && !this.isUpdate
    // RFC 7873 section 5.4: a cookie can be asked for alone.
    if (questionCount === 0) return this.cookieAt > 0 && isQuery ? rcode : rcodes.formErr
    if (this.tsig !== undefined || !isQuery) return rcode
    return this.#refusal()
  }

  /** RFC 8906 section 3.1.4: an opcode we do not have may share nothing with ours but the header. Where the rest has our form,
   *  an OPT is answered with one (RFC 6891 section 6.1.1), and one of another version with BADVERS (section 6.1.3). */
  #readUnknown(): number {
    const questionCount = u16(this.octets, 4)
    const isQuestionRead = questionCount === 0 || (questionCount === 1 && this.#readQuestion())
    const rcode = isQuestionRead ? this.#readRecords() : broken
    const isRead = rcode === rcodes.noError || rcode === rcodes.badVers
    if (!isRead || this.tsig !== undefined) this.#forgetRecords()
    if (this.hasOptions) this.#forgetOptions()
    this.hasQuestion = false
    this.questionEnd = headerOctets
    return this.#version > 0 ? rcodes.badVers : rcodes.notImp
  }

  /** The first name of a message has nothing to point at. */
  #readQuestion(): boolean {
    const { octets, end, key } = this
    if (!key.readOctets(octets, headerOctets, end)) return false
    const at = headerOctets + key.lengthOctets
    if (at + 4 > end) return false
    this.qtype = u16(octets, at)
    this.qclass = u16(octets, at + 2)
    this.questionEnd = at + 4
    this.hasQuestion = true
    return true
  }

  /** Returns NOERROR, BADVERS or FORMERR, or `broken` where the records cannot be distinguished, or are where they must not be:
   *  OPT and TSIG outside the additional section, twice, or a TSIG that is not the last (RFC 6891 section 6.1.1, RFC 8945
   *  section 5.1). An IXFR carries a SOA, and so may a NOTIFY. */
  #readRecords(): number {
    const { octets, end } = this
    const earlierCount = u16(octets, 6) + u16(octets, 8)
    const count = earlierCount + u16(octets, 10)
    let at = this.questionEnd
    if (count === 0) return at === end ? rcodes.noError : rcodes.formErr
    for (let i = 0; i < count; i += 1) {
      // The owner of an OPT is the root.
      const typeAt = octets[at] === 0 ? at + 1 : skipName(octets, at, end)
      if (typeAt === broken || typeAt + 2 + recordRestOctets > end) return broken
      const type = u16(octets, typeAt)
      const rdataAt = typeAt + 2 + recordRestOctets
      const rdataEnd = rdataAt + u16(octets, rdataAt - 2)
      if (rdataEnd > end) return broken
      const isSound =
        i < earlierCount
          ? type !== types.OPT && type !== types.TSIG
          : this.#readAdditional(type, at, rdataEnd, i === count - 1)
      if (!isSound) return broken
      at = rdataEnd
    }
    // What options mean is known for version 0 only.
    if (this.#version > 0) this.#forgetOptions()
    if (at < end) return rcodes.formErr
    if (this.#version > 0) return rcodes.badVers
    return this.#isCookieMalformed ? rcodes.formErr : rcodes.noError
  }

  #readAdditional(type: number, at: number, end: number, isLast: boolean): boolean {
    if (type === types.OPT) return this.#readOpt(at, end)
    return type !== types.TSIG || (isLast && this.#readTsig(at))
  }

  #readOpt(at: number, end: number): boolean {
    const { octets } = this
    const isRootOwner = octets[at] === 0
    if (this.hasEdns || !isRootOwner) return false
    if (at + optFixedOctets < end && !this.#readOptions(at + optFixedOctets, end)) return false
    this.hasEdns = true
    this.#version = octets[at + 6] as number
    this.isDnssecOk = ((octets[at + 7] as number) & dnssecOkFlag) !== 0
    if (this.transport === 'udp') {
      const wanted = Math.min(u16(octets, at + 3), maxUdpPayloadOctets)
      this.limitOctets = Math.max(wanted, minUdpPayloadOctets)
    }
    return true
  }

  /** Unknown options are ignored (RFC 6891 section 6.1.2), but must be well-formed. */
  #readOptions(start: number, end: number): boolean {
    const { octets } = this
    let at = start
    for (let count = 0; at < end; count += 1) {
      if (count === maxEdnsOptions || at + optionHeaderOctets > end) return false
      const length = u16(octets, at + 2)
      this.#readOption(u16(octets, at), at + optionHeaderOctets, length)
      at += optionHeaderOctets + length
    }
    return at === end
  }

  #readOption(code: number, at: number, length: number): void {
    switch (code) {
      case ednsOptions.nsid:
        this.wantsIdentity = true
        break
      case ednsOptions.cookie:
        // RFC 7873 section 4: of several the first.
        if (this.cookieAt > 0 || this.#isCookieMalformed) return
        this.#isCookieMalformed = !isCookieLength(length)
        this.cookieAt = this.#isCookieMalformed ? 0 : at
        this.cookieLength = length
        break
      case ednsOptions.tcpKeepalive:
        // RFC 7828 section 3.2.2: over UDP it means nothing.
        if (this.transport === 'udp') return
        this.wantsKeepalive = true
        break
      case ednsOptions.expire:
        this.wantsExpire = true
        break
      case ednsOptions.padding:
        this.wantsPadding = true
        break
      default:
        return
    }
    this.hasOptions = true
  }

  #readTsig(at: number): boolean {
    const reader = new Reader(this.octets.subarray(0, this.end))
    try {
      reader.skip(at)
      const keyName = reader.name()
      reader.skip(2)
      this.tsig = decodeTsig(reader, keyName)
      this.tsigAt = at
      return true
    } catch (error) {
      if (error instanceof FormatError) return false
      throw error
    }
  }

  #forgetRecords(): void {
    this.hasEdns = false
    this.#version = 0
    this.isDnssecOk = false
    if (this.hasOptions) this.#forgetOptions()
    this.tsig = undefined
    this.limitOctets = this.transport === 'tcp' ? maxMessageOctets : minUdpPayloadOctets
  }

  #transferRefusal(): number {
    this.isTransfer = this.qclass === classes.in
    return this.isTransfer ? rcodes.noError : rcodes.refused
  }

  #forgetOptions(): void {
    this.hasOptions = false
    this.wantsIdentity = false
    this.wantsKeepalive = false
    this.wantsExpire = false
    this.wantsPadding = false
    this.cookieAt = 0
    this.#isCookieMalformed = false
  }

  /** The rcode of a well-formed query before any zone is consulted; NOERROR to continue. */
  #refusal(): number {
    if (this.qclass === classes.in && isPlainData(this.qtype)) return rcodes.noError
    // ANY is answered from IN, the only class there is. Chaos names (version.bind) reveal nothing.
    if (this.qclass !== classes.in && this.qclass !== classes.any) return rcodes.refused
    switch (this.qtype) {
      // RFC 5936 section 4.2: there is no AXFR over UDP.
      case types.AXFR:
        if (this.transport === 'udp') return rcodes.formErr
        return this.#transferRefusal()
      case types.IXFR:
        return this.#transferRefusal()
      // RFC 973 made them obsolete; nothing can be stored under them.
      case types.MAILA:
      case types.MAILB:
        return rcodes.notImp
      // Parts of a message are not data that can be queried.
      case types.OPT:
      case types.TSIG:
        return rcodes.formErr
      // It never leaves this server, and no data has type 0.
      case types.ALIAS:
        this.qtype = 0
        return rcodes.noError
      default:
        return rcodes.noError
    }
  }
}

const noOctets = new Uint8Array()

/** Whether the type has no rules of its own. */
function isPlainData(type: number): boolean {
  if (type < types.TSIG) return type !== types.OPT
  return type > types.ANY && type !== types.ALIAS
}

function isCookieLength(length: number): boolean {
  return length === clientCookieOctets || (length >= minCookieOctets && length <= maxCookieOctets)
}
