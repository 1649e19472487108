import { classes, rcodes, types } from '../../dns/codes.ts'
import { flags, headerOctets } from '../../dns/header.ts'
import { countShift, rrset as rrsetBlock, typeMask } from '../../zone/table/layout.ts'
import { offsetInWindow, type TableMemory } from '../../zone/table/memory.ts'
import { NameKey } from '../../zone/table/name-key.ts'
import { maxUdpPayloadOctets } from '../response.ts'
import { maxPointer, NameTargets } from './name-targets.ts'
import type { PlainRequest } from './plain-request.ts'
import { compressibleNames, octetsBeforeNames } from './rdata-shapes.ts'

/** Where the counts of the sections are in the header. */
export const sections = { answer: 6, authority: 8, additional: 10 } as const

/** Who owns a record, as an offset in the response to point at. The root is shorter than a pointer, and a name
 *  that is not there yet is written with its first record (`ownerOf`). */
const rootOwner = 0
const newOwner = -1

const optOctets = 11
/** Type, class, TTL and length. */
const fixedOctets = 10
/** With the root for an owner and no rdata. So many of them cannot fit however well names are compressed. */
const minRecordOctets = 1 + fixedOctets
/** Above this many octets the built-in copy is quicker, although it needs a view. */
const maxLoopedOctets = 96

/** A response that is written where it is sent from: what `Response` and `Writer` make of an answer, octet for
 *  octet, without allocating. What it is not made for it gives up, and is of no use then: names in places that
 *  pointers do not reach, very many of them, or one that may or may not fit. */
export class QuickResponse {
  rcode: number = rcodes.noError
  isAuthoritative = false
  /** Whether something that must be there did not fit. Nothing more is put then. */
  isTruncated = false
  /** Whether this has to be answered in the general way after all. */
  hasGivenUp = false
  /** The rdata name that was put last, and the owner that points at it. */
  rdataKey: NameKey
  rdataOwner = rootOwner
  readonly #memory: TableMemory
  #request: PlainRequest
  readonly #targets = new NameTargets()
  #octets: Uint8Array = noOctets
  #at = 0
  #limit = 0
  #hasQuestionTargets = false
  /** The name of `newOwner`. */
  #ownerKey: NameKey
  #ownerOctets: Uint8Array = noOctets
  #ownerAt = 0

  constructor(memory: TableMemory, request: PlainRequest) {
    this.#memory = memory
    this.#request = request
    this.rdataKey = new NameKey(memory)
    this.#ownerKey = this.rdataKey
  }

  /** Starts the response to the request in `octets`. */
  begin(request: PlainRequest, octets: Uint8Array): void {
    this.#request = request
    this.rcode = rcodes.noError
    this.isAuthoritative = false
    this.isTruncated = false
    this.hasGivenUp = false
    this.#octets = octets
    this.#limit = Math.min(request.limitOctets, octets.length) - (request.hasEdns ? optOctets : 0)
    this.#at = request.questionEnd
    this.#targets.begin(octets)
    this.#hasQuestionTargets = false
    // As sent, case included: resolvers compare it octet by octet (0x20 hardening).
    for (let i = 0; i < request.questionEnd; i += 1) octets[i] = request.octets[i] as number
    for (let i = sections.answer; i < headerOctets; i += 1) octets[i] = 0
  }

  /** The owner whose name begins with label `label` of the question. */
  ownerInQuestion(label: number): number {
    const { key } = this.#request
    if (label === key.labelCount) return rootOwner
    return headerOctets + key.lengthOctets - key.octetsFrom(label)
  }

  /** The owner whose name begins with label `label` of the key, and is in the response already. */
  ownerInResponse(key: NameKey, label: number): number {
    const owner = this.#find(key, label)
    if (owner === 0 && label !== key.labelCount) this.hasGivenUp = true
    return owner
  }

  /** The owner of the key's name, which is at `at` in `octets` in the case it is to be written in. Good until
   *  the next one. */
  ownerOf(key: NameKey, octets: Uint8Array, at: number): number {
    const known = this.#find(key, 0)
    if (known !== 0 || key.labelCount === 0) return known
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

  /** As `putOptional`, with another TTL than the RRset's own. */
  putWithTtl(section: number, owner: number, rrset: number, ttlSeconds: number): boolean {
    if (this.isTruncated) return false
    const head = this.#memory.words[rrset + rrsetBlock.head] as number
    const type = head & typeMask
    const count = head >>> countShift
    if (this.#at + count * minRecordOctets > this.#limit) return false
    if (owner === newOwner || compressibleNames(type) > 0) this.#rememberQuestion()
    const start = this.#at
    const nameCount = this.#targets.count
    const octets = this.#memory.windowOf(rrset)
    let from = offsetInWindow(rrset + rrsetBlock.rdatas)
    let ownerNow = owner
    for (let i = 0; i < count; i += 1) {
      const length = u16(octets, from)
      if (!this.#hasRoom(ownerNow, type, length)) {
        this.#at = start
        this.#targets.rollBack(nameCount)
        return false
      }
      ownerNow = this.#putOwner(ownerNow)
      this.#putFixed(type, ttlSeconds)
      if (compressibleNames(type) === 0) this.#copy(octets, from, 2 + length)
      else this.#putNamedRdata(type, octets, from)
      from += 2 + length
    }
    this.#addToCount(section, count)
    return true
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
      put16(octets, at + 5, 0)
      put16(octets, at + 7, isDnssecOk ? dnssecOkFlag : 0)
      put16(octets, at + 9, 0)
      this.#at = at + optOctets
      this.#addToCount(sections.additional, 1)
    }
    const recursionDesired = u16(octets, flagsAt) & flags.recursionDesired
    const authoritative = this.isAuthoritative ? flags.authoritative : 0
    const truncated = this.isTruncated ? flags.truncated : 0
    const bits = flags.response | authoritative | truncated | recursionDesired | this.rcode
    put16(octets, flagsAt, bits)
    return this.#at
  }

  /** Whether a record of `length` octets of rdata fits. With names to come that is known only where it does. */
  #hasRoom(owner: number, type: number, length: number): boolean {
    const ownerOctets = owner > 0 ? 2 : owner === rootOwner ? 1 : this.#ownerKey.lengthOctets
    if (this.#at + ownerOctets + fixedOctets + length <= this.#limit) return true
    if (owner === newOwner || compressibleNames(type) > 0) this.hasGivenUp = true
    return false
  }

  /** Returns the owner of the records after this one. */
  #putOwner(owner: number): number {
    if (owner === newOwner) return this.#putName(this.#ownerKey, this.#ownerOctets, this.#ownerAt)
    if (owner === rootOwner) {
      this.#octets[this.#at] = 0
      this.#at += 1
    } else this.#putPointer(owner)
    return owner
  }

  #putPointer(offset: number): void {
    put16(this.#octets, this.#at, 0xc000 | offset)
    this.#at += 2
  }

  #putFixed(type: number, ttlSeconds: number): void {
    const octets = this.#octets
    const at = this.#at
    put16(octets, at, type)
    put16(octets, at + 2, classes.in)
    put16(octets, at + 4, ttlSeconds >>> 16)
    put16(octets, at + 6, ttlSeconds)
    this.#at = at + 8
  }

  /** Puts length and rdata from where they lie at `from`, with the names compressed that may be. */
  #putNamedRdata(type: number, octets: Uint8Array, from: number): void {
    const lengthAt = this.#at
    const end = from + 2 + u16(octets, from)
    const prefix = octetsBeforeNames(type)
    this.#at += 2
    this.#copy(octets, from + 2, prefix)
    let at = from + 2 + prefix
    for (let i = compressibleNames(type); i > 0; i -= 1) {
      if (!this.rdataKey.readOctets(octets, at, end)) {
        // Stored data that is not what its type says: the general way knows what to make of it.
        this.hasGivenUp = true
        return
      }
      this.rdataOwner = this.#putName(this.rdataKey, octets, at)
      at += this.rdataKey.lengthOctets
    }
    this.#copy(octets, at, end - at)
    put16(this.#octets, lengthAt, this.#at - lengthAt - 2)
  }

  /** Puts the key's name, in the case of the octets at `from`, and returns the owner that points at it. */
  #putName(key: NameKey, octets: Uint8Array, from: number): number {
    const targets = this.#targets
    const start = this.#at
    const { labelCount, lengthOctets } = key
    let known = 0
    let label = 0
    for (; label < labelCount; label += 1) {
      known = targets.find(key, label)
      if (known !== 0) break
      targets.remember(key, label, start + lengthOctets - key.octetsFrom(label))
    }
    if (label > 0) this.#copy(octets, from, lengthOctets - key.octetsFrom(label))
    if (known !== 0) this.#putPointer(known)
    else {
      this.#octets[this.#at] = 0
      this.#at += 1
    }
    if (label === 0) return known
    return this.#startOf(start)
  }

  #startOf(start: number): number {
    if (start > maxPointer || this.#targets.isFull) this.hasGivenUp = true
    return start
  }

  #find(key: NameKey, label: number): number {
    if (label === key.labelCount) return rootOwner
    this.#rememberQuestion()
    return this.#targets.find(key, label)
  }

  /** Most responses have no name but the question's, and point at that without looking. */
  #rememberQuestion(): void {
    if (this.#hasQuestionTargets) return
    this.#hasQuestionTargets = true
    const { key } = this.#request
    for (let label = 0; label < key.labelCount; label += 1) {
      this.#targets.remember(key, label, this.ownerInQuestion(label))
    }
  }

  #copy(from: Uint8Array, start: number, count: number): void {
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

const flagsAt = 2
const dnssecOkFlag = 0x8000
const noOctets = new Uint8Array()

function u16(octets: Uint8Array, at: number): number {
  return ((octets[at] as number) << 8) | (octets[at + 1] as number)
}

function put16(octets: Uint8Array, at: number, value: number): void {
  octets[at] = value >>> 8
  octets[at + 1] = value
}
