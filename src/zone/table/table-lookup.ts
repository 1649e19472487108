import { types } from '../../dns/codes.ts'
import { isApex, labelCountOf } from './entries.ts'
import {
  barrierFlag,
  entry,
  list,
  listTag,
  rrset as rrsetBlock,
  signedItemWords,
  target as targetBlock,
  wildcardFlag,
  zone as zoneBlock,
  zoneStates,
} from './layout.ts'
import { offsetInWindow, type TableMemory } from './memory.ts'
import { NameIndex } from './name-index.ts'
import type { NameKey } from './name-key.ts'
import { findRrset, soaExpireOf, typeOf } from './rrset-block.ts'

// RFC 1034 section 4.3.2 steps 3 and 4, with wildcards as RFC 4592 and DNAME as RFC 6672 restate them, over the memory of
// a table: references for nodes and numbers for the cases. The name is found by one hash probe and authority is then
// settled by walking up, not down: occlusion needs no flag on descendants, which would make adding a cut O(names below
// it). It allocates nothing: the result of a lookup is in the fields, until the next one.
//
// The writer may change the zone meanwhile, so a word that can change is read once, and that value decides everything
// that follows.

/** The answers that a zone can give for one name and type: data, or for ANY one RRset of the name; an alias; a DNAME above;
 *  a cut at or above; no data of the type; no such name. */
export const found = { hit: 0, cname: 1, dname: 2, referral: 3, nodata: 4, nxdomain: 5 } as const

export class TableLookup {
  /** One of `found`. */
  kind = 0
  /** The RRset that was found: the answer, the CNAME, the DNAME, or the NS of the cut. */
  rrset = 0
  /** The node that owns the DNAME, or the cut. */
  owner = 0
  /** The data of the RRset's node, as it was read; and, except at a cut or below a DNAME, the node: the name's own, or
   *  the wildcard. */
  data = 0
  node = 0
  /** The label of the key at which the found name begins: the key's own name, or that of its closest encloser. */
  nearestLabel = 0
  readonly #memory: TableMemory
  readonly #words: Int32Array
  readonly #index: NameIndex

  constructor(memory: TableMemory) {
    this.#memory = memory
    this.#words = memory.words
    this.#index = new NameIndex(memory)
  }

  /** Returns the zone of the target with the longest apex at or above the name that begins with label `first` of the
   *  key, or 0. */
  findZone(target: number, key: NameKey, first = 0): number {
    const words = this.#words
    const { labelCount } = key
    for (let label = first; label <= labelCount; label += 1) {
      // Most servers have apexes of two or three labels, and a name may have a hundred.
      if (words[target + targetBlock.apexCounts + labelCount - label] === 0) continue
      const apex = this.#index.find(target, key, label)
      if (apex !== 0) return words[apex + entry.zone] as number
    }
    return 0
  }

  /** Whether the key's name is at or below the zone's apex. */
  isInZone(zone: number, key: NameKey): boolean {
    const label = key.labelCount - this.apexLabelCount(zone)
    return label >= 0 && this.#index.find(zone, key, label) === this.#words[zone + zoneBlock.apex]
  }

  /** Whether the key's name is at or below that of the node, in whichever zone. */
  isAtOrBelow(node: number, key: NameKey): boolean {
    const label = key.labelCount - labelCountOf(this.#words, node)
    return label >= 0 && this.#index.hasName(node, key, key.octetsFrom(label))
  }

  /** Whether the key's name is the zone's apex; it is none without a zone. */
  isApex(zone: number, key: NameKey): boolean {
    return zone !== 0 && this.apexLabelCount(zone) === key.labelCount
  }

  /** Labels of the zone's apex, without the root. */
  apexLabelCount(zone: number): number {
    return labelCountOf(this.#words, this.#words[zone + zoneBlock.apex] as number)
  }

  /** Returns the node of the name that begins with label `label` of the key, or 0. */
  findNode(zone: number, key: NameKey, label = 0): number {
    return this.#index.find(zone, key, label)
  }

  /** Returns the index word that holds the node of the key's name, if it exists and no other entry takes its slot. */
  placeOf(zone: number, key: NameKey): number {
    return this.#index.placeOf(zone, key, 0)
  }

  /** Returns the index word that holds the longest possible apex for the key's name, if it exists and no other entry
   *  takes its slot; 0 where no apex is possible. */
  placeOfApex(target: number, key: NameKey): number {
    const words = this.#words
    const { labelCount } = key
    for (let label = 0; label <= labelCount; label += 1) {
      if (words[target + targetBlock.apexCounts + labelCount - label] !== 0) {
        return this.#index.placeOf(target, key, label)
      }
    }
    return 0
  }

  isExpired(zone: number): boolean {
    return ((this.#words[zone + zoneBlock.states] as number) & zoneStates.isExpired) !== 0
  }

  /** Returns how long the zone's data is good: that of a primary as long as its SOA says. */
  expireSeconds(zone: number, unixSeconds: number): number {
    const expiresAt = (this.#words[zone + zoneBlock.expiresAt] as number) >>> 0
    if (expiresAt === 0) return soaExpireOf(this.#memory, this.findSoa(zone))
    return Math.max(expiresAt - unixSeconds, 0)
  }

  /** Returns the zone's SOA. */
  findSoa(zone: number): number {
    const words = this.#words
    const apex = words[zone + zoneBlock.apex] as number
    return findRrset(words, words[apex + entry.data] as number, types.SOA)
  }

  /** Answers for the key's name, which is at or below the zone's apex. O(labels). */
  lookUp(zone: number, key: NameKey, qtype: number): void {
    const exact = this.#index.find(zone, key, 0)
    this.nearestLabel = 0
    const closest = exact === 0 ? this.#closestEncloser(zone, key) : exact
    if (this.#stopsAtBarrier(closest, exact)) {
      // RFC 4035 section 3.1.4.1: DS is the one type at a cut that the parent side answers.
      const isParentSide =
        qtype === types.DS && this.owner === exact && this.kind === found.referral
      if (!isParentSide) return
    }
    const source = exact === 0 ? this.#sourceOfSynthesis(zone, key, closest) : exact
    this.node = source
    if (source === 0) this.kind = found.nxdomain
    else this.#answerFrom(source, qtype)
    const mayBeNs = qtype === types.NS || qtype === types.ANY
    if (mayBeNs && exact !== 0) this.#referAtCut(exact)
  }

  /** Returns the node whose addresses are offered for the key's name in an additional section, glue below
   *  cuts and wildcard expansion included; 0 for none, and for a name outside the zone. O(labels). */
  findAddressNode(zone: number, key: NameKey): number {
    const exact = this.#index.find(zone, key, 0)
    if (exact === 0 && !this.isInZone(zone, key)) return 0
    const closest = exact === 0 ? this.#closestEncloser(zone, key) : exact
    const isBelow = this.#stopsAtBarrier(closest, exact)
    if (isBelow && this.kind === found.dname) return 0
    if (exact !== 0) return exact
    // Below a cut only a name's own data is glue; a wildcard there belongs to the other zone.
    return isBelow ? 0 : this.#sourceOfSynthesis(zone, key, closest)
  }

  /** Returns the nearest ancestor that exists (RFC 4592 section 3.3.1) for a name that does not. The search goes from
   *  the apex down, because clients can invent any number of names below it. */
  #closestEncloser(zone: number, key: NameKey): number {
    let closest = this.#words[zone + zoneBlock.apex] as number
    let label = key.labelCount - labelCountOf(this.#words, closest)
    while (label > 1) {
      const below = this.#index.find(zone, key, label - 1)
      if (below === 0) break
      closest = below
      label -= 1
    }
    this.nearestLabel = label
    return closest
  }

  /** RFC 4592 section 3.3.1: only the child `*` of the closest encloser is the source of synthesis, an ENT
   *  included; a `*` further up is blocked by the closest encloser. */
  #sourceOfSynthesis(zone: number, key: NameKey, closest: number): number {
    if (((this.#words[closest + entry.state] as number) & wildcardFlag) === 0) return 0
    return this.#index.findWildcard(zone, key, this.nearestLabel)
  }

  /** Whether the zone stops speaking for the name somewhere from `from` up to the apex: at a cut, or below a
   *  DNAME. The highest one counts; what lies below it is occluded, further cuts included. */
  #stopsAtBarrier(from: number, exact: number): boolean {
    const words = this.#words
    let isStopped = false
    for (let node = from; ; node = words[node + entry.above] as number) {
      const mayStop = ((words[node + entry.state] as number) & barrierFlag) !== 0
      if (mayStop && this.#isBarrier(node, exact)) isStopped = true
      if (isApex(words, node)) return isStopped
    }
  }

  #isBarrier(node: number, exact: number): boolean {
    const words = this.#words
    const data = words[node + entry.data] as number
    // RFC 1034 section 4.2.1: NS at the apex name the zone's own servers; anywhere else they end it.
    const ns = isApex(words, node) ? 0 : findRrset(words, data, types.NS)
    // A cut with a DNAME is a cut: the DNAME is the child zone's (RFC 6672 section 2.4). And it redirects the
    // names below its owner, not the owner itself (section 2.3).
    const dname = ns !== 0 || node === exact ? 0 : findRrset(words, data, types.DNAME)
    if (ns === 0 && dname === 0) return false
    this.owner = node
    this.data = data
    this.kind = ns === 0 ? found.dname : found.referral
    this.rrset = ns === 0 ? dname : ns
    return true
  }

  /** The NS that was found may have been added after its flag was read, or the processor may have read the flag later.
   *  Below the apex it is a cut in any case. */
  #referAtCut(node: number): void {
    const words = this.#words
    if (this.rrset === 0 || typeOf(words, this.rrset) !== types.NS) return
    if (isApex(words, node)) return
    this.kind = found.referral
    this.owner = node
  }

  #answerFrom(node: number, qtype: number): void {
    const words = this.#words
    const data = words[node + entry.data] as number
    this.data = data
    if (qtype === types.ANY) this.#settle(found.hit, lowestRrset(words, data))
    else if ((data & listTag) === 0) this.#answerFromOne(data, qtype)
    else {
      const isOfSignatures = qtype === types.RRSIG
      const rrset = isOfSignatures ? lowestSignature(words, data) : findRrset(words, data, qtype)
      if (rrset !== 0) this.#settle(found.hit, rrset)
      else this.#settle(found.cname, findRrset(words, data, types.CNAME))
    }
  }

  /** Nearly every name has one RRset. */
  #answerFromOne(rrset: number, qtype: number): void {
    const type = rrset === 0 ? 0 : typeOf(this.#words, rrset)
    if (type === types.CNAME && qtype !== types.CNAME) this.#settle(found.cname, rrset)
    else this.#settle(found.hit, type === qtype ? rrset : 0)
  }

  #settle(kind: number, rrset: number): void {
    this.kind = rrset === 0 ? found.nodata : kind
    this.rrset = rrset
  }
}

/** RFC 8482 section 4.1: one RRset suffices as an answer to ANY. The lowest type, so that it is always the same. An ALIAS is
 *  answered as addresses only. */
function lowestRrset(words: Int32Array, data: number): number {
  if ((data & listTag) !== 0) return firstInList(words, data - listTag, 1)
  return data !== 0 && typeOf(words, data) === types.ALIAS ? 0 : data
}

/** RFC 8482 section 7: as for ANY. */
function lowestSignature(words: Int32Array, data: number): number {
  const ref = data - listTag
  return words[ref + list.itemWords] === signedItemWords ? firstInList(words, ref, 2) : 0
}

/** Returns the first nonzero word at this position in the items of a list, but not that of an ALIAS. */
function firstInList(words: Int32Array, ref: number, place: number): number {
  let at = ref + list.items
  for (let left = words[ref + list.count] as number; left > 0; left -= 1) {
    const word = words[at + place] as number
    if (word !== 0 && words[at] !== types.ALIAS) return word
    at += words[ref + list.itemWords] as number
  }
  return 0
}

/** How long "no" may be cached: the smaller of the SOA's own TTL and its MINIMUM, its last number (RFC 2308
 *  section 5). */
export function negativeTtlSeconds(memory: TableMemory, soa: number): number {
  const octets = memory.windowOf(soa)
  const rdataAt = offsetInWindow(soa + rrsetBlock.rdatas)
  const end = rdataAt + 2 + (((octets[rdataAt] as number) << 8) | (octets[rdataAt + 1] as number))
  let minimum = 0
  for (let at = end - 4; at < end; at += 1) minimum = minimum * 256 + (octets[at] as number)
  return Math.min(minimum, (memory.words[soa + rrsetBlock.ttlSeconds] as number) >>> 0)
}
