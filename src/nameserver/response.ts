import { classes, rcodes, types } from '../dns/codes.ts'
import { flags, headerOctets } from '../dns/header.ts'
import { put16, u16 } from '../dns/octets.ts'
import { padMessage } from '../dns/padding.ts'
import { encodeTsig, type Tsig } from '../dns/tsig.ts'
import type { Signing, TsigSigner } from '../dns/tsig-signer.ts'
import { Writer } from '../dns/writer.ts'
import type { TableMemory } from '../zone/table/memory.ts'
import { RecordWriter, sections } from './record-writer.ts'
import { maxUdpPayloadOctets, type Request } from './request.ts'
import { expireOptionOctets, type ResponseOptions } from './response-options.ts'

/** The header bits that a response copies from its request: opcode and RD (RFC 1035 section 4.1.1). RA, AD, CD and the
 *  reserved bit stay clear: this is no resolver (RFC 4035 section 3.1.6). */
const copiedFlags = 0x7800 | flags.recursionDesired
const flagsAt = 2
const questionCountAt = 4
const dnssecOkFlag = 0x8000
const optOctets = 11
/** Of a record with a text, whose owner is a pointer. */
const chaosRecordOctets = 13
/** Two names of 255 octets, and the numbers; a MAC is at most as long as a digest. */
const maxTsigOctets = 1024

/** One response. Sections are put in the order of the message; `finish` closes it. The room for OPT is reserved from the start, so it
 *  always fits (RFC 6891 section 7). */
export class Response extends RecordWriter {
  /** Twelve bits; the upper eight travel in OPT. */
  rcode: number = rcodes.noError
  /** One of `extendedErrors`, or 0. Only for responses without records. */
  extendedError = 0
  /** In EXPIRE; negative for none. */
  expireSeconds = -1
  isAuthoritative = false
  /** Whether it is padded (RFC 7830). */
  isPadded = false
  /** How many octets of it are padding. */
  paddingOctets = 0
  /** A TSIG without a MAC, to be put as the last record. */
  tsig: Tsig | undefined
  /** The signer of the response. */
  #signer: TsigSigner | undefined
  #signing: Signing | undefined
  readonly #options: ResponseOptions
  #request: Request

  constructor(memory: TableMemory, options: ResponseOptions, request: Request) {
    super(memory, request.key)
    this.#options = options
    this.#request = request
  }

  /** Starts the response to the request in `octets`. */
  begin(request: Request, octets: Uint8Array): void {
    const { octets: sent, questionEnd } = request
    this.#request = request
    this.rcode = request.rcode
    this.extendedError = 0
    this.expireSeconds = -1
    this.isAuthoritative = false
    this.isPadded = false
    this.paddingOctets = 0
    this.tsig = undefined
    this.#signer = undefined
    this.beginRecords(octets, request)
    if (request.hasEdns) this.limit -= optOctets
    if (request.hasOptions) this.limit -= this.#options.octetsFor(request)
    octets[0] = sent[0] as number
    octets[1] = sent[1] as number
    octets[questionCountAt] = 0
    octets[questionCountAt + 1] = request.hasQuestion ? 1 : 0
    for (let i = sections.answer; i < headerOctets; i += 1) octets[i] = 0
    // As sent, case included: resolvers compare it octet by octet (0x20 hardening).
    for (let i = headerOctets; i < questionEnd; i += 1) octets[i] = sent[i] as number
  }

  /** Makes the response end in a TSIG, for which room is reserved from now on. */
  sign(signer: TsigSigner, signing: Signing): void {
    this.#signer = signer
    this.#signing = signing
    this.limit -= signer.recordOctets
  }

  /** Removes all but the question, and sets TC if anything was removed, so that a client asks again over TCP. */
  cutShort(): void {
    const octets = this.octets
    this.isTruncated ||= u16(octets, sections.answer) + u16(octets, sections.authority) > 0
    this.at = this.#request.questionEnd
    for (let i = sections.answer; i < headerOctets; i += 1) octets[i] = 0
  }

  /** Removes all but the question, to begin the answer again. */
  beginAgain(): void {
    this.cutShort()
    this.rcode = this.#request.rcode
    this.isAuthoritative = false
    this.forgetRecords(this.#request)
  }

  /** Removes all but the question, and sets SERVFAIL. */
  fail(): void {
    this.cutShort()
    this.isTruncated = false
    this.isAuthoritative = false
    this.rcode = rcodes.servFail
  }

  /** Removes all but the question and the cookie with which to ask again (RFC 7873 section 5.2.3). */
  demandCookie(): void {
    this.cutShort()
    this.isTruncated = false
    this.isAuthoritative = false
    this.rcode = rcodes.badCookie
  }

  /** Puts a text about this server, as the answer (RFC 4892), where there is room. */
  putChaosText(text: Uint8Array): void {
    if (this.at + chaosRecordOctets + text.length > this.limit) {
      this.isTruncated = true
      return
    }
    this.putPointer(this.ownerInQuestion(0))
    const octets = this.octets
    const at = this.at
    put16(octets, at, types.TXT)
    put16(octets, at + 2, classes.chaos)
    put16(octets, at + 4, 0)
    put16(octets, at + 6, 0)
    put16(octets, at + 8, text.length + 1)
    octets[at + 10] = text.length
    octets.set(text, at + 11)
    this.at = at + 11 + text.length
    this.addToCount(sections.answer, 1)
  }

  /** Writes the parts that are only known at the end, and returns the length of the response. */
  finish(): number {
    const octets = this.octets
    const { hasEdns, isDnssecOk } = this.#request
    if (hasEdns) {
      const at = this.at
      octets[at] = 0
      put16(octets, at + 1, types.OPT)
      put16(octets, at + 3, maxUdpPayloadOctets)
      // The version, behind the upper bits of the rcode, is 0; DO is copied (RFC 3225 section 3).
      put16(octets, at + 5, (this.rcode >>> 4) << 8)
      put16(octets, at + 7, isDnssecOk ? dnssecOkFlag : 0)
      this.at = this.#putOptions(at + optOctets)
      put16(octets, at + 9, this.at - at - optOctets)
      this.addToCount(sections.additional, 1)
      if (this.isPadded) this.#pad(at)
    }
    this.#putFlags()
    if (this.#signer !== undefined && this.#signing !== undefined) {
      const message = octets.subarray(0, this.at)
      this.#putTsig(this.#signer.sign(message, this.#signing))
    } else if (this.tsig !== undefined) this.#putTsig(recordOf(this.tsig))
    return this.at
  }

  /** Puts EXPIRE with the time that the zone is good (RFC 7314), where there is room. */
  putExpire(seconds: number): void {
    if (this.isTruncated || this.at + expireOptionOctets > this.limit) return
    this.limit -= expireOptionOctets
    this.expireSeconds = seconds
  }

  /** The length of a TSIG error is not known yet; it has nothing to hide. */
  #pad(optAt: number): void {
    if (this.tsig !== undefined) return
    const end = this.at
    const tailOctets = this.#signer?.usualOctets ?? 0
    this.at = padMessage(this.octets, { end, optAt, tailOctets })
    this.paddingOctets = this.at - end
  }

  #putOptions(at: number): number {
    if (!this.#request.hasOptions && this.extendedError === 0) return at
    return this.#options.put(this.#request, this, this.octets, at)
  }

  #putFlags(): void {
    const authoritative = this.isAuthoritative ? flags.authoritative : 0
    const truncated = this.isTruncated ? flags.truncated : 0
    const copied = u16(this.#request.octets, flagsAt) & copiedFlags
    const bits = flags.response | authoritative | truncated | copied | (this.rcode & 0x0f)
    put16(this.octets, flagsAt, bits)
  }

  /** The names in it can exceed what a client accepts over UDP; it can retry over TCP. */
  #putTsig(record: Uint8Array): void {
    this.limit = Math.min(this.#request.limitOctets, this.octets.length)
    if (this.putOctets(record)) this.addToCount(sections.additional, 1)
    else {
      this.isTruncated = true
      this.#putFlags()
    }
  }
}

function recordOf(tsig: Tsig): Uint8Array {
  const writer = new Writer(new Uint8Array(maxTsigOctets))
  encodeTsig(writer, tsig)
  return writer.finish()
}
