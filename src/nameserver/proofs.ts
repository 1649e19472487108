import { types } from '../dns/codes.ts'
import { isApex, labelCountOf, nameOffset } from '../zone/table/entries.ts'
import { entry, nsec3Entry, zone as zoneBlock } from '../zone/table/layout.ts'
import { offsetInWindow, type TableMemory } from '../zone/table/memory.ts'
import { keyOctets, NameKey } from '../zone/table/name-key.ts'
import { hashLabelOctets, writeHashLabel } from '../zone/table/nsec3-hash.ts'
import { findRrset, findSignature } from '../zone/table/rrset-block.ts'
import { denials, TableDenial } from '../zone/table/table-denial.ts'
import type { TableLookup } from '../zone/table/table-lookup.ts'
import type { KnownAuthority } from './known-authorities.ts'
import type { MissingSignatures } from './missing-signatures.ts'
import { ownerOfNode } from './node-owner.ts'
import { newOwner, rootOwner, sections } from './record-writer.ts'
import type { Response } from './response.ts'

/** For each of ten aliases and the end of the chain, as many as a negative answer needs. */
const maxProofs = 48

type Parts = { readonly memory: TableMemory; readonly lookup: TableLookup }

/** The NSEC and NSEC3 that prove to a validator that an answer is complete (RFC 4035 section 3.1.3, RFC 5155 section 7.2).
 *  They are found together with the answer and put after it, each once. */
export class Proofs {
  readonly #memory: TableMemory
  readonly #words: Int32Array
  readonly #lookup: TableLookup
  readonly #response: Response
  readonly #missing: MissingSignatures
  readonly #denial: TableDenial
  /** The zone that denies, the denied names, and the kind of denial. */
  #zone = 0
  #key: NameKey
  #kind = 0
  #count = 0
  /** The first so many are common to names below the apex; so many are in the response. */
  #commonCount = 0
  #putCount = 0
  /** RRset and signature of each; its node, or 0 and its NSEC3 entry; its zone. */
  readonly #rrsets = new Int32Array(maxProofs)
  readonly #signatures = new Int32Array(maxProofs)
  readonly #nodes = new Int32Array(maxProofs)
  readonly #entries = new Int32Array(maxProofs)
  readonly #zones = new Int32Array(maxProofs)
  /** The owner of each, where it is the question's name or one above it, and that of its zone's apex; `newOwner` otherwise. */
  readonly #owners = new Int32Array(maxProofs)
  readonly #apexOwners = new Int32Array(maxProofs)
  #apexOwner = newOwner
  readonly #ownerKey: NameKey
  readonly #ownerOctets = new Uint8Array(keyOctets + 1 + hashLabelOctets)

  constructor({ memory, lookup }: Parts, response: Response, missing: MissingSignatures) {
    this.#memory = memory
    this.#words = memory.words
    this.#lookup = lookup
    this.#response = response
    this.#missing = missing
    this.#denial = new TableDenial(memory)
    this.#ownerKey = new NameKey(memory)
    this.#key = this.#ownerKey
  }

  /** Removes all proofs. */
  clear(): void {
    this.#count = 0
    this.#commonCount = 0
    this.#putCount = 0
  }

  /** Adds the proofs for the lookup of the key's name in a signed zone.
   *  @param known the beginning of the authority section; its own proofs are not put again */
  add(
    zone: number,
    key: NameKey,
    kind: 'expansion' | 'nodata' | 'nxdomain' | 'insecure',
    known?: KnownAuthority,
  ): void {
    this.#zone = zone
    this.#key = key
    this.#kind = this.#denial.begin(zone)
    if (this.#kind === denials.none) return
    this.#apexOwner = this.#ownerOfApex(key)
    if (kind === 'expansion') this.#addExpansion()
    else if (kind === 'nodata') this.#addNodata()
    else if (kind === 'nxdomain') this.#addNxdomain(known)
    else this.#addInsecure()
  }

  /** Puts those into the authority section that are not there yet. */
  put(): void {
    this.#putUntil(this.#count)
  }

  /** Puts those that names below the apex have in common. */
  putCommon(): void {
    this.#putUntil(this.#commonCount)
  }

  /** The RRsets of those. */
  get common(): Int32Array {
    return this.#rrsets.subarray(0, this.#commonCount)
  }

  #putUntil(end: number): void {
    for (; this.#putCount < end && !this.#response.isTruncated; this.#putCount += 1) {
      this.#put(this.#putCount)
    }
  }

  /** RFC 4035 section 3.1.3.3, RFC 5155 section 7.2.6: the name itself does not exist. */
  #addExpansion(): void {
    if (this.#kind === denials.nsec) this.#addDenied(this.#key)
    else this.#addCovering(this.#key, this.#lookup.nearestLabel - 1)
  }

  /** RFC 4035 section 3.1.3.1 and 3.1.3.4, RFC 5155 sections 7.2.3 to 7.2.5. */
  #addNodata(): void {
    const { node, nearestLabel } = this.#lookup
    const key = this.#key
    const isExpanded = nearestLabel > 0
    if (this.#kind === denials.nsec) {
      const wildcard = isExpanded ? this.#denial.wildcardBelow(key, nearestLabel) : undefined
      // Empty non-terminals have none of their own.
      const owner = isExpanded ? newOwner : this.#ownerInQuestion(key, 0)
      if (!this.#addOfNode(node, this.#lookup.data, owner)) this.#addDenied(wildcard ?? key)
      if (isExpanded) this.#addDenied(key)
    } else if (!isExpanded) this.#addMatching(0, this.#denial.match(key, 0))
    else {
      this.#addEncloser(nearestLabel)
      this.#addEntry(this.#denial.matchWildcard(key, nearestLabel))
    }
  }

  /** Without it, names are compressed against all that are in the response. */
  #ownerOfApex(key: NameKey): number {
    const label = key.labelCount - this.#denial.apexLabelCount
    // A question for a hash: its name may be that of an NSEC3.
    const isHash =
      label > 0 && key.octetsFrom(label - 1) - key.octetsFrom(label) === 1 + hashLabelOctets
    return isHash ? newOwner : this.#ownerInQuestion(key, label)
  }

  #ownerInQuestion(key: NameKey, label: number): number {
    const response = this.#response
    return response.isOfQuestion(key) ? response.ownerInQuestion(label) : newOwner
  }

  /** RFC 4035 section 3.1.3.2, RFC 5155 section 7.2.2. */
  #addNxdomain(known: KnownAuthority | undefined): void {
    const { nearestLabel } = this.#lookup
    const isKnown = known !== undefined && this.#addKnown(known)
    if (this.#kind === denials.nsec) {
      if (!isKnown) this.#addDeniedWildcard(nearestLabel)
      this.#addDenied(this.#key)
    } else if (isKnown) this.#addCovering(this.#key, nearestLabel - 1)
    else {
      const encloser = this.#addEncloserAlone(nearestLabel)
      if (encloser < 0) return
      this.#addEntry(this.#denial.coverWildcard(this.#key, encloser))
      // Otherwise it is not what other names have in common: with opt-out, an existing name may have no NSEC3.
      if (this.#isApex(nearestLabel)) this.#commonCount = this.#count
      this.#addCovering(this.#key, encloser - 1)
    }
  }

  /** Returns whether it has what is the same for all names below the apex. */
  #addKnown(known: KnownAuthority): boolean {
    for (let i = 0; i < known.proofCount; i += 1) this.#rrsets[i] = known.proofs[i] as number
    this.#count = known.proofCount
    this.#commonCount = known.proofCount
    this.#putCount = known.proofCount
    return known.proofCount > 0
  }

  /** Adds the NSEC that covers `*` below label `label`. Below the apex it is mostly that of the apex. */
  #addDeniedWildcard(label: number): void {
    if (this.#isApex(label)) {
      const apex = this.#words[this.#zone + zoneBlock.apex] as number
      const data = this.#words[apex + entry.data] as number
      if (this.#denial.deniesWildcard(data) && this.#addOfNode(apex, data, this.#apexOwner)) {
        this.#commonCount = this.#count
        return
      }
    }
    const wildcard = this.#denial.wildcardBelow(this.#key, label)
    if (wildcard !== undefined) this.#addDenied(wildcard)
  }

  #isApex(label: number): boolean {
    return label === this.#key.labelCount - this.#denial.apexLabelCount
  }

  /** RFC 4035 section 3.1.4, RFC 5155 section 7.2.7: there is no DS at the cut. */
  #addInsecure(): void {
    const { owner: cut, data } = this.#lookup
    const key = this.#key
    const label = key.labelCount - labelCountOf(this.#words, cut)
    if (this.#kind !== denials.nsec)
      this.#addMatching(label, this.#denial.matchEncloser(key, label))
    else this.#addOfNode(cut, data, this.#ownerInQuestion(key, label))
  }

  /** Adds the NSEC3 of an existing name; where it has none, because it is opted out or has only such names below it, the
   *  proof of the nearest name above that has one (RFC 5155 sections 7.2.4 and 7.2.7, erratum 3441). */
  #addMatching(label: number, match: number): void {
    if (match !== 0) this.#addEntry(match)
    else this.#addEncloser(label + 1)
  }

  /** Adds the NSEC3 of the closest name, from a label up, that has one, and the proof that the next name below it has
   *  none (RFC 5155 section 7.2.1). */
  #addEncloser(from: number): void {
    const encloser = this.#addEncloserAlone(from)
    if (encloser >= 0) this.#addCovering(this.#key, encloser - 1)
  }

  /** The same without that proof. Returns the label of the closest name, -1 where there is none. */
  #addEncloserAlone(from: number): number {
    const key = this.#key
    const apexLabel = key.labelCount - this.#denial.apexLabelCount
    for (let label = from; label <= apexLabel; label += 1) {
      const match = this.#denial.matchEncloser(key, label)
      if (match === 0) continue
      this.#addEntry(match)
      return label
    }
    return -1
  }

  #addDenied(key: NameKey): void {
    const node = this.#denial.findNsec(key)
    if (node === 0) return
    const owner = isApex(this.#words, node) ? this.#apexOwner : newOwner
    this.#addOfNode(node, this.#words[node + entry.data] as number, owner)
  }

  #addCovering(key: NameKey, label: number): void {
    this.#addEntry(this.#denial.cover(key, label))
  }

  /** Returns whether the node has an NSEC. */
  #addOfNode(node: number, data: number, owner: number): boolean {
    const nsec = findRrset(this.#words, data, types.NSEC)
    if (nsec === 0) return false
    const signature = findSignature(this.#words, data, types.NSEC)
    this.#denial.prefetch(nsec)
    this.#denial.prefetch(signature)
    const at = this.#place(nsec, signature)
    if (at >= 0) {
      this.#nodes[at] = node
      this.#owners[at] = owner
      this.#zones[at] = this.#zone
    }
    return true
  }

  #addEntry(found: number): void {
    if (found === 0) return
    const nsec3 = this.#words[found + nsec3Entry.rrset] as number
    const at = this.#place(nsec3, this.#words[found + nsec3Entry.signature] as number)
    if (at < 0) return
    this.#nodes[at] = 0
    this.#entries[at] = found
    this.#zones[at] = this.#zone
  }

  /** Returns the index of a new RRset, -1 for one that is already there. */
  #place(rrset: number, signature: number): number {
    const at = this.#count
    for (let i = 0; i < at; i += 1) if (this.#rrsets[i] === rrset) return -1
    if (at === maxProofs) return -1
    this.#rrsets[at] = rrset
    this.#signatures[at] = signature
    this.#apexOwners[at] = this.#apexOwner
    this.#count = at + 1
    return at
  }

  #put(i: number): void {
    const node = this.#nodes[i] as number
    const response = this.#response
    const rrset = this.#rrsets[i] as number
    const signature = this.#signatures[i] as number
    const section = sections.authority
    response.putRequired(section, node === 0 ? this.#ownerOfEntry(i) : this.#ownerOfNode(i), rrset)
    const owner = response.lastOwner
    if (signature !== 0) response.putRequired(section, owner, signature)
    else {
      const [zone, nsec3] = [this.#zones[i] as number, this.#entries[i] as number]
      this.#missing.put(section, owner, { zone, node, nsec3, rrset })
    }
  }

  /** The owner of an NSEC, in the case its name was given in. */
  #ownerOfNode(i: number): number {
    const owner = this.#owners[i] as number
    if (owner !== newOwner) return owner
    const node = this.#nodes[i] as number
    if (this.#isBelowApex(i, node)) {
      const newName = this.#ownerOfNewName(node, this.#apexOwners[i] as number)
      if (newName !== 0) return newName
    }
    return ownerOfNode(this.#memory, node, { key: this.#ownerKey, response: this.#response })
  }

  /** Whether the node is one label below the apex, which the question has. */
  #isBelowApex(i: number, node: number): boolean {
    const apexOwner = this.#apexOwners[i] as number
    if (apexOwner === newOwner || apexOwner === rootOwner) return false
    const words = this.#words
    const apex = words[(this.#zones[i] as number) + zoneBlock.apex] as number
    return labelCountOf(words, node) === labelCountOf(words, apex) + 1
  }

  /** Returns the owner of a node below the apex where the response does not have its name; otherwise 0. */
  #ownerOfNewName(node: number, apexOwner: number): number {
    const words = this.#words
    const response = this.#response
    const octets = this.#memory.windowOf(node)
    const at = nameOffset(words, node)
    const hash = response.hashOfNewName(apexOwner, octets, at)
    if (hash === 0) return 0
    const given = words[node + entry.given] as number
    return given === 0
      ? response.ownerOfNewName(hash, octets, at, apexOwner)
      : response.ownerOfNewName(
          hash,
          this.#memory.windowOf(given),
          offsetInWindow(given),
          apexOwner,
        )
  }

  /** The owner of an NSEC3: its hash below the apex. */
  #ownerOfEntry(i: number): number {
    const words = this.#words
    const hashAt = (this.#entries[i] as number) + nsec3Entry.hash
    const apexOwner = this.#apexOwners[i] as number
    if (apexOwner !== newOwner) return this.#response.ownerOfHash(apexOwner, hashAt)
    const owner = this.#ownerOctets
    const apex = words[(this.#zones[i] as number) + zoneBlock.apex] as number
    const given = words[apex + entry.given] as number
    const octets = this.#memory.windowOf(given === 0 ? apex : given)
    const at = given === 0 ? nameOffset(words, apex) : offsetInWindow(given)
    this.#ownerKey.readOctets(octets, at, at + keyOctets)
    const { lengthOctets } = this.#ownerKey
    for (let j = 0; j < lengthOctets; j += 1) {
      owner[1 + hashLabelOctets + j] = octets[at + j] as number
    }
    writeHashLabel(words, hashAt, owner, 0)
    this.#ownerKey.readOctets(owner, 0, 1 + hashLabelOctets + lengthOctets)
    return this.#response.ownerOf(this.#ownerKey, owner, 0)
  }
}
