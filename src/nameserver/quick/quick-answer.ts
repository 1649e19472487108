import { rcodes, types } from '../../dns/codes.ts'
import { labelCountOf } from '../../zone/table/entries.ts'
import { zone as zoneBlock } from '../../zone/table/layout.ts'
import type { TableMemory } from '../../zone/table/memory.ts'
import { NameKey } from '../../zone/table/name-key.ts'
import { recordCountOf } from '../../zone/table/rrset-block.ts'
import { found, negativeTtlSeconds, type TableLookup } from '../../zone/table/table-lookup.ts'
import { maxAliasChain } from '../answer-section.ts'
import { PlainRequest } from './plain-request.ts'
import { QuickAdditional } from './quick-additional.ts'
import { QuickResponse, sections } from './quick-response.ts'

/** Answers plain requests from the table: `answer.ts` and its sections, for the cases that make up nearly all
 *  queries, without allocating. What it gives up is answered in the general way, which is also what it is
 *  tested against, octet for octet. */
export class QuickAnswer {
  readonly #memory: TableMemory
  readonly #lookup: TableLookup
  readonly #target: number
  #request: PlainRequest
  readonly #response: QuickResponse
  readonly #additional: QuickAdditional
  /** The name that is looked up: the question's, or the last alias target, and who owns its records. */
  #key: NameKey
  #owner = 0
  /** What the last alias target was read into; the response has another one for the next. */
  #aliasKey: NameKey
  /** Hashes of the aliases that were followed. */
  readonly #visited = new Int32Array(maxAliasChain)

  constructor(parts: {
    readonly memory: TableMemory
    readonly lookup: TableLookup
    readonly target: number
  }) {
    this.#memory = parts.memory
    this.#lookup = parts.lookup
    this.#target = parts.target
    this.#request = new PlainRequest(parts.memory)
    this.#response = new QuickResponse(parts.memory, this.#request)
    this.#additional = new QuickAdditional(parts, this.#response)
    this.#key = this.#request.key
    this.#aliasKey = new NameKey(parts.memory)
  }

  get rcode(): number {
    return this.#response.rcode
  }

  /** Writes the response to a plain request to `octets` and returns its length; 0 where it gives up. */
  respond(request: PlainRequest, octets: Uint8Array): number {
    const response = this.#response
    response.begin(request, octets)
    this.#request = request
    this.#key = request.key
    this.#owner = response.ownerInQuestion(0)
    const { zone } = request
    if (zone !== 0) this.#leaveDsAtApex(zone)
    if (zone === 0) response.rcode = rcodes.refused
    else if (this.#isExpired(zone)) response.rcode = rcodes.servFail
    else this.#answer(zone)
    return response.hasGivenUp ? 0 : response.finish()
  }

  #answer(firstZone: number): void {
    const response = this.#response
    const { qtype } = this.#request
    let zone = firstZone
    for (let linkCount = 0; ; linkCount += 1) {
      this.#lookup.lookUp(zone, this.#key, qtype)
      // RFC 1035 section 4.1.1: AA is about the first owner name, so a referral later on leaves it set.
      if (linkCount === 0) response.isAuthoritative = this.#lookup.kind !== found.referral
      if (this.#lookup.kind !== found.cname) {
        this.#putEnd(zone)
        return
      }
      if (!this.#follow(linkCount)) return
      zone = this.#lookup.findZone(this.#target, this.#key)
      if (zone === 0 || this.#isExpired(zone)) return
      this.#leaveDsAtApex(zone)
    }
  }

  /** RFC 4035 section 3.1.4.1: DS at an apex may be the zone above's to answer. */
  #leaveDsAtApex(zone: number): void {
    if (this.#request.qtype !== types.DS) return
    if (this.#lookup.apexLabelCount(zone) === this.#key.labelCount) this.#response.hasGivenUp = true
  }

  /** Puts the end of a chain, of no links in most cases, and what goes with it. */
  #putEnd(zone: number): void {
    const response = this.#response
    const lookup = this.#lookup
    switch (lookup.kind) {
      case found.hit:
        response.putRequired(sections.answer, this.#owner, lookup.rrset)
        if (!response.isTruncated) {
          this.#additional.putOffers(zone, lookup.rrset, this.#key, this.#owner)
        }
        return
      case found.referral:
        this.#putReferral(zone)
        return
      case found.dname:
        response.hasGivenUp = true
        return
      case found.nxdomain:
        // RFC 6604 section 3: the rcode is that of the last name in the chain.
        response.rcode = rcodes.nxDomain
        this.#putSoa(zone)
        return
      default:
        this.#putSoa(zone)
    }
  }

  /** RFC 2308 section 3: without the SOA a negative answer cannot be cached. */
  #putSoa(zone: number): void {
    const soa = this.#lookup.findSoa(zone)
    const ttlSeconds = negativeTtlSeconds(this.#memory, soa)
    const owner = this.#ownerAbove(this.#lookup.apexLabelCount(zone))
    const response = this.#response
    if (!response.putWithTtl(sections.authority, owner, soa, ttlSeconds)) {
      response.isTruncated = true
    }
  }

  #putReferral(zone: number): void {
    const { owner: cut, rrset: ns } = this.#lookup
    const owner = this.#ownerAbove(labelCountOf(this.#memory.words, cut))
    this.#response.putRequired(sections.authority, owner, ns)
    if (!this.#response.isTruncated) this.#additional.putGlue(zone, ns, cut)
  }

  /** The owner of so many labels at or above the name that is looked up. */
  #ownerAbove(labelCount: number): number {
    const response = this.#response
    const label = this.#key.labelCount - labelCount
    const isQuestion = this.#key === this.#request.key
    return isQuestion ? response.ownerInQuestion(label) : response.ownerInResponse(this.#key, label)
  }

  /** Puts a CNAME and goes to its target; returns false where the chain must not go on. */
  #follow(linkCount: number): boolean {
    const response = this.#response
    const { rrset } = this.#lookup
    this.#visited[linkCount] = this.#key.hashFrom(0)
    response.putRequired(sections.answer, this.#owner, rrset)
    // Of two CNAMEs the first is followed, which was not the last name read.
    if (recordCountOf(this.#memory.words, rrset) !== 1) response.hasGivenUp = true
    if (response.isTruncated || response.hasGivenUp) return false
    const target = response.rdataKey
    response.rdataKey = this.#aliasKey
    this.#aliasKey = target
    this.#key = target
    this.#owner = response.rdataOwner
    for (let i = 0; i <= linkCount; i += 1) {
      // A loop, in all likelihood.
      if (this.#visited[i] === target.hashFrom(0)) response.hasGivenUp = true
    }
    return !response.hasGivenUp && linkCount + 1 < maxAliasChain
  }

  #isExpired(zone: number): boolean {
    return this.#memory.words[zone + zoneBlock.isExpired] !== 0
  }
}
