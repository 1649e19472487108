import { lowerCaseName, type Name } from '../../dns/name.ts'
import { labelCountOf, nameOfEntry, readEntryName } from './entries.ts'
import { nsec3Entry, nsec3EntryWords, signing, signingWords, zone } from './layout.ts'
import type { TableMemory } from './memory.ts'
import { keyOctets, NameKey, nameOf } from './name-key.ts'
import { signatureWithTtl } from './node-data.ts'
import { hashLabelOctets, readHashLabel, writeHashLabel } from './nsec3-hash.ts'
import { HashOrder, NameOrder } from './order-index.ts'
import { OrderIndexWriter } from './order-index-writer.ts'
import type { TableStore } from './table-store.ts'
import { isChanging } from './zone-moments.ts'

/** The data that zones with signatures have beside their nodes, as the writer sees it: an order index of the nodes that
 *  have an NSEC, and NSEC3 entries, which are only in an order index. A zone gets its signing block with its first NSEC,
 *  NSEC3 or RRSIG, and keeps it for life. */
export class ZoneSigning {
  readonly #store: TableStore
  readonly #names: NameOrder
  readonly #hashes: HashOrder
  readonly #index: OrderIndexWriter
  readonly #key: NameKey

  constructor(store: TableStore) {
    this.#store = store
    this.#names = new NameOrder(store.memory)
    this.#hashes = new HashOrder(store.memory)
    this.#index = new OrderIndexWriter(store)
    this.#key = new NameKey(store.memory)
  }

  /** Gives a zone a signing block, if it has none. */
  begin(ref: number): void {
    const { words } = this.#store
    if (words[ref + zone.signing] !== 0) return
    const block = this.#store.allocate(signingWords)
    words.fill(0, block, block + signingWords)
    this.#store.publish(ref + zone.signing, block)
  }

  /** Makes changes of a zone. Readers of a signed zone see all of them or none, and wait meanwhile, so it must not take
   *  long. Returns whether any have waited. */
  changeTogether(ref: number, change: () => void): boolean {
    const block = this.#store.words[ref + zone.signing] as number
    const at = block + signing.changes
    const count = this.#store.words[at] as number
    if (block === 0 || isChanging(count)) {
      change()
      return false
    }
    this.#store.publish(at, count + 1)
    try {
      change()
    } finally {
      this.#store.publish(at, (count + 2) | 0)
    }
    return Atomics.notify(this.#store.words, at) > 0
  }

  changeCount(ref: number): number {
    const { words } = this.#store
    return words[(words[ref + zone.signing] as number) + signing.changes] as number
  }

  /** Adds a node that now has an NSEC. */
  addName(ref: number, node: number): void {
    this.begin(ref)
    this.#seekName(ref, node)
    this.#index.add(this.#names, this.#rootAt(ref, signing.names), node)
  }

  /** Removes a node whose NSEC is about to go. */
  removeName(ref: number, node: number): void {
    this.#seekName(ref, node)
    this.#index.remove(this.#names, this.#rootAt(ref, signing.names), node)
  }

  /** Replaces a node that has an NSEC with its copy, and moves the index pages that lie in memory to be emptied. */
  moveName(ref: number, nodes: { readonly from: number; readonly to: number }): void {
    const rootAt = this.#rootAt(ref, signing.names)
    this.#seekName(ref, nodes.from)
    if (nodes.from !== nodes.to) this.#index.replace(this.#names, rootAt, nodes)
    this.#index.movePages(this.#names, rootAt)
  }

  /** Whether NSEC3 can be at the key's name: a hash right below the apex (RFC 5155 section 3). No reader could use any
   *  other. */
  isHashOwner(ref: number, key: NameKey): boolean {
    const { words } = this.#store
    const apexLabelCount = labelCountOf(words, words[ref + zone.apex] as number)
    if (key.labelCount !== apexLabelCount + 1) return false
    return readHashLabel(key.octets, keyOctets - key.octetsFrom(0), this.#hashes.hash)
  }

  /** Returns the NSEC3 entry of the key's name, or 0. */
  findEntry(ref: number, key: NameKey): number {
    const { words } = this.#store
    if (words[ref + zone.signing] === 0 || !this.isHashOwner(ref, key)) return 0
    const entry = this.#hashes.floor(this.#rootAt(ref, signing.hashes))
    return entry !== 0 && this.#hashes.compare(entry) === 0 ? entry : 0
  }

  /** Gives the NSEC3 entry of the key's name, which `isHashOwner`, this RRset and signature; 0 for none. A replaced RRset or
   *  signature is retired. It counts as a change of the zone, since readers keep found entries (`KnownEnclosers`). */
  putEntry(ref: number, key: NameKey, blocks: { rrset: number; signature: number }): void {
    this.begin(ref)
    this.changeTogether(ref, () => this.#putEntry(ref, key, blocks))
  }

  #putEntry(ref: number, key: NameKey, blocks: { rrset: number; signature: number }): void {
    const { words } = this.#store
    const present = this.findEntry(ref, key)
    const { rrset } = blocks
    const signature = signatureWithTtl(this.#store, blocks.signature, rrset)
    const rootAt = this.#rootAt(ref, signing.hashes)
    if (rrset === 0 && signature === 0) {
      if (present !== 0) this.#index.remove(this.#hashes, rootAt, present)
    } else {
      const entry = this.#store.allocate(nsec3EntryWords)
      words[entry + nsec3Entry.rrset] = rrset
      words[entry + nsec3Entry.signature] = signature
      words.set(this.#hashes.hash, entry + nsec3Entry.hash)
      if (present === 0) this.#index.add(this.#hashes, rootAt, entry)
      else this.#index.replace(this.#hashes, rootAt, { from: present, to: entry })
    }
    const old = present === 0 ? [] : this.#blocksOf(present)
    for (const block of new Set([...old, blocks.signature])) {
      if (block !== 0 && block !== rrset && block !== signature) this.#store.retire(block)
    }
    if (present !== 0) this.#store.retire(present)
  }

  /** Returns the last node with an NSEC before the key's name in canonical order; for the first name the last of all, 0
   *  where there is none. */
  nodeBefore(ref: number, key: NameKey): number {
    if (this.#store.words[ref + zone.signing] === 0) return 0
    this.#names.seek(ref, key)
    const rootAt = this.#rootAt(ref, signing.names)
    return this.#names.before(rootAt) || this.#names.last(rootAt)
  }

  /** The same for NSEC3 entries in hash order, for the key of an NSEC3's name. */
  entryBefore(ref: number, key: NameKey): number {
    if (this.#store.words[ref + zone.signing] === 0 || !this.isHashOwner(ref, key)) return 0
    const rootAt = this.#rootAt(ref, signing.hashes)
    return this.#hashes.before(rootAt) || this.#hashes.last(rootAt)
  }

  /** Returns the NSEC3 entry behind that of a hash and sets the hash to its own; 0 behind the last. */
  entryBehind(ref: number, hash: Int32Array): number {
    if (this.#store.words[ref + zone.signing] === 0) return 0
    this.#hashes.hash.set(hash)
    const entry = this.#index.next(this.#hashes, this.#rootAt(ref, signing.hashes))
    if (entry === 0) return 0
    this.#hashes.seek(entry)
    hash.set(this.#hashes.hash)
    return entry
  }

  /** Yields the NSEC3 entries of a zone in the order of hashes. The zone must not change before the last one. */
  entries(ref: number): Generator<number> {
    return this.#index.entries(this.#rootAt(ref, signing.hashes))
  }

  /** Moves the NSEC3 entry behind that of a hash, with its blocks, out of memory that is to be emptied, and sets the
   *  hash to its own. */
  moveEntryBehind(ref: number, hash: Int32Array): void {
    const { words, slabs } = this.#store
    const rootAt = this.#rootAt(ref, signing.hashes)
    const entry = this.entryBehind(ref, hash)
    if (entry === 0) return
    this.#index.movePages(this.#hashes, rootAt)
    const blocks = [
      words[entry + nsec3Entry.rrset],
      words[entry + nsec3Entry.signature],
    ] as number[]
    const isMoved = (block: number) => block !== 0 && slabs.isInClosedPage(block)
    if (![entry, ...blocks].some(isMoved)) return
    const copy = this.#store.copy(entry)
    const moved = blocks.map(block => (isMoved(block) ? this.#store.copy(block) : block))
    words.set(moved, copy + nsec3Entry.rrset)
    this.#index.replace(this.#hashes, rootAt, { from: entry, to: copy })
    for (const block of blocks) if (isMoved(block)) this.#store.retire(block)
    this.#store.retire(entry)
  }

  /** Takes apart a little of the data that an unreachable zone has beside its nodes; returns whether any was left. */
  takeApart(ref: number): boolean {
    const { words } = this.#store
    const block = words[ref + zone.signing] as number
    if (block === 0) return false
    if (this.#index.takeFirstLeaf(this.#names, block + signing.names).length > 0) return true
    const entries = this.#index.takeFirstLeaf(this.#hashes, block + signing.hashes)
    for (const entry of entries) {
      for (const owned of this.#blocksOf(entry)) if (owned !== 0) this.#store.retire(owned)
      this.#store.retire(entry)
    }
    if (entries.length > 0) return true
    this.#store.write(ref + zone.signing, 0)
    this.#store.retire(block)
    return true
  }

  /** RRset and signature of an NSEC3 entry; 0 for an absent one. */
  #blocksOf(entry: number): [number, number] {
    const { words } = this.#store
    return [
      words[entry + nsec3Entry.rrset] as number,
      words[entry + nsec3Entry.signature] as number,
    ]
  }

  #rootAt(ref: number, field: number): number {
    return (this.#store.words[ref + zone.signing] as number) + field
  }

  #seekName(ref: number, node: number): void {
    const { memory } = this.#store
    readEntryName(memory, this.#key, node)
    this.#names.seek(ref, this.#key)
  }
}

/** Returns the owner of an NSEC3 entry of a zone, in lower case. */
export function ownerOfEntry(memory: TableMemory, ref: number, entry: number): Name {
  const octets = new Uint8Array(1 + hashLabelOctets)
  writeHashLabel(memory.words, entry + nsec3Entry.hash, octets, 0)
  const apex = nameOfEntry(memory, memory.words[ref + zone.apex] as number)
  return lowerCaseName(`${nameOf(octets)}${apex}` as Name)
}
