import { types } from '../../dns/codes.ts'
import { entry, rrset as rrsetBlock } from '../../zone/table/layout.ts'
import { offsetInWindow, type TableMemory } from '../../zone/table/memory.ts'
import { NameKey } from '../../zone/table/name-key.ts'
import { findRrset, recordCountOf, typeOf } from '../../zone/table/rrset-block.ts'
import type { TableLookup } from '../../zone/table/table-lookup.ts'
import { maxOptionalTargets, typesWithTargets } from '../additional-section.ts'
import { type QuickResponse, sections } from './quick-response.ts'
import { octetsBeforeTarget } from './rdata-shapes.ts'

type Parts = { readonly memory: TableMemory; readonly lookup: TableLookup }

/** The additional section of quick answers: what `additional-section.ts` does. RRsets that name one target twice,
 *  or more targets than anybody is offered addresses for, are left to it. */
export class QuickAdditional {
  readonly #memory: TableMemory
  readonly #lookup: TableLookup
  readonly #response: QuickResponse
  /** The target at hand, and where it lies in the case it was given in. */
  readonly #targetKey: NameKey
  #targetOctets: Uint8Array = new Uint8Array()
  #targetAt = 0
  /** The answer's own name, and the cut of a referral. */
  #ownKey: NameKey
  #ownOwner = 0
  #cut = 0
  /** Hashes of the targets so far. */
  readonly #seen = new Int32Array(maxOptionalTargets)
  #seenCount = 0

  constructor({ memory, lookup }: Parts, response: QuickResponse) {
    this.#memory = memory
    this.#lookup = lookup
    this.#response = response
    this.#targetKey = new NameKey(memory)
    this.#ownKey = this.#targetKey
  }

  /** Puts the addresses of the names that an answer points at, as far as they fit. The answer's own name is
   *  the key's, and `owner` points at it. */
  putOffers(zone: number, rrset: number, key: NameKey, owner: number): void {
    if (!offersAddresses(typeOf(this.#memory.words, rrset)) || !this.#begin(rrset)) return
    this.#ownKey = key
    this.#ownOwner = owner
    this.#putTargets(zone, rrset, allTargets)
  }

  /** Puts glue for the servers of a cut: for those below it or TC (RFC 9471 section 3.1); for others what there
   *  is, as far as it fits (section 3.2). */
  putGlue(zone: number, ns: number, cut: number): void {
    if (!this.#begin(ns)) return
    this.#cut = cut
    this.#putTargets(zone, ns, targetsBelowCut)
    this.#seenCount = 0
    this.#putTargets(zone, ns, otherTargets)
  }

  #begin(rrset: number): boolean {
    this.#seenCount = 0
    if (recordCountOf(this.#memory.words, rrset) <= maxOptionalTargets) return true
    this.#response.hasGivenUp = true
    return false
  }

  #putTargets(zone: number, rrset: number, wanted: number): void {
    const { words } = this.#memory
    const octets = this.#memory.windowOf(rrset)
    const type = typeOf(words, rrset)
    let at = offsetInWindow(rrset + rrsetBlock.rdatas)
    for (let i = recordCountOf(words, rrset); i > 0; i -= 1) {
      const end = at + 2 + ((octets[at] as number) << 8) + (octets[at + 1] as number)
      this.#readTarget(octets, at + 2 + octetsBeforeTarget(type), end)
      if (this.#targetKey.labelCount > 0) this.#putTarget(zone, wanted)
      else if (isServiceOfOwner(type, octets, at + 2)) this.#putOwn(zone)
      if (this.#response.hasGivenUp) return
      at = end
    }
  }

  #readTarget(octets: Uint8Array, at: number, end: number): void {
    if (!this.#targetKey.readOctets(octets, at, end)) this.#response.hasGivenUp = true
    this.#targetOctets = octets
    this.#targetAt = at
  }

  #putTarget(zone: number, wanted: number): void {
    const key = this.#targetKey
    this.#see(key)
    const isBelow = wanted !== allTargets && this.#lookup.isAtOrBelow(this.#cut, key)
    if (wanted === targetsBelowCut ? !isBelow : isBelow) return
    this.#putAddresses(this.#lookup.findAddressNode(zone, key), wanted)
  }

  #putOwn(zone: number): void {
    this.#see(this.#ownKey)
    this.#putAddresses(this.#lookup.findAddressNode(zone, this.#ownKey), ownName)
  }

  /** Puts the A and AAAA of a node for the target at hand. */
  #putAddresses(node: number, wanted: number): void {
    if (node === 0) return
    const { words } = this.#memory
    const data = words[node + entry.data] as number
    this.#putRrset(findRrset(words, data, types.A), wanted)
    this.#putRrset(findRrset(words, data, types.AAAA), wanted)
  }

  #putRrset(addresses: number, wanted: number): void {
    if (addresses === 0) return
    const response = this.#response
    const owner =
      wanted === ownName
        ? this.#ownOwner
        : response.ownerOf(this.#targetKey, this.#targetOctets, this.#targetAt)
    if (wanted === targetsBelowCut) response.putRequired(sections.additional, owner, addresses)
    else response.putOptional(sections.additional, owner, addresses)
  }

  /** Notes a target. A second one of the same name has no addresses of its own. */
  #see(key: NameKey): void {
    const hash = key.hashFrom(0)
    for (let i = 0; i < this.#seenCount; i += 1) {
      if (this.#seen[i] === hash) this.#response.hasGivenUp = true
    }
    this.#seen[this.#seenCount] = hash
    this.#seenCount += 1
  }
}

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
const offering = Uint8Array.from({ length: typeCount }, (_, type) =>
  typesWithTargets.includes(type) ? 1 : 0,
)

/** RFC 9460 section 2.5: in service mode the target `.` is the owner itself. */
function isServiceOfOwner(type: number, octets: Uint8Array, rdataAt: number): boolean {
  if (type !== types.SVCB && type !== types.HTTPS) return false
  return octets[rdataAt] !== 0 || octets[rdataAt + 1] !== 0
}
