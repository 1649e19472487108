import { types } from '../../../src/dns/codes.ts'
import {
  isAtOrBelow,
  labelsOf,
  lowerCaseName,
  type Name,
  parentName,
} from '../../../src/dns/name.ts'
import type { ZoneContents } from '../../../src/zone/check.ts'
import type { OwnedRrset, Rrset } from '../../../src/zone/rrset.ts'
import { soaNumbers } from '../../../src/zone/soa.ts'
import { negativeSoa } from './negative-soa.ts'
import type { Lookup, ServedZone, ZoneDnssec } from './served-zone.ts'
import { wildcardBelow } from './signatures.ts'

/** The data of one name, ascending by type. Its owner is in the case given last. */
type ListedName = { readonly owner: Name; readonly rrsets: readonly Rrset[] }

/** A zone as a list of names with their RRsets, in which RFC 1034 section 4.3.2 is done literally: label by label downwards,
 *  with no tree, no pointer and no flag. As close to the text as code gets. Neither an NSEC3 nor an RRSIG makes a name exist. */
export class ListedZone implements ServedZone, ZoneDnssec, ZoneContents {
  readonly apex: Name
  isExpired = false
  readonly #names = new Map<Name, ListedName>()
  readonly #nsec3s = new Map<Name, OwnedRrset>()
  /** By owner, and by the type that they cover. */
  readonly #signatures = new Map<Name, ReadonlyMap<number, Rrset>>()
  /** All names with data and those above them, since the last change; undefined: not determined yet. */
  #existing: ReadonlySet<Name> | undefined
  #changeCount = 0

  /** @throws Error there is no SOA */
  constructor(rrsets: Iterable<OwnedRrset>) {
    const all = [...rrsets]
    const soa = all.find(({ type }) => type === types.SOA)
    if (soa === undefined) throw new Error('a zone without a SOA')
    this.apex = lowerCaseName(soa.owner)
    for (const rrset of all) this.putRrset(rrset.owner, rrset)
  }

  get serial(): number {
    return soaNumbers(this.#soa).serial
  }

  /** Names that exist, empty non-terminals included. */
  get nodeCount(): number {
    return this.#existingNames.size
  }

  /** Another number after each change of the data. */
  get changeCount(): number {
    return this.#changeCount
  }

  /** Adds the RRset or replaces the one of its owner and type. An RRset of RRSIG has all signatures of its owner. */
  putRrset(owner: Name, rrset: Rrset): void {
    const key = lowerCaseName(owner)
    if (!isAtOrBelow(key, this.apex)) throw new Error('an owner outside the zone')
    this.#noteChange()
    if (rrset.type === types.NSEC3) this.#nsec3s.set(key, { ...rrset, owner: key })
    else if (rrset.type === types.RRSIG) this.#signatures.set(key, byCoveredType(rrset))
    else {
      const rrsets = [...this.#othersAt(owner, rrset.type), rrset]
      this.#names.set(key, { owner, rrsets: rrsets.sort((one, other) => one.type - other.type) })
    }
  }

  /** Removes an RRset of data. */
  removeRrset(owner: Name, type: number): void {
    const key = lowerCaseName(owner)
    const name = this.#names.get(key)
    if (name === undefined) return
    this.#noteChange()
    const rrsets = this.#othersAt(owner, type)
    if (rrsets.length === 0) this.#names.delete(key)
    else this.#names.set(key, { ...name, rrsets })
  }

  /** Returns the RRset of exactly this owner and type, occluded or not; no wildcards. */
  findRrset(owner: Name, type: number): Rrset | undefined {
    return this.rrsetsAt(owner).find(rrset => rrset.type === type)
  }

  /** Returns the data of exactly this name, occluded or not; no wildcards. */
  rrsetsAt(owner: Name): readonly Rrset[] {
    return this.#names.get(lowerCaseName(owner))?.rrsets ?? []
  }

  typesAt(owner: Name): readonly number[] {
    return this.rrsetsAt(owner).map(({ type }) => type)
  }

  ownsDname(owner: Name): boolean {
    return this.findRrset(owner, types.DNAME) !== undefined
  }

  hasNamesBelow(owner: Name): boolean {
    const key = lowerCaseName(owner)
    return [...this.#existingNames].some(name => name !== key && isAtOrBelow(name, key))
  }

  /** All RRsets of the zone, the SOA first. */
  rrsets(): OwnedRrset[] {
    const data = [...this.#names.values()].flatMap(({ owner, rrsets }) =>
      rrsets.map(rrset => ({ ...rrset, owner })),
    )
    const signatures = [...this.#signatures].map(([key, byType]) => ({
      owner: this.#names.get(key)?.owner ?? key,
      type: types.RRSIG,
      ttlSeconds: 0,
      rdatas: [...byType.values()].flatMap(({ rdatas }) => rdatas),
    }))
    const isSoa = ({ type }: Rrset) => Number(type === types.SOA)
    return [
      ...data.sort((one, other) => isSoa(other) - isSoa(one)),
      ...this.#nsec3s.values(),
      ...signatures,
    ]
  }

  lookup(qname: Name, qtype: number): Lookup {
    const way = this.#wayDownTo(qname)
    for (const [i, here] of way.entries()) {
      const next = way[i + 1]
      // 3b: out of the authoritative data, unless the question is for the parent's side of the cut.
      const ns = i > 0 ? this.#findOwned(here, types.NS) : undefined
      if (ns !== undefined && (next !== undefined || qtype !== types.DS)) {
        return { kind: 'referral', ns }
      }
      // 3a: the whole of QNAME is matched.
      if (next === undefined) return this.#answer(here, qtype)
      // RFC 6672 section 3.2, 3c: a DNAME at the last label matched renames the rest.
      const dname = this.#findOwned(here, types.DNAME)
      if (dname !== undefined) return { kind: 'dname', dname }
      // 3c: a match is impossible; look whether "*" exists here.
      if (this.exists(next)) continue
      const star = wildcardBelow(here)
      return this.exists(star)
        ? this.#answer(star, qtype)
        : { kind: 'nxdomain', soa: this.#negativeSoa }
    }
    throw new Error('the name is outside the zone')
  }

  findAddresses(name: Name): readonly Rrset[] {
    const way = this.#wayDownTo(name)
    let isBelowCut = false
    for (const [i, here] of way.entries()) {
      const next = way[i + 1]
      isBelowCut ||= i > 0 && this.findRrset(here, types.NS) !== undefined
      if (next === undefined) return this.#addressesAt(here)
      if (!isBelowCut && this.ownsDname(here)) return []
      // Below a cut only what is there by its own name is glue; a wildcard there belongs to the other zone.
      if (!this.exists(next)) return isBelowCut ? [] : this.#addressesAt(wildcardBelow(here))
    }
    return []
  }

  get dnssec(): ZoneDnssec | undefined {
    const isSigned = this.#signatures.size + this.#nsec3s.size + this.nsecs.length > 0
    return isSigned ? this : undefined
  }

  get nsec3Param(): Uint8Array | undefined {
    return this.findRrset(this.apex, types.NSEC3PARAM)?.rdatas[0]
  }

  dsAt(cut: Name): Rrset | undefined {
    return this.findRrset(cut, types.DS)
  }

  get nsecs(): readonly OwnedRrset[] {
    return [...this.#names.values()].flatMap(({ owner, rrsets }) =>
      rrsets.filter(({ type }) => type === types.NSEC).map(nsec => ({ ...nsec, owner })),
    )
  }

  get nsec3s(): readonly OwnedRrset[] {
    return [...this.#nsec3s.values()]
  }

  /** RFC 4592 section 2.2.3: a name exists if it or anything below it owns data. */
  exists(name: Name): boolean {
    return this.#existingNames.has(name)
  }

  signatureOf(owner: Name, { type, ttlSeconds }: Rrset): Rrset | undefined {
    const signature = this.#signatures.get(owner)?.get(type)
    return signature && { ...signature, ttlSeconds }
  }

  get #existingNames(): ReadonlySet<Name> {
    this.#existing ??= new Set([...this.#names.keys()].flatMap(name => this.#wayDownTo(name)))
    return this.#existing
  }

  get #soa(): OwnedRrset {
    const soa = this.#findOwned(this.apex, types.SOA)
    if (soa === undefined) throw new Error('a zone without a SOA')
    return soa
  }

  get #negativeSoa(): OwnedRrset {
    return negativeSoa(this.#soa)
  }

  #othersAt(owner: Name, type: number): readonly Rrset[] {
    return this.rrsetsAt(owner).filter(other => other.type !== type)
  }

  #noteChange(): void {
    this.#changeCount += 1
    this.#existing = undefined
  }

  /** The names from the apex down to this one; none for a name outside the zone. */
  #wayDownTo(name: Name): Name[] {
    if (!isAtOrBelow(name, this.apex)) return []
    const way = [name]
    for (let above = name; above !== this.apex; way.unshift(above)) above = parentName(above)
    return way
  }

  #findOwned(key: Name, type: number): OwnedRrset | undefined {
    const name = this.#names.get(key)
    const rrset = this.findRrset(key, type)
    return name && rrset && { ...rrset, owner: name.owner }
  }

  #addressesAt(name: Name): readonly Rrset[] {
    return this.rrsetsAt(name).filter(({ type }) => type === types.A || type === types.AAAA)
  }

  #answer(name: Name, qtype: number): Lookup {
    // An ALIAS is answered as addresses only.
    const rrsets = this.rrsetsAt(name).filter(({ type }) => type !== types.ALIAS)
    // RFC 8482 section 4.1: one RRset suffices for ANY. The lowest type, so that it is always the same one.
    const rrset = qtype === types.ANY ? rrsets[0] : rrsets.find(({ type }) => type === qtype)
    if (rrset !== undefined) return { kind: 'hit', rrset }
    const signature = qtype === types.RRSIG ? this.#lowestSignature(name) : undefined
    if (signature !== undefined) return { kind: 'hit', rrset: signature }
    const cname = rrsets.find(({ type }) => type === types.CNAME)
    if (cname !== undefined) return { kind: 'cname', rrset: cname }
    return { kind: 'nodata', soa: this.#negativeSoa }
  }

  /** RFC 8482 section 7: as for ANY. */
  #lowestSignature(name: Name): Rrset | undefined {
    const covered = this.rrsetsAt(name).find(rrset => this.signatureOf(name, rrset) !== undefined)
    return covered && this.signatureOf(name, covered)
  }
}

/** Splits all RRSIG of a name by the types that they cover. */
function byCoveredType({ ttlSeconds, rdatas }: Rrset): Map<number, Rrset> {
  const groups = Map.groupBy(rdatas, rdata => Buffer.from(rdata).readUInt16BE(0))
  return new Map(
    [...groups].map(([type, ofType]) => [type, { type: types.RRSIG, ttlSeconds, rdatas: ofType }]),
  )
}

/** The hash that an NSEC3 is owned by. */
export function hashLabel({ owner }: OwnedRrset): string {
  return (labelsOf(owner)[0] ?? '').toLowerCase()
}
