import { types } from '../dns/codes.ts'
import { entry, rrset as rrsetBlock } from '../zone/table/layout.ts'
import { offsetInWindow, type TableMemory } from '../zone/table/memory.ts'
import { NameKey } from '../zone/table/name-key.ts'
import { findRrset, findSignature, recordCountOf, typeOf } from '../zone/table/rrset-block.ts'
import type { TableLookup } from '../zone/table/table-lookup.ts'
import { octetsBeforeTarget } from './rdata-shapes.ts'
import { sections } from './record-writer.ts'
import type { Response } from './response.ts'

/** The most names whose addresses are added unasked; an RRset with more names is big enough without them. */
const maxOptionalTargets = 32
/** Targets that are remembered, so that the addresses of one that is named twice are put once. */
const maxSeenTargets = 1024

/** Types whose addresses the client will want next. */
const typesWithTargets = [types.NS, types.MX, types.SRV, types.SVCB, types.HTTPS] as const

type Parts = { readonly memory: TableMemory; readonly lookup: TableLookup }

/** Puts the additional section: glue, which a referral needs, and addresses that merely save the client a query. All
 *  come from the zone that answered, which is not authoritative for other zones. */
export class Additional {
  /** Whether signatures go with what is signed. */
  isSigned = false
  readonly #memory: TableMemory
  readonly #lookup: TableLookup
  readonly #response: Response
  /** The current target, and where it lies in the case it was given in. */
  readonly #targetKey: NameKey
  #targetOctets: Uint8Array = noOctets
  #targetAt = 0
  /** The answer's own name, and the cut of a referral. */
  #ownKey: NameKey
  #ownOwner = 0
  #cut = 0
  /** Hashes of the targets so far. */
  readonly #seen = new Int32Array(maxSeenTargets)
  #seenCount = 0

  constructor({ memory, lookup }: Parts, response: Response) {
    this.#memory = memory
    this.#lookup = lookup
    this.#response = response
    this.#targetKey = new NameKey(memory)
    this.#ownKey = this.#targetKey
  }

  /** Puts the addresses of the names that an answer points at, as far as they fit. The answer's own name is
   *  the key's, and `owner` points at it. */
  putOffers(zone: number, rrset: number, key: NameKey, owner: number): void {
    if (!offersAddresses(typeOf(this.#memory.words, rrset))) return
    this.#ownKey = key
    this.#ownOwner = owner
    this.#putTargets(zone, rrset, allTargets)
  }

  /** Puts glue for the servers of a cut: for those below it or TC (RFC 9471 section 3.1); for others as much as exists
   *  and fits (section 3.2). */
  putGlue(zone: number, ns: number, cut: number): void {
    this.#cut = cut
    this.#putTargets(zone, ns, targetsBelowCut)
    this.#putTargets(zone, ns, otherTargets)
  }

  #putTargets(zone: number, rrset: number, wanted: number): void {
    const { words } = this.#memory
    const response = this.#response
    const octets = this.#memory.windowOf(rrset)
    const type = typeOf(words, rrset)
    this.#seenCount = 0
    let at = offsetInWindow(rrset + rrsetBlock.rdatas)
    for (let i = recordCountOf(words, rrset); i > 0 && !response.isTruncated; i -= 1) {
      const end = at + 2 + ((octets[at] as number) << 8) + (octets[at + 1] as number)
      this.#readTarget(octets, at + 2 + octetsBeforeTarget(type), end)
      if (this.#targetKey.labelCount > 0) this.#putTarget(zone, wanted)
      else if (isServiceOfOwner(type, octets, at + 2)) this.#putOwn(zone)
      if (wanted !== targetsBelowCut && this.#seenCount === maxOptionalTargets) return
      at = end
    }
  }

  #readTarget(octets: Uint8Array, at: number, end: number): void {
    if (!this.#targetKey.readOctets(octets, at, end)) {
      throw new Error('stored rdata is not of its type')
    }
    this.#targetOctets = octets
    this.#targetAt = at
  }

  #putTarget(zone: number, wanted: number): void {
    const key = this.#targetKey
    const isBelow = wanted !== allTargets && this.#lookup.isAtOrBelow(this.#cut, key)
    if (wanted === targetsBelowCut ? !isBelow : isBelow) return
    if (this.#isFirst(key)) this.#putAddresses(this.#lookup.findAddressNode(zone, key), wanted)
  }

  #putOwn(zone: number): void {
    const key = this.#ownKey
    if (this.#isFirst(key)) this.#putAddresses(this.#lookup.findAddressNode(zone, key), ownName)
  }

  /** Puts the A and AAAA of a node for the current target. */
  #putAddresses(node: number, wanted: number): void {
    if (node === 0) return
    const { words } = this.#memory
    const data = words[node + entry.data] as number
    this.#putSigned(data, types.A, wanted)
    this.#putSigned(data, types.AAAA, wanted)
  }

  /** RFC 4035 section 3.1.1: here a signature that does not fit is left out. */
  #putSigned(data: number, type: number, wanted: number): void {
    const { words } = this.#memory
    const isPut = this.#putRrset(findRrset(words, data, type), wanted)
    if (isPut && this.isSigned) this.#putRrset(findSignature(words, data, type), wanted)
  }

  /** Returns whether the RRset exists and fits. */
  #putRrset(rrset: number, wanted: number): boolean {
    if (rrset === 0) return false
    const response = this.#response
    const owner =
      wanted === ownName
        ? this.#ownOwner
        : response.ownerOf(this.#targetKey, this.#targetOctets, this.#targetAt)
    const isPut = response.putOptional(sections.additional, owner, rrset)
    // Names below a cut have no signatures.
    if (!isPut && wanted === targetsBelowCut) response.isTruncated = true
    return isPut
  }

  /** Notes a target and returns whether it is the first of its name. */
  #isFirst(key: NameKey): boolean {
    const hash = key.hashFrom(0)
    const count = this.#seenCount
    for (let i = 0; i < count; i += 1) if (this.#seen[i] === hash) return false
    if (count < maxSeenTargets) {
      this.#seen[count] = hash
      this.#seenCount = count + 1
    }
    return true
  }
}

const noOctets = new Uint8Array()

/** Which targets are meant. */
const allTargets = 0
const targetsBelowCut = 1
const otherTargets = 2
/** The answer's own name, as a target of itself. */
const ownName = 3

/** Whether the client will want the addresses of the names in such records next. */
function offersAddresses(type: number): boolean {
  return type < typeCount && offering[type] === 1
}

const typeCount = 256
const offering = new Uint8Array(typeCount)
for (const type of typesWithTargets) offering[type] = 1

/** RFC 9460 section 2.5: in service mode the target `.` is the owner itself; elsewhere `.` is "no service". */
function isServiceOfOwner(type: number, octets: Uint8Array, rdataAt: number): boolean {
  if (type !== types.SVCB && type !== types.HTTPS) return false
  return octets[rdataAt] !== 0 || octets[rdataAt + 1] !== 0
}
