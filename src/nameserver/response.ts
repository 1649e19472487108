import { classes, rcodes, types } from '../dns/codes.ts'
import { flags, headerOctets } from '../dns/header.ts'
import { encodeTsig, type Tsig } from '../dns/tsig.ts'
import type { Signing, TsigSigner } from '../dns/tsig-signer.ts'
import { Writer } from '../dns/writer.ts'
import { countShift, rrset as rrsetBlock, typeMask } from '../zone/table/layout.ts'
import { offsetInWindow, type TableMemory } from '../zone/table/memory.ts'
import { NameKey } from '../zone/table/name-key.ts'
import { CompressionTable, maxPointer } from './compression-table.ts'
import { compressibleNames, octetsBeforeNames } from './rdata-shapes.ts'
import { maxUdpPayloadOctets, type Request } from './request.ts'
import { expireOptionOctets, type ResponseOptions } from './response-options.ts'

/** Where the counts of the sections are in the header. */
export const sections = { answer: 6, authority: 8, additional: 10 } as const

/** Who owns a record, as an offset in the response to point at. The root is shorter than a pointer, and a name
 *  that is not there yet, or out of reach, is written with its records (`ownerOf`). */
export const rootOwner = 0
export const newOwner = -1

/** The bits of the header that a response has from its request: opcode and RD (RFC 1035 section 4.1.1). RA, AD, CD and the
 *  reserved bit stay clear: this is no resolver (RFC 4035 section 3.1.6). */
const copiedFlags = 0x7800 | flags.recursionDesired
const flagsAt = 2
const questionCountAt = 4
const dnssecOkFlag = 0x8000
const optOctets = 11
/** Type, class and TTL. */
const fixedOctets = 8
/** With the root for an owner and no rdata. So many of them cannot fit however well names are compressed. */
const minRecordOctets = 1 + fixedOctets + 2
/** Above this many octets the built-in copy is quicker, although it needs a view. */
const maxLoopedOctets = 96
/** Two names of 255 octets, and the numbers; a MAC is at most as long as a digest. */
const maxTsigOctets = 1024

/** One response, written where it is sent from, without allocating. Sections are put in the order of the message and RRsets
 *  whole or not at all; `finish` closes it. The room for OPT is kept free from the start, so it fits whatever the sections
 *  do (RFC 6891 section 7). */
export class Response {
  /** Twelve bits; the upper eight travel in OPT. */
  rcode: number = rcodes.noError
  /** One of `extendedErrors`, or 0. Only for responses without records. */
  extendedError = 0
  /** In EXPIRE; negative for none. */
  expireSeconds = -1
  isAuthoritative = false
  /** Whether something that must be there did not fit. Nothing more is put then. */
  isTruncated = false
  /** A TSIG without a MAC that is to be the last record. */
  tsig: Tsig | undefined
  /** What signs it. */
  #signer: TsigSigner | undefined
  #signing: Signing | undefined
  /** The rdata name that was put last, and the owner that points at it. */
  rdataKey: NameKey
  rdataOwner = rootOwner
  readonly #memory: TableMemory
  readonly #options: ResponseOptions
  #request: Request
  readonly #names = new CompressionTable()
  #octets: Uint8Array = noOctets
  #at = 0
  #limit = 0
  /** Whether something did not fit since the RRset at hand was begun. */
  #hasOverflowed = false
  #hasQuestionNames = false
  /** The name of `newOwner`. */
  #ownerKey: NameKey
  #ownerOctets: Uint8Array = noOctets
  #ownerAt = 0

  constructor(memory: TableMemory, options: ResponseOptions, request: Request) {
    this.#memory = memory
    this.#options = options
    this.#request = request
    this.rdataKey = new NameKey(memory)
    this.#ownerKey = this.rdataKey
  }

  /** Starts the response to the request in `octets`. */
  begin(request: Request, octets: Uint8Array): void {
    const { octets: sent, questionEnd } = request
    this.#request = request
    this.rcode = request.rcode
    this.extendedError = 0
    this.expireSeconds = -1
    this.isAuthoritative = false
    this.isTruncated = false
    this.tsig = undefined
    this.#signer = undefined
    this.#octets = octets
    this.#limit = Math.min(request.limitOctets, octets.length) - (request.hasEdns ? optOctets : 0)
    if (request.hasOptions) this.#limit -= this.#options.octetsFor(request)
    this.#at = questionEnd
    this.#names.begin(octets)
    this.#hasQuestionNames = false
    octets[0] = sent[0] as number
    octets[1] = sent[1] as number
    octets[questionCountAt] = 0
    octets[questionCountAt + 1] = request.hasQuestion ? 1 : 0
    for (let i = sections.answer; i < headerOctets; i += 1) octets[i] = 0
    // As sent, case included: resolvers compare it octet by octet (0x20 hardening).
    for (let i = headerOctets; i < questionEnd; i += 1) octets[i] = sent[i] as number
  }

  /** Has the response end in a TSIG, for which room is kept free from now on. */
  sign(signer: TsigSigner, signing: Signing): void {
    this.#signer = signer
    this.#signing = signing
    this.#limit -= signer.recordOctets
  }

  /** Leaves nothing but the question, with TC if anything was there, so that a client asks again over TCP. */
  cutShort(): void {
    const octets = this.#octets
    this.isTruncated ||= u16(octets, sections.answer) + u16(octets, sections.authority) > 0
    this.#at = this.#request.questionEnd
    for (let i = sections.answer; i < headerOctets; i += 1) octets[i] = 0
  }

  /** Leaves nothing but the question, with SERVFAIL. */
  fail(): void {
    this.cutShort()
    this.isTruncated = false
    this.isAuthoritative = false
    this.rcode = rcodes.servFail
  }

  /** Leaves nothing but the question, and the cookie with which to ask again (RFC 7873 section 5.2.3). */
  demandCookie(): void {
    this.cutShort()
    this.isTruncated = false
    this.isAuthoritative = false
    this.rcode = rcodes.badCookie
  }

  /** The owner whose name begins with label `label` of the question. */
  ownerInQuestion(label: number): number {
    const { key } = this.#request
    if (label === key.labelCount) return rootOwner
    return headerOctets + key.lengthOctets - key.octetsFrom(label)
  }

  /** The owner whose name begins with label `label` of the key: one that the response has, within the reach of pointers. */
  ownerInResponse(key: NameKey, label: number): number {
    if (label === key.labelCount) return rootOwner
    this.#rememberQuestion()
    const known = this.#names.find(key, label)
    if (known === 0) throw new Error('the response does not have the name')
    return known
  }

  /** The owner of the key's name, which is at `at` in `octets` in the case it is to be written in. Good until
   *  the next one. */
  ownerOf(key: NameKey, octets: Uint8Array, at: number): number {
    if (key.labelCount === 0) return rootOwner
    this.#rememberQuestion()
    const known = this.#names.find(key, 0)
    if (known !== 0) return known
    this.#ownerKey = key
    this.#ownerOctets = octets
    this.#ownerAt = at
    return newOwner
  }

  /** Puts a whole RRset that the response is wrong without; otherwise sets TC (RFC 2181 section 9). */
  putRequired(section: number, owner: number, rrset: number): void {
    if (!this.putOptional(section, owner, rrset)) this.isTruncated = true
  }

  /** Puts a whole RRset if it fits, and returns whether it did. */
  putOptional(section: number, owner: number, rrset: number): boolean {
    const ttlSeconds = this.#memory.words[rrset + rrsetBlock.ttlSeconds] as number
    return this.putWithTtl(section, owner, rrset, ttlSeconds)
  }

  /** Puts an RRset and the signature that covers it, 0 for none: both or TC (RFC 4035 section 3.1.1). */
  putSigned(section: number, owner: number, rrset: number, signature: number): void {
    this.putRequired(section, owner, rrset)
    if (signature !== 0) this.putRequired(section, owner, signature)
  }

  /** As `putSigned`, owned by the key's name, which lies at the start of `octets` in the case it is to be written in. */
  putOwned(
    section: number,
    key: NameKey,
    octets: Uint8Array,
    rrset: number,
    signature: number,
  ): void {
    this.putRequired(section, this.ownerOf(key, octets, 0), rrset)
    if (signature !== 0) this.putRequired(section, this.ownerOf(key, octets, 0), signature)
  }

  /** As `putOptional`, with another TTL than the RRset's own. */
  putWithTtl(section: number, owner: number, rrset: number, ttlSeconds: number): boolean {
    const head = this.#memory.words[rrset + rrsetBlock.head] as number
    const type = head & typeMask
    const count = head >>> countShift
    if (this.isTruncated || this.#at + count * minRecordOctets > this.#limit) return false
    const nameCount = this.#beginRrset(owner === newOwner || compressibleNames(type) > 0)
    const start = this.#at
    const octets = this.#memory.windowOf(rrset)
    let from = offsetInWindow(rrset + rrsetBlock.rdatas)
    let ownerNow = owner
    for (let i = 0; i < count && !this.#hasOverflowed; i += 1) {
      const length = u16(octets, from)
      ownerNow = this.#putHead(ownerNow, type, ttlSeconds)
      if (compressibleNames(type) === 0) this.#copy(octets, from, 2 + length)
      else this.#putNamedRdata(type, octets, from)
      from += 2 + length
    }
    return this.#endRrset(section, count, start, nameCount)
  }

  /** Puts the records of an RRset from number `first` on as answers, as many as fit, and returns the number of the first one
   *  that does not: the RRset may be split between messages (RFC 5936 section 2.2). */
  putRecords(owner: number, rrset: number, first: number): number {
    const ttlSeconds = this.#memory.words[rrset + rrsetBlock.ttlSeconds] as number
    const head = this.#memory.words[rrset + rrsetBlock.head] as number
    const type = head & typeMask
    const count = head >>> countShift
    const octets = this.#memory.windowOf(rrset)
    let from = offsetInWindow(rrset + rrsetBlock.rdatas)
    for (let i = 0; i < first; i += 1) from += 2 + u16(octets, from)
    this.#beginRrset(true)
    let ownerNow = owner
    let i = first
    for (; i < count; i += 1) {
      const start = this.#at
      const nameCount = this.#names.count
      ownerNow = this.#putHead(ownerNow, type, ttlSeconds)
      if (compressibleNames(type) === 0) this.#copy(octets, from, 2 + u16(octets, from))
      else this.#putNamedRdata(type, octets, from)
      if (!this.#endRrset(sections.answer, 1, start, nameCount)) break
      from += 2 + u16(octets, from)
    }
    return i
  }

  /** Puts the CNAME that a DNAME makes, to the name in `octets`, which is read into `rdataKey`. It is required. */
  putSynthesizedCname(owner: number, ttlSeconds: number, octets: Uint8Array, end: number): void {
    if (this.isTruncated) return
    const nameCount = this.#beginRrset(true)
    const start = this.#at
    this.#putHead(owner, types.CNAME, ttlSeconds)
    const lengthAt = this.#at
    this.#skipLength()
    this.#putRdataName(octets, 0, end)
    this.#putLength(lengthAt)
    if (!this.#endRrset(sections.answer, 1, start, nameCount)) this.isTruncated = true
  }

  /** Puts a text about this server, as the answer (RFC 4892). */
  putChaosText(text: Uint8Array): void {
    this.#beginRrset(false)
    this.#putPointer(this.ownerInQuestion(0))
    const octets = this.#octets
    const at = this.#at
    put16(octets, at, types.TXT)
    put16(octets, at + 2, classes.chaos)
    put16(octets, at + 4, 0)
    put16(octets, at + 6, 0)
    put16(octets, at + 8, text.length + 1)
    octets[at + 10] = text.length
    octets.set(text, at + 11)
    this.#at = at + 11 + text.length
    this.#addToCount(sections.answer, 1)
  }

  /** Writes what is only known at the end, and returns the length of the response. */
  finish(): number {
    const octets = this.#octets
    const { hasEdns, isDnssecOk } = this.#request
    if (hasEdns) {
      const at = this.#at
      octets[at] = 0
      put16(octets, at + 1, types.OPT)
      put16(octets, at + 3, maxUdpPayloadOctets)
      // The version, behind the upper bits of the rcode, is 0; DO is copied (RFC 3225 section 3).
      put16(octets, at + 5, (this.rcode >>> 4) << 8)
      put16(octets, at + 7, isDnssecOk ? dnssecOkFlag : 0)
      this.#at = this.#putOptions(at + optOctets)
      put16(octets, at + 9, this.#at - at - optOctets)
      this.#addToCount(sections.additional, 1)
    }
    this.#putFlags()
    if (this.#signer !== undefined && this.#signing !== undefined) {
      const message = octets.subarray(0, this.#at)
      this.#putTsig(this.#signer.sign(message, this.#signing))
    } else if (this.tsig !== undefined) this.#putTsig(recordOf(this.tsig))
    return this.#at
  }

  /** Says in EXPIRE for how long the zone is good (RFC 7314), where there is room. */
  putExpire(seconds: number): void {
    if (this.isTruncated || this.#at + expireOptionOctets > this.#limit) return
    this.#limit -= expireOptionOctets
    this.expireSeconds = seconds
  }

  #putOptions(at: number): number {
    if (!this.#request.hasOptions && this.extendedError === 0) return at
    return this.#options.put(this.#request, this, this.#octets, at)
  }

  #putFlags(): void {
    const authoritative = this.isAuthoritative ? flags.authoritative : 0
    const truncated = this.isTruncated ? flags.truncated : 0
    const copied = u16(this.#request.octets, flagsAt) & copiedFlags
    const bits = flags.response | authoritative | truncated | copied | (this.rcode & 0x0f)
    put16(this.#octets, flagsAt, bits)
  }

  /** The names in it can be longer than what a client takes over UDP; it can come again over TCP. */
  #putTsig(record: Uint8Array): void {
    this.#limit = Math.min(this.#request.limitOctets, this.#octets.length)
    this.#hasOverflowed = false
    this.#copy(record, 0, record.length)
    if (!this.#hasOverflowed) this.#addToCount(sections.additional, 1)
    else {
      this.isTruncated = true
      this.#putFlags()
    }
  }

  /** Returns how many names there are to roll back to. */
  #beginRrset(hasNames: boolean): number {
    this.#hasOverflowed = false
    if (hasNames) this.#rememberQuestion()
    return this.#names.count
  }

  /** Keeps what was put since `start`, or takes all of it back where something did not fit. */
  #endRrset(section: number, count: number, start: number, nameCount: number): boolean {
    if (this.#hasOverflowed) {
      this.#at = start
      this.#names.rollBack(nameCount)
      return false
    }
    this.#addToCount(section, count)
    return true
  }

  /** Whether so many octets fit. If not, nothing more of the RRset is put. */
  #hasRoom(octets: number): boolean {
    if (this.#at + octets <= this.#limit && !this.#hasOverflowed) return true
    this.#hasOverflowed = true
    return false
  }

  /** Puts owner, type, class and TTL, and returns the owner of the records after this one. */
  #putHead(owner: number, type: number, ttlSeconds: number): number {
    const next =
      owner === newOwner
        ? this.#putName(this.#ownerKey, this.#ownerOctets, this.#ownerAt)
        : this.#putPointer(owner)
    if (!this.#hasRoom(fixedOctets)) return next
    const octets = this.#octets
    const at = this.#at
    put16(octets, at, type)
    put16(octets, at + 2, classes.in)
    put16(octets, at + 4, ttlSeconds >>> 16)
    put16(octets, at + 6, ttlSeconds)
    this.#at = at + fixedOctets
    return next
  }

  /** Puts the name that an owner points at, and returns the owner. */
  #putPointer(owner: number): number {
    const length = owner === rootOwner ? 1 : 2
    if (!this.#hasRoom(length)) return owner
    if (owner === rootOwner) this.#octets[this.#at] = 0
    else put16(this.#octets, this.#at, 0xc000 | owner)
    this.#at += length
    return owner
  }

  /** Puts length and rdata from where they lie at `from`, with the names compressed that may be. */
  #putNamedRdata(type: number, octets: Uint8Array, from: number): void {
    const lengthAt = this.#at
    const end = from + 2 + u16(octets, from)
    const prefix = octetsBeforeNames(type)
    this.#skipLength()
    if (prefix > 0) this.#copy(octets, from + 2, prefix)
    let at = from + 2 + prefix
    for (let i = compressibleNames(type); i > 0; i -= 1) at = this.#putRdataName(octets, at, end)
    if (at < end) this.#copy(octets, at, end - at)
    this.#putLength(lengthAt)
  }

  /** Puts the name at `at` and returns where it ends.
   *  @throws Error there is none: the stored data is not what its type says. */
  #putRdataName(octets: Uint8Array, at: number, end: number): number {
    const key = this.rdataKey
    if (!key.readOctets(octets, at, end)) throw new Error('stored rdata is not of its type')
    this.rdataOwner = this.#putName(key, octets, at)
    return at + key.lengthOctets
  }

  #skipLength(): void {
    if (this.#hasRoom(2)) this.#at += 2
  }

  #putLength(lengthAt: number): void {
    if (!this.#hasOverflowed) put16(this.#octets, lengthAt, this.#at - lengthAt - 2)
  }

  /** Puts the key's name, in the case of the octets at `from`, and returns the owner that points at it. */
  #putName(key: NameKey, octets: Uint8Array, from: number): number {
    const names = this.#names
    const start = this.#at
    const { labelCount, lengthOctets } = key
    let known = rootOwner
    let label = 0
    for (; label < labelCount; label += 1) {
      known = names.find(key, label)
      if (known !== rootOwner) break
      names.remember(key, label, start + lengthOctets - key.octetsFrom(label))
    }
    if (label > 0) this.#copy(octets, from, lengthOctets - key.octetsFrom(label))
    this.#putPointer(known)
    if (label === 0) return known
    return start > maxPointer ? newOwner : start
  }

  /** Most responses have no name but the question's, and point at that without looking. */
  #rememberQuestion(): void {
    if (this.#hasQuestionNames) return
    this.#hasQuestionNames = true
    const { key } = this.#request
    for (let label = 0; label < key.labelCount; label += 1) {
      this.#names.remember(key, label, this.ownerInQuestion(label))
    }
  }

  #copy(from: Uint8Array, start: number, count: number): void {
    if (!this.#hasRoom(count)) return
    const octets = this.#octets
    const at = this.#at
    if (count > maxLoopedOctets) octets.set(from.subarray(start, start + count), at)
    else for (let i = 0; i < count; i += 1) octets[at + i] = from[start + i] as number
    this.#at = at + count
  }

  #addToCount(section: number, count: number): void {
    put16(this.#octets, section, u16(this.#octets, section) + count)
  }
}

const noOctets = new Uint8Array()

function recordOf(tsig: Tsig): Uint8Array {
  const writer = new Writer(new Uint8Array(maxTsigOctets))
  encodeTsig(writer, tsig)
  return writer.finish()
}

function u16(octets: Uint8Array, at: number): number {
  return ((octets[at] as number) << 8) | (octets[at + 1] as number)
}

function put16(octets: Uint8Array, at: number, value: number): void {
  octets[at] = value >>> 8
  octets[at + 1] = value
}
