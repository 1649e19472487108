import { types } from '../../../src/dns/codes.ts'
import { lowerCaseName, type Name, parentName } from '../../../src/dns/name.ts'
import type { ZoneContents } from '../../../src/zone/check.ts'
import type { OwnedRrset, Rrset } from '../../../src/zone/rrset.ts'
import { soaNumbers } from '../../../src/zone/soa.ts'
import { negativeSoa } from '../oracle/negative-soa.ts'
import type { Lookup, ServedZone, ZoneDnssec } from '../oracle/served-zone.ts'
import { findAddressRrsets, lookUp, type NodeTable } from './image-lookup.ts'
import { ZoneNode } from './node.ts'
import { linkToParent, refreshNodeFlags, unlinkFromParent } from './node-flags.ts'
import { byCoveredType, isHashOwner, type Nsec3 } from './signatures.ts'

/** One zone, ready to be asked. Always has a SOA and its apex, and every name above one that exists
 *  exists too (as an ENT if it has no data). A change costs O(labels) and is complete when the call returns,
 *  so a query sees it whole or not at all. Whether the data makes sense is `check.ts`'s business. */
export class ZoneImage implements ServedZone, ZoneDnssec, ZoneContents {
  readonly apex: Name
  isExpired = false
  readonly #nodes = new Map<Name, ZoneNode>()
  readonly #apexNode: ZoneNode
  #table: NodeTable
  #serial: number
  #rrsetCount = 1
  readonly #nsec3s = new Map<Name, Nsec3>()

  /** Starts a zone with nothing but its SOA, whose owner is the apex.
   *  @throws RangeError `soa` is not one SOA record. */
  constructor(soa: OwnedRrset) {
    if (soa.type !== types.SOA) throw new RangeError('a zone starts with its SOA')
    this.apex = lowerCaseName(soa.owner)
    this.#apexNode = new ZoneNode(soa.owner, undefined)
    this.#nodes.set(this.apex, this.#apexNode)
    this.#apexNode.put(soa)
    this.#table = tableWith(this.#nodes, soa)
    this.#serial = soaNumbers(soa).serial
  }

  get serial(): number {
    return this.#serial
  }

  /** Names that exist, empty non-terminals included. */
  get nodeCount(): number {
    return this.#nodes.size
  }

  get rrsetCount(): number {
    return this.#rrsetCount
  }

  /** Adds the RRset or replaces the one of its owner and type. `owner` may be in any case; responses keep
   *  that case where the question does not dictate it.
   *  @throws RangeError the owner is outside the zone, the RRset is empty, or a SOA is not one record at
   *  the apex. */
  putRrset(owner: Name, rrset: Rrset): void {
    if (rrset.rdatas.length === 0) throw new RangeError('an RRset has at least one record')
    const key = lowerCaseName(owner)
    if (rrset.type === types.NSEC3) {
      const signature = this.#nsec3s.get(key)?.signature
      this.#nsec3s.set(key, { ...rrset, owner: key, signature })
      return
    }
    if (rrset.type === types.RRSIG) {
      this.#putSignatures(owner, rrset)
      return
    }
    if (rrset.type === types.SOA) this.#prepareSoa(owner, key, rrset)
    const node = this.#nodes.get(key) ?? this.#addNode(owner, key)
    const previousCount = node.rrsets.length
    node.owner = owner
    node.put(rrset)
    this.#rrsetCount += node.rrsets.length - previousCount
    refreshNodeFlags(node)
  }

  /** Removes an RRset and the names that only existed for it; returns whether there was one.
   *  @throws RangeError asked to remove the SOA: a zone without one cannot be answered from. */
  removeRrset(owner: Name, type: number): boolean {
    const key = lowerCaseName(owner)
    if (type === types.SOA && key === this.apex) throw new RangeError('a zone keeps its SOA')
    const node = this.#nodes.get(key)
    if (node === undefined || !node.remove(type)) return false
    this.#rrsetCount -= 1
    refreshNodeFlags(node)
    this.#prune(node, key)
    return true
  }

  /** Returns the RRset held for exactly this owner and type, occluded or not; no wildcards. */
  findRrset(owner: Name, type: number): Rrset | undefined {
    return this.#nodes.get(lowerCaseName(owner))?.find(type)
  }

  /** Returns the RRsets of exactly this name, ascending by type, occluded or not; no wildcards. */
  rrsetsAt(owner: Name): readonly Rrset[] {
    return this.#nodes.get(lowerCaseName(owner))?.rrsets ?? []
  }

  typesAt(owner: Name): readonly number[] {
    return this.rrsetsAt(owner).map(({ type }) => type)
  }

  ownsDname(owner: Name): boolean {
    return this.findRrset(owner, types.DNAME) !== undefined
  }

  hasNamesBelow(owner: Name): boolean {
    return (this.#nodes.get(lowerCaseName(owner))?.childCount ?? 0) > 0
  }

  /** Yields every RRset of the zone, the SOA first, otherwise in no promised order. */
  *rrsets(): Generator<OwnedRrset> {
    const soa = this.#apexNode.find(types.SOA)
    if (soa !== undefined) yield { ...soa, owner: this.#apexNode.owner }
    for (const node of this.#nodes.values()) {
      for (const rrset of node.rrsets) if (rrset !== soa) yield { ...rrset, owner: node.owner }
      const rdatas = [...node.signatures.values()].flatMap(signature => signature.rdatas)
      if (rdatas.length > 0) {
        yield { owner: node.owner, type: types.RRSIG, ttlSeconds: 0, rdatas }
      }
    }
    for (const { signature, ...nsec3 } of this.#nsec3s.values()) {
      if (nsec3.rdatas.length > 0) yield nsec3
      if (signature !== undefined) yield { ...signature, owner: nsec3.owner }
    }
  }

  get dnssec(): ZoneDnssec | undefined {
    const isSigned = this.#nsec3s.size > 0 || [...this.#nodes.values()].some(hasSigning)
    return isSigned ? this : undefined
  }

  get nsec3Param(): Uint8Array | undefined {
    return this.#apexNode.find(types.NSEC3PARAM)?.rdatas[0]
  }

  dsAt(cut: Name): Rrset | undefined {
    return this.findRrset(cut, types.DS)
  }

  get nsecs(): readonly OwnedRrset[] {
    return [...this.#nodes.values()].flatMap(node => {
      const nsec = node.find(types.NSEC)
      return nsec === undefined ? [] : [{ ...nsec, owner: node.owner }]
    })
  }

  get nsec3s(): readonly OwnedRrset[] {
    return [...this.#nsec3s.values()].filter(({ rdatas }) => rdatas.length > 0)
  }

  exists(name: Name): boolean {
    return this.#nodes.has(name)
  }

  signatureOf(owner: Name, rrset: Rrset): Rrset | undefined {
    const signature =
      rrset.type === types.NSEC3
        ? this.#nsec3s.get(owner)?.signature
        : this.#nodes.get(owner)?.signatures.get(rrset.type)
    return signature && { ...signature, ttlSeconds: rrset.ttlSeconds }
  }

  #putSignatures(owner: Name, rrset: Rrset): void {
    const key = lowerCaseName(owner)
    const signatures = byCoveredType(rrset)
    const ofNsec3 = isHashOwner(key, this.apex) ? signatures.get(types.NSEC3) : undefined
    if (ofNsec3 !== undefined) {
      const nsec3 = this.#nsec3s.get(key) ?? {
        owner: key,
        type: types.NSEC3,
        ttlSeconds: 0,
        rdatas: [],
      }
      this.#nsec3s.set(key, { ...nsec3, signature: ofNsec3 })
      signatures.delete(types.NSEC3)
    }
    if (signatures.size === 0) return
    const node = this.#nodes.get(key) ?? this.#addNode(owner, key)
    node.signatures = signatures
  }

  lookup(qname: Name, qtype: number): Lookup {
    return lookUp(this.#table, qname, qtype)
  }

  findAddresses(name: Name): readonly Rrset[] {
    return findAddressRrsets(this.#nodes, name)
  }

  #prepareSoa(owner: Name, key: Name, soa: Rrset): void {
    if (key !== this.apex) throw new RangeError('a SOA belongs to the apex')
    this.#table = tableWith(this.#nodes, { ...soa, owner })
    this.#serial = soaNumbers(soa).serial
  }

  /** Adds a node and the empty non-terminals between it and the nearest name that exists. */
  #addNode(owner: Name, key: Name): ZoneNode {
    const missing: { owner: Name; key: Name }[] = []
    let parent: ZoneNode | undefined
    for (let at = { owner, key }; parent === undefined; ) {
      if (at.key.length === 1) throw new RangeError('the owner is outside the zone')
      missing.push(at)
      at = { owner: parentName(at.owner), key: parentName(at.key) }
      parent = this.#nodes.get(at.key)
    }
    let node = parent
    for (const name of missing.reverse()) {
      node = new ZoneNode(name.owner, node)
      this.#nodes.set(name.key, node)
      linkToParent(node)
    }
    return node
  }

  /** Removes the node and then its ancestors, as far up as nothing is left at or below them. */
  #prune(leaf: ZoneNode, leafKey: Name): void {
    let node: ZoneNode | undefined = leaf
    let key = leafKey
    while (node?.parent !== undefined && node.rrsets.length === 0 && node.childCount === 0) {
      this.#nodes.delete(key)
      unlinkFromParent(node)
      node = node.parent
      key = parentName(key)
    }
  }
}

function hasSigning(node: ZoneNode): boolean {
  return node.signatures.size > 0 || node.find(types.NSEC) !== undefined
}

/** Prepares the negative results of the zone's lookups, once per SOA. */
function tableWith(nodes: ReadonlyMap<Name, ZoneNode>, soa: OwnedRrset): NodeTable {
  const negative = negativeSoa(soa)
  return {
    nodes,
    nodata: { kind: 'nodata', soa: negative },
    nxdomain: { kind: 'nxdomain', soa: negative },
  }
}
