import { classes, extendedErrors, rcodes, types } from '../dns/codes.ts'
import { headerOctets } from '../dns/header.ts'
import { maxNameOctets } from '../dns/name.ts'
import type { OnDemandSigner } from '../dnssec/on-demand.ts'
import { labelCountOf } from '../zone/table/entries.ts'
import {
  entry,
  rrset as rrsetBlock,
  signing,
  zone as zoneBlock,
  zoneStates,
} from '../zone/table/layout.ts'
import { offsetInWindow, type TableMemory } from '../zone/table/memory.ts'
import { NameKey } from '../zone/table/name-key.ts'
import { findRrset, findSignature, recordCountOf, typeOf } from '../zone/table/rrset-block.ts'
import { found, negativeTtlSeconds, type TableLookup } from '../zone/table/table-lookup.ts'
import { ZoneMoments } from '../zone/table/zone-moments.ts'
import { Additional } from './additional.ts'
import { maxPointer } from './compression-table.ts'
import { beginnings, type KnownAuthority } from './known-authorities.ts'
import { type Clock, MissingSignatures } from './missing-signatures.ts'
import { Proofs } from './proofs.ts'
import { sections } from './record-writer.ts'
import type { Request } from './request.ts'
import type { Response } from './response.ts'

/** Aliases followed in one response. Longer chains and loops, and those that leave the reach of pointers, are answered as far as
 *  they were followed: the resolver then queries the last target, and detects a loop itself. */
const maxAliasChain = 10

/** The most attempts at an answer whose zones change meanwhile. */
const maxTries = 10

type Parts = {
  readonly memory: TableMemory
  readonly lookup: TableLookup
  readonly target: number
  /** Signs what has no signature yet. */
  readonly signer?: OnDemandSigner | undefined
}

const closedStates = zoneStates.isExpired | zoneStates.isPrivate

/** Answers queries from the zone table, section by section (RFC 1034 section 4.3.2), without allocating. The first RRset that
 *  does not fit ends the answer: no lookup follows whose result could not be put. Aliases lead through all zones of the target.
 *
 *  A client that sets DO gets the data of a signed zone with its signatures (RFC 4035 section 3.1). */
export class Answer {
  readonly #memory: TableMemory
  readonly #lookup: TableLookup
  readonly #target: number
  #request: Request
  readonly #response: Response
  readonly #additional: Additional
  readonly #proofs: Proofs
  readonly #missing: MissingSignatures
  readonly #moments: ZoneMoments
  /** The current zone. */
  #zone = 0
  /** Whether it is signed and the client sets DO. */
  #isSigned = false
  /** What is known of the authority section. */
  #known: KnownAuthority | undefined
  /** The name that is looked up: the question's, or the last alias target; where it lies in the case to be written, and
   *  the owner of its records. */
  #key: NameKey
  #nameOctets: Uint8Array = noOctets
  #nameAt = 0
  #owner = 0
  /** The aliases that were followed behind the question's name. */
  readonly #aliasKeys: NameKey[]
  /** The names that DNAMEs made of them. */
  readonly #renamed: readonly Uint8Array[]
  /** The DNAMEs that were put. */
  readonly #dnames = new Int32Array(maxAliasChain)
  #dnameCount = 0
  /** The result for the question's own name, for `identity`. */
  #firstKind = 0
  #firstNameHash = 0

  /** @param request any */
  constructor(parts: Parts, response: Response, request: Request) {
    this.#memory = parts.memory
    this.#lookup = parts.lookup
    this.#target = parts.target
    this.#request = request
    this.#response = response
    this.#additional = new Additional(parts, response)
    this.#missing = new MissingSignatures(parts, response, parts.signer)
    this.#proofs = new Proofs(parts, response, this.#missing)
    this.#moments = new ZoneMoments(parts.memory, maxAliasChain + 1)
    this.#key = request.key
    this.#aliasKeys = Array.from({ length: maxAliasChain }, () => new NameKey(parts.memory))
    this.#renamed = Array.from({ length: maxAliasChain }, () => new Uint8Array(maxNameOctets))
  }

  /** Puts the sections of the response, which has been begun, to a request of a zone.
   *  @param isSigned with a key that is known here
   *  @param clock without it nothing is signed on demand */
  put(request: Request, isSigned = false, clock?: Clock): void {
    const response = this.#response
    this.#request = request
    this.#begin(clock)
    const zone = request.qtype === types.DS ? this.#zoneOfDs(request.zone) : request.zone
    // Not NXDOMAIN: we know nothing about the name. Not SERVFAIL: asking again will not help.
    if (zone === 0) this.#refuse(rcodes.refused, extendedErrors.notAuthoritative)
    else if (this.#isClosed(zone) && !this.#isOpenTo(request, zone, isSigned))
      this.#refuseClosed(zone)
    else this.#putOfOneMoment(zone, clock)
    if (this.#missing.isUnsigned) response.fail()
    // RFC 1035 section 6.2: with class ANY we cannot know that our answer is all there is.
    if (request.qclass === classes.any) response.isAuthoritative = false
  }

  /** The content of the last response as a number: the same for all names that a client can invent below an existing one,
   *  or in a zone that does not have them. Only valid after a response without an error. */
  get identity(): number {
    if (this.#firstKind !== found.nxdomain) return this.#firstNameHash ^ this.#firstKind
    const { key, zone } = this.#request
    return key.hashFrom(key.labelCount - this.#lookup.apexLabelCount(zone)) ^ found.nxdomain
  }

  #begin(clock: Clock | undefined): void {
    const request = this.#request
    this.#key = request.key
    this.#nameOctets = request.octets
    this.#nameAt = headerOctets
    this.#owner = this.#response.ownerInQuestion(0)
    this.#dnameCount = 0
    this.#proofs.clear()
    this.#missing.begin(clock)
    this.#moments.clear()
  }

  /** Puts an answer that shows each signed zone at a single moment. */
  #putOfOneMoment(zone: number, clock: Clock | undefined): void {
    for (let tries = 1; ; tries += 1) {
      const isPut = this.#putFrom(zone)
      if (isPut && this.#moments.areCurrent) return
      if (!isPut || tries === maxTries) break
      this.#response.beginAgain()
      this.#begin(clock)
    }
    this.#response.fail()
  }

  #refuse(rcode: number, extendedError: number): void {
    this.#response.rcode = rcode
    this.#response.extendedError = extendedError
  }

  /** Returns false where a change of a zone takes too long. */
  #putFrom(firstZone: number): boolean {
    const response = this.#response
    const lookup = this.#lookup
    let zone = firstZone
    for (let linkCount = 0; zone !== 0; linkCount += 1) {
      if (!this.#lookUp(zone)) return false
      const { kind } = lookup
      if (linkCount === 0) {
        // RFC 1035 section 4.1.1: AA is about the first owner name, so a referral later on leaves it set.
        response.isAuthoritative = kind !== found.referral
        this.#firstKind = kind
        this.#firstNameHash = this.#key.hashFrom(lookup.nearestLabel)
      }
      if (kind !== found.cname && kind !== found.dname) {
        this.#putEnd(zone)
        return true
      }
      const isFollowed = kind === found.cname ? this.#follow(linkCount) : this.#rename(linkCount)
      zone = isFollowed ? this.#zoneOfAlias() : 0
    }
    this.#proofs.put()
    return true
  }

  /** Looks the name up, and finds the proof that the answer is complete. */
  #lookUp(zone: number): boolean {
    const { qtype, isDnssecOk } = this.#request
    this.#zone = zone
    this.#isSigned = isDnssecOk && this.#memory.words[zone + zoneBlock.signing] !== 0
    if (this.#isSigned && !this.#moments.note(zone)) return false
    this.#lookup.lookUp(zone, this.#key, qtype)
    if (this.#isSigned) this.#prove(zone)
    return true
  }

  #prove(zone: number): void {
    const { kind, nearestLabel, data } = this.#lookup
    const proofs = this.#proofs
    if (kind >= found.nodata) {
      this.#known = this.#findKnown(zone)
      proofs.add(zone, this.#key, kind === found.nodata ? 'nodata' : 'nxdomain', this.#known)
    } else if (kind === found.referral) {
      const ds = findRrset(this.#memory.words, data, types.DS)
      if (ds === 0) proofs.add(zone, this.#key, 'insecure')
    } else if (kind !== found.dname && nearestLabel > 0) {
      proofs.add(zone, this.#key, 'expansion')
    }
  }

  /** What is known of the authority section of a negative answer to the question itself. */
  #findKnown(zone: number): KnownAuthority | undefined {
    const key = this.#key
    if (key !== this.#request.key) return undefined
    const lookup = this.#lookup
    const response = this.#response
    const apexLabel = key.labelCount - lookup.apexLabelCount(zone)
    const owner = response.ownerInQuestion(apexLabel)
    const soa = lookup.findSoa(zone)
    if (!this.#isSigned) return response.findKnown(owner, soa, beginnings.soa, 0)
    const { words } = this.#memory
    const states = words[zone + zoneBlock.states] as number
    if ((states & zoneStates.isSignedOnDemand) !== 0) return undefined
    const isBelowApex = lookup.kind === found.nxdomain && lookup.nearestLabel === apexLabel
    const beginning = isBelowApex ? beginnings.denial : beginnings.signedSoa
    const changesAt = (words[zone + zoneBlock.signing] as number) + signing.changes
    return response.findKnown(owner, soa, beginning, words[changesAt] as number)
  }

  /** Puts the end of a chain, which mostly has no links, and the records that belong to it. */
  #putEnd(zone: number): void {
    const response = this.#response
    const lookup = this.#lookup
    const { rrset } = lookup
    switch (lookup.kind) {
      case found.hit:
        // A DNAME that a wildcard produces has another owner.
        if (lookup.nearestLabel > 0 || !this.#hasPut(rrset)) {
          this.#putSigned(sections.answer, this.#owner, lookup.node, rrset)
          this.#proofs.put()
          if (!response.isTruncated) {
            this.#additional.isSigned = this.#isSigned
            this.#additional.putOffers(zone, rrset, this.#key, this.#owner)
          }
        } else this.#proofs.put()
        return
      case found.referral:
        this.#putReferral(zone)
        return
      case found.nxdomain:
        // RFC 6604 section 3: the rcode is that of the last name in the chain.
        response.rcode = rcodes.nxDomain
        this.#putDenial(zone)
        return
      default:
        this.#putDenial(zone)
    }
  }

  /** Puts the authority section of a negative answer. RFC 2308 section 3: without the SOA it cannot be cached. */
  #putDenial(zone: number): void {
    const response = this.#response
    const known = this.#isSigned ? this.#known : this.#findKnown(zone)
    const apex = this.#memory.words[zone + zoneBlock.apex] as number
    const owner = this.#ownerOfNode(apex)
    if (known?.isLearned === true) response.putKnown(known, owner)
    else {
      const at = response.end
      this.#putSoa(zone, apex, owner)
      this.#proofs.putCommon()
      if (known !== undefined && !response.isTruncated) {
        response.learn(known, at, owner, this.#proofs.common)
      }
    }
    this.#proofs.put()
  }

  #putSoa(zone: number, apex: number, owner: number): void {
    const { words } = this.#memory
    const data = words[apex + entry.data] as number
    const soa = findRrset(words, data, types.SOA)
    const ttlSeconds = negativeTtlSeconds(this.#memory, soa)
    const response = this.#response
    let isPut = response.putWithTtl(sections.authority, owner, soa, ttlSeconds)
    const signature = this.#isSigned ? findSignature(words, data, types.SOA) : 0
    if (isPut && signature !== 0) {
      isPut = response.putWithTtl(sections.authority, owner, signature, ttlSeconds)
    } else if (this.#isSigned) {
      const unsigned = { zone, node: apex, nsec3: 0, rrset: soa, ttlSeconds }
      this.#missing.put(sections.authority, owner, unsigned)
    }
    if (!isPut) response.isTruncated = true
  }

  #putReferral(zone: number): void {
    const { owner: cut, rrset: ns, data } = this.#lookup
    const { words } = this.#memory
    const response = this.#response
    const owner = this.#ownerOfNode(cut)
    response.putRequired(sections.authority, owner, ns)
    const ds = this.#isSigned ? findRrset(words, data, types.DS) : 0
    if (ds !== 0) {
      this.#putSigned(sections.authority, owner, cut, ds)
    }
    this.#proofs.put()
    this.#additional.isSigned = this.#isSigned
    if (!response.isTruncated) this.#additional.putGlue(zone, ns, cut)
  }

  /** Puts an RRset of the node that was looked up, and the signature that covers it: both or TC (RFC 4035 section 3.1.1). */
  #putSigned(section: number, owner: number, node: number, rrset: number): void {
    const response = this.#response
    response.putRequired(section, owner, rrset)
    if (!this.#isSigned) return
    const { words } = this.#memory
    const signature = findSignature(words, this.#lookup.data, typeOf(words, rrset))
    if (signature !== 0) response.putRequired(section, owner, signature)
    else this.#missing.put(section, owner, { zone: this.#zone, node, nsec3: 0, rrset })
  }

  /** The owner of a node at or above the name that is looked up. */
  #ownerOfNode(node: number): number {
    const response = this.#response
    const key = this.#key
    const label = key.labelCount - labelCountOf(this.#memory.words, node)
    const isQuestion = key === this.#request.key
    return isQuestion ? response.ownerInQuestion(label) : response.ownerInResponse(key, label)
  }

  /** Puts a CNAME and follows it to its target; returns false where the chain must end. */
  #follow(linkCount: number): boolean {
    const response = this.#response
    const { rrset } = this.#lookup
    this.#putSigned(sections.answer, this.#owner, this.#lookup.node, rrset)
    if (!this.#mayGoOn) return false
    const octets = this.#memory.windowOf(rrset)
    const at = offsetInWindow(rrset + rrsetBlock.rdatas) + 2
    if (recordCountOf(this.#memory.words, rrset) > 1) {
      // Of several CNAMEs the first is followed.
      response.rdataKey.readOctets(octets, at, at + maxNameOctets)
      response.rdataOwner = response.ownerInResponse(response.rdataKey, 0)
    }
    return this.#goOn(linkCount, octets, at)
  }

  /** Puts a DNAME, once however often it is used, and follows the CNAME that it makes (RFC 6672 section 3.1). */
  #rename(linkCount: number): boolean {
    const response = this.#response
    const { owner: node, rrset: dname } = this.#lookup
    if (!this.#hasPut(dname)) {
      this.#dnames[this.#dnameCount] = dname
      this.#dnameCount += 1
      const owner = this.#ownerOfNode(node)
      this.#putSigned(sections.answer, owner, node, dname)
    }
    const renamed = this.#renamed[linkCount] as Uint8Array
    const length = this.#substitute(node, dname, renamed)
    if (length === 0) {
      response.rcode = rcodes.yxDomain
      return false
    }
    const ttlSeconds = this.#memory.words[dname + rrsetBlock.ttlSeconds] as number
    response.putSynthesizedCname(this.#owner, ttlSeconds, renamed, length)
    if (!this.#mayGoOn) return false
    const goesOn = this.#goOn(linkCount, renamed, 0)
    // That CNAME is itself the answer to the query; a stored one is a hit, never an alias.
    const { qtype } = this.#request
    return goesOn && qtype !== types.CNAME && qtype !== types.ANY
  }

  /** Writes the current name with the DNAME's owner at its end replaced, and returns its length; 0 where it is too long
   *  to be a name. Case is kept. */
  #substitute(node: number, dname: number, into: Uint8Array): number {
    const key = this.#key
    const label = key.labelCount - labelCountOf(this.#memory.words, node)
    const keptOctets = key.lengthOctets - key.octetsFrom(label)
    const octets = this.#memory.windowOf(dname)
    const at = offsetInWindow(dname + rrsetBlock.rdatas)
    const targetOctets = ((octets[at] as number) << 8) | (octets[at + 1] as number)
    const length = keptOctets + targetOctets
    if (length > maxNameOctets) return 0
    for (let i = 0; i < keptOctets; i += 1) {
      into[i] = this.#nameOctets[this.#nameAt + i] as number
    }
    for (let i = 0; i < targetOctets; i += 1) into[keptOctets + i] = octets[at + 2 + i] as number
    return length
  }

  /** Whether the next link's records would fit, and a pointer reaches their owner. */
  get #mayGoOn(): boolean {
    const response = this.#response
    return !response.isTruncated && response.end <= maxPointer
  }

  /** Makes the name that was put last, and lies in `octets`, the next one of the chain; returns false where the chain has had
   *  that name or is too long. */
  #goOn(linkCount: number, octets: Uint8Array, at: number): boolean {
    const response = this.#response
    const target = response.rdataKey
    response.rdataKey = this.#aliasKeys[linkCount] as NameKey
    this.#aliasKeys[linkCount] = target
    if (linkCount + 1 === maxAliasChain || target.isSame(this.#request.key)) return false
    for (let i = 0; i < linkCount; i += 1) {
      if (target.isSame(this.#aliasKeys[i] as NameKey)) return false
    }
    this.#key = target
    this.#nameOctets = octets
    this.#nameAt = at
    this.#owner = response.rdataOwner
    return true
  }

  /** A closed zone causes no error for an alias that is itself fine. */
  #zoneOfAlias(): number {
    const zone = this.#lookup.findZone(this.#target, this.#key)
    const answering = this.#request.qtype === types.DS ? this.#zoneOfDs(zone) : zone
    return answering === 0 || this.#isClosed(answering) ? 0 : answering
  }

  /** The zone above answers for DS at an apex, where that zone is ours too and knows the name (RFC 4035 section
   *  3.1.4.1). Where it does not know it, it has no delegation to the child, and NXDOMAIN for the name of a zone we
   *  serve would make resolvers that follow RFC 8020 drop that zone. */
  #zoneOfDs(zone: number): number {
    const lookup = this.#lookup
    const key = this.#key
    if (!lookup.isApex(zone, key) || key.labelCount === 0) return zone
    const parent = lookup.findZone(this.#target, key, 1)
    if (parent === 0 || this.#isClosed(parent)) return zone
    lookup.lookUp(parent, key, types.DS)
    return lookup.kind === found.nxdomain ? zone : parent
  }

  /** Whether the RRset is in the answer because the chain went through it: only a DNAME can occur twice. */
  #hasPut(rrset: number): boolean {
    if (this.#dnameCount === 0 || typeOf(this.#memory.words, rrset) !== types.DNAME) return false
    for (let i = 0; i < this.#dnameCount; i += 1) if (this.#dnames[i] === rrset) return true
    return false
  }

  /** Whether some clients are not answered from the zone. */
  #isClosed(zone: number): boolean {
    return ((this.#memory.words[zone + zoneBlock.states] as number) & closedStates) !== 0
  }

  /** A zone for secondaries is open to clients with a key, and its serial to all. */
  #isOpenTo({ qtype, key }: Request, zone: number, isSigned: boolean): boolean {
    if (this.#lookup.isExpired(zone)) return false
    return isSigned || (qtype === types.SOA && this.#lookup.isApex(zone, key))
  }

  #refuseClosed(zone: number): void {
    if (this.#lookup.isExpired(zone)) this.#refuse(rcodes.servFail, extendedErrors.invalidData)
    else this.#refuse(rcodes.refused, extendedErrors.prohibited)
  }
}

const noOctets = new Uint8Array()
