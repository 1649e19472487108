import { types } from '../../dns/codes.ts'
import type { Name } from '../../dns/name.ts'
import type { RrsetOctets } from '../../dns/rrset-octets.ts'
import type { OwnedRrset, Rrset } from '../rrset.ts'
import { octetsOfRrset, rrsetOfOctets } from '../rrset-octets.ts'
import { soaNumbers } from '../soa.ts'
import { giveName, givenNameOf, nameOfEntry } from './entries.ts'
import { childCountMask, entry, hashWords, nsec3Entry, zone, zoneStates } from './layout.ts'
import type { TableMemory } from './memory.ts'
import { changeName, contentsOf, type NamePart, nsec3Of } from './name-change.ts'
import { putData } from './node-data.ts'
import {
  blockOctets,
  blocksOf,
  findRrset,
  readRrset,
  rrsetsOf,
  soaSerialOf,
  writeRrset,
} from './rrset-block.ts'
import type { TableWriter } from './table-writer.ts'
import { addNode } from './zone-nodes.ts'
import { ownerOfEntry } from './zone-signing.ts'

/** One zone of a table, as its writing thread sees it. The object is a reference, made for each call; the zone itself
 *  lives from `ZoneTable.createZone` until it is withdrawn from the last target or discarded. The zone always has a SOA
 *  and its apex, and every ancestor of an existing name exists too. A change costs O(labels) and is seen whole or not
 *  at all. `check.ts` judges whether the data makes sense. */
export class TableZone {
  readonly ref: number
  readonly #writer: TableWriter

  constructor(writer: TableWriter, ref: number) {
    this.#writer = writer
    this.ref = ref
  }

  /** Lower-case. */
  get apex(): Name {
    return nameOfEntry(this.#memory, this.#apexNode)
  }

  /** A number that no other existing zone has, and the index of its counters (`counters.ts`). */
  get number(): number {
    return this.#word(zone.number)
  }

  get serial(): number {
    return soaSerialOf(this.#memory, this.#writer.reader.lookup.findSoa(this.ref))
  }

  /** Whether it has, or had, signatures or NSEC or NSEC3. */
  get isSigned(): boolean {
    return this.#word(zone.signing) !== 0
  }

  /** Of a zone with signatures: a number that every change together gives another value. */
  get changeCount(): number {
    return this.#writer.signing.changeCount(this.ref)
  }

  /** Whether this is a secondary whose data has outlived SOA EXPIRE: it must not be served. */
  get isExpired(): boolean {
    return (this.#word(zone.states) & zoneStates.isExpired) !== 0
  }

  set isExpired(isExpired: boolean) {
    this.#setState(zoneStates.isExpired, isExpired)
  }

  /** Whether its data is for secondaries only: others get its SOA. */
  set isPrivate(isPrivate: boolean) {
    this.#setState(zoneStates.isPrivate, isPrivate)
  }

  /** Whether RRsets without a signature are signed when they are queried, because not all of the zone is signed yet. */
  get isSignedOnDemand(): boolean {
    return (this.#word(zone.states) & zoneStates.isSignedOnDemand) !== 0
  }

  set isSignedOnDemand(isSignedOnDemand: boolean) {
    this.#setState(zoneStates.isSignedOnDemand, isSignedOnDemand)
  }

  #setState(state: number, isSet: boolean): void {
    const states = this.#word(zone.states)
    this.#writer.store.publish(this.ref + zone.states, isSet ? states | state : states & ~state)
  }

  /** How long the data is good: that of a primary as long as its SOA says. */
  expireSeconds(unixSeconds: number): number {
    return this.#writer.reader.lookup.expireSeconds(this.ref, unixSeconds)
  }

  /** Until when a secondary's data is good, in seconds since 1970; 0 where the data does not expire. */
  set expiresAtSeconds(seconds: number) {
    this.#writer.store.publish(this.ref + zone.expiresAt, seconds | 0)
  }

  /** Names that exist, empty non-terminals included. */
  get nodeCount(): number {
    return this.#word(zone.nodeCount)
  }

  get rrsetCount(): number {
    return this.#word(zone.rrsetCount)
  }

  /** Adds the RRset or replaces the one of its owner and type. `owner` may be in any case; answers use that case where
   *  the question does not dictate another.
   *  @throws RangeError the owner is outside the zone; the RRset is empty, or too large for any table; a SOA is not one
   *  record at the apex; or the table is full. Nothing has changed then. */
  putRrset(owner: Name, rrset: Rrset): void {
    this.putOctets(octetsOfRrset(owner, rrset))
  }

  /** As `putRrset`. */
  putOctets(rrset: RrsetOctets): void {
    const { store, reader } = this.#writer
    const { octets, ownerAt, rdatasAt, type } = rrset
    store.requireRoom(blockOctets(rrset))
    reader.key.readOctets(octets, ownerAt, rdatasAt)
    if (!reader.lookup.isInZone(this.ref, reader.key)) {
      throw new RangeError('the owner is outside the zone')
    }
    if (type === types.RRSIG || type === types.NSEC || type === types.NSEC3) {
      changeName(this.#writer, this.ref, [{ type, rrset }])
      return
    }
    const node = reader.lookup.findNode(this.ref, reader.key)
    if (type === types.SOA) {
      if (node !== this.#apexNode) throw new RangeError('a SOA belongs to the apex')
      soaNumbers(rrsetOfOctets(rrset))
    }
    const added = node === 0 ? addNode(this.#writer, this.ref, rrset) : 0
    if (node !== 0) giveName(store, node, octets, ownerAt)
    const isNew = node === 0 || putData(store, node, writeRrset(store, rrset))
    this.#writer.versions.change(this.ref, node || added)
    if (isNew) this.#writer.add(this.ref + zone.rrsetCount, 1)
  }

  /** Puts and removes RRsets of one name at once; all RRSIG of a name are one. Readers see all of it or nothing.
   *  @throws RangeError as `putRrset`; nothing has changed then */
  changeName(
    owner: Name,
    changes: readonly { readonly type: number; readonly rrset: Rrset | undefined }[],
    part?: NamePart,
  ): void {
    const { reader } = this.#writer
    const inOctets = changes.map(({ type, rrset }) => ({
      type,
      rrset: rrset && keptOctets(octetsOfRrset(owner, rrset)),
    }))
    reader.key.readName(owner)
    if (!reader.lookup.isInZone(this.ref, reader.key)) {
      throw new RangeError('the owner is outside the zone')
    }
    changeName(this.#writer, this.ref, inOctets, part)
  }

  /** Makes changes, without interruption, that readers of a signed zone see together. Readers wait meanwhile, so it must
   *  not take long. Returns whether any have waited. */
  changeTogether(change: () => void): boolean {
    return this.#writer.signing.changeTogether(this.ref, change)
  }

  /** Removes an RRset and the names that only existed for it; returns whether there was one.
   *  @throws RangeError the RRset is the SOA: a zone without one cannot be answered from. */
  removeRrset(owner: Name, type: number): boolean {
    this.#writer.reader.key.readName(owner)
    if (!this.#hasAtKey(type)) return false
    changeName(this.#writer, this.ref, [{ type, rrset: undefined }])
    return true
  }

  #hasAtKey(type: number): boolean {
    const { reader } = this.#writer
    const items = contentsOf(this.#writer, this.ref, reader.lookup.findNode(this.ref, reader.key))
    return type === types.RRSIG
      ? items.some(({ signature }) => signature !== 0)
      : items.some(item => item.type === type && item.rrset !== 0)
  }

  /** Returns the RRset held for exactly this owner and type, occluded or not; no wildcards. */
  findRrset(owner: Name, type: number): Rrset | undefined {
    const { words } = this.#memory
    const node = this.#nodeOf(owner)
    if (type === types.RRSIG) return this.#signaturesAtKey()
    const rrset =
      type === types.NSEC3
        ? nsec3Of(this.#writer, this.ref).rrset
        : findRrset(words, this.#dataOf(node), type)
    return rrset === 0 ? undefined : this.#read(rrset)
  }

  /** Returns the RRsets of exactly this name, ascending by type, occluded or not; no wildcards. All RRSIG of a name are
   *  one. */
  rrsetsAt(owner: Name): readonly Rrset[] {
    const node = this.#nodeOf(owner)
    const rrsets = rrsetsOf(this.#memory.words, this.#dataOf(node))
    const { rrset: nsec3 } = nsec3Of(this.#writer, this.ref)
    return [
      ...[...rrsets, nsec3].flatMap(rrset => (rrset === 0 ? [] : [this.#read(rrset)])),
      ...[this.#signaturesAtKey() ?? []].flat(),
    ].sort((one, other) => one.type - other.type)
  }

  /** All RRSIG of the name that the writer's key holds. */
  #signaturesAtKey(): Rrset | undefined {
    const { reader } = this.#writer
    const node = reader.lookup.findNode(this.ref, reader.key)
    const signatures = contentsOf(this.#writer, this.ref, node).flatMap(({ signature }) =>
      signature === 0 ? [] : [this.#read(signature)],
    )
    const [first] = signatures
    return first && { ...first, rdatas: signatures.flatMap(({ rdatas }) => rdatas) }
  }

  /** Returns the last name before this one, in lower case, that has an NSEC, or among the owners of NSEC3 the last one
   *  before it; for the first name the last of all. */
  linkedBefore(owner: Name, type: number): Name | undefined {
    const { reader, signing } = this.#writer
    reader.key.readName(owner)
    if (type === types.NSEC3) {
      const entry = signing.entryBefore(this.ref, reader.key)
      return entry === 0 ? undefined : ownerOfEntry(this.#memory, this.ref, entry)
    }
    const node = signing.nodeBefore(this.ref, reader.key)
    return node === 0 ? undefined : nameOfEntry(this.#memory, node)
  }

  /** Returns a name in the case it was given in, if it exists. */
  givenName(owner: Name): Name | undefined {
    const node = this.#nodeOf(owner)
    return node === 0 ? undefined : givenNameOf(this.#memory, node)
  }

  hasNamesBelow(owner: Name): boolean {
    return this.childCount(owner) > 0
  }

  /** Counts the names directly below one. */
  childCount(owner: Name): number {
    const node = this.#nodeOf(owner)
    if (node === 0) return 0
    return (this.#memory.words[node + entry.state] as number) & childCountMask
  }

  /** Yields every RRset of the zone, the SOA first, otherwise in no promised order; the RRSIG of a name come as one
   *  RRset for each type that they cover, with its TTL. The zone must not change before the last RRset. */
  *rrsets(): Generator<OwnedRrset> {
    const { memory, lookup } = this.#writer.reader
    const { words } = memory
    const apexNode = this.#apexNode
    const soa = lookup.findSoa(this.ref)
    yield { ...this.#read(soa), owner: givenNameOf(memory, apexNode) }
    let node = apexNode
    do {
      const owner = givenNameOf(memory, node)
      for (const rrset of blocksOf(words, this.#dataOf(node))) {
        if (rrset !== soa) yield { ...this.#read(rrset), owner }
      }
      node = words[node + entry.next] as number
    } while (node !== apexNode)
    yield* this.#nsec3Rrsets()
  }

  *#nsec3Rrsets(): Generator<OwnedRrset> {
    const { signing, store } = this.#writer
    if (this.#word(zone.signing) === 0) return
    for (const at of signing.entries(this.ref)) {
      const owner = ownerOfEntry(store.memory, this.ref, at)
      for (const field of [nsec3Entry.rrset, nsec3Entry.signature]) {
        const rrset = store.words[at + field] as number
        if (rrset !== 0) yield { ...this.#read(rrset), owner }
      }
    }
  }

  /** Yields every name of the zone in lower case, empty non-terminals included, the apex first. The zone may change
   *  during the walk: a new name may or may not be yielded, a name that stays is yielded once. Ends when the zone does. */
  *names(): Generator<Name> {
    const { walks, store } = this.#writer
    const walk = walks.open()
    walk.begin(store.words, this.ref)
    try {
      while (walk.node !== 0) {
        const { node } = walk
        walk.pass(store.words)
        yield nameOfEntry(this.#memory, node)
      }
    } finally {
      walks.close(walk)
    }
  }

  /** Yields the owners of NSEC3 in the order of hashes, as `names` does. */
  *hashOwners(): Generator<Name> {
    const { walks, store, signing } = this.#writer
    const walk = walks.open()
    walk.begin(store.words, this.ref)
    const hash = new Int32Array(hashWords)
    try {
      while (walk.node !== 0) {
        const at = signing.entryBehind(this.ref, hash)
        if (at === 0) return
        yield ownerOfEntry(this.#memory, this.ref, at)
      }
    } finally {
      walks.close(walk)
    }
  }

  get #memory(): TableMemory {
    return this.#writer.reader.memory
  }

  get #apexNode(): number {
    return this.#word(zone.apex)
  }

  #word(field: number): number {
    return this.#memory.words[this.ref + field] as number
  }

  #read(rrset: number): Rrset {
    return readRrset(this.#memory, rrset)
  }

  #nodeOf(owner: Name): number {
    this.#writer.reader.key.readName(owner)
    return this.#writer.reader.lookup.findNode(this.ref, this.#writer.reader.key)
  }

  #dataOf(node: number): number {
    return node === 0 ? 0 : (this.#memory.words[node + entry.data] as number)
  }
}

/** A copy: the octets are overwritten by those of the next RRset. */
function keptOctets(rrset: RrsetOctets): RrsetOctets {
  return { ...rrset, octets: rrset.octets.slice(0, rrset.rdatasEnd) }
}
