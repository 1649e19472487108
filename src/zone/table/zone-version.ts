import { lowerCaseName, type Name } from '../../dns/name.ts'
import { nameOfEntry } from './entries.ts'
import { ReaderEpoch } from './epochs.ts'
import { entry, nsec3Entry, zone as zoneBlock } from './layout.ts'
import type { OpenReader } from './readers.ts'
import { blocksOf } from './rrset-block.ts'
import type { TableReader } from './table-reader.ts'
import type { TableStore } from './table-store.ts'
import type { ZoneSigning } from './zone-signing.ts'
import type { ZoneWalk, ZoneWalks } from './zone-walk.ts'

/** One version of a zone, for a thread that reads it slowly. RRsets never change, so a list of them is the zone as it
 *  was, for as long as the table frees nothing: `ZoneVersion` sees to that. */
export type FrozenZone = {
  /** The table. */
  readonly memory: SharedArrayBuffer
  /** Its first word is not 0 once the table needs its memory back; then pairs of references: node and RRset. An
   *  NSEC3 and its RRSIG have no node but an entry of the signing, less than 0. */
  readonly list: SharedArrayBuffer
  /** The zone's own block. */
  readonly zone: number
  /** How many pairs. The first is the SOA, which is there once. */
  readonly rrsetCount: number
}

/** The parts of the writer that a version uses. */
type Parts = {
  readonly store: TableStore
  readonly reader: TableReader
  readonly walks: ZoneWalks
  readonly signing: ZoneSigning
}

/** Words of a list before its pairs. */
export const listHead = 2

/** Lists the RRsets of a zone in steps, while the zone changes; the list shows the moment of `finish`. All blocks that
 *  readers could find from `begin` on are kept until `close`. */
export class ZoneVersion {
  readonly zone: number
  readonly #writer: Parts
  readonly #reader: OpenReader
  readonly #walk: ZoneWalk
  readonly #onClose: () => void
  /** Nodes that have changed since the walk began, with their names. */
  readonly #changed = new Map<number, Name>()
  #list: Int32Array<SharedArrayBuffer>
  #end = listHead
  #isFinished = false
  #isStale = false

  constructor(
    writer: Parts,
    zone: number,
    { reader, onClose }: { readonly reader: OpenReader; readonly onClose: () => void },
  ) {
    const { words, memory } = writer.store
    this.zone = zone
    this.#writer = writer
    this.#reader = reader
    this.#onClose = onClose
    new ReaderEpoch(memory, reader.handle.reader).enter()
    this.#walk = writer.walks.open()
    this.#walk.begin(words, zone)
    const rrsetCount = words[zone + zoneBlock.rrsetCount] as number
    this.#list = newList(listHead + 2 * rrsetCount)
  }

  /** Whether there are names that were not looked at. */
  get hasMore(): boolean {
    return this.#walk.node !== 0
  }

  /** Whether the zone has changed since. */
  get isStale(): boolean {
    return this.#isStale
  }

  /** Lists the RRsets of so many names; returns whether there are more. */
  step(nameCount: number): boolean {
    const { words } = this.#writer.store
    const walk = this.#walk
    for (let i = 0; i < nameCount && walk.node !== 0; i += 1) {
      this.#add(walk.node)
      walk.pass(words)
    }
    return walk.node !== 0
  }

  /** Ends the list, for which all names must have been looked at. It shows this moment.
   *  @throws Error the zone is gone. */
  finish(): FrozenZone {
    const { store, walks } = this.#writer
    walks.close(this.#walk)
    this.#isFinished = true
    this.#addChanged()
    this.#addNsec3()
    const soa = this.#writer.reader.lookup.findSoa(this.zone)
    const first = this.#list.indexOf(soa, listHead)
    if (first < 0) throw new Error('a zone without a SOA')
    const list = this.#list
    for (const i of [0, 1]) {
      const at = first - 1 + i
      const other = list[listHead + i] as number
      list[listHead + i] = list[at] as number
      list[at] = other
    }
    return {
      memory: store.memory.buffer,
      list: list.buffer,
      zone: this.zone,
      rrsetCount: (this.#end - listHead) / 2,
    }
  }

  /** Must be called with each node of the zone whose RRsets change: after the change, or before the node is removed; 0 for an
   *  NSEC3. */
  change(node: number): void {
    if (this.#isFinished) this.#isStale = true
    else if (node !== 0) this.#changed.set(node, nameOfEntry(this.#writer.store.memory, node))
  }

  /** Makes its readers stop soon. */
  revoke(): void {
    Atomics.store(this.#list, 0, 1)
  }

  /** Lets the table reuse the blocks that the list refers to. No reader may use the list any more. Idempotent. */
  close(): void {
    this.#writer.walks.close(this.#walk)
    this.#reader.close()
    this.#onClose()
  }

  #addChanged(): void {
    if (this.#changed.size === 0) return
    const list = this.#list
    let end = listHead
    for (let at = listHead; at < this.#end; at += 2) {
      if (this.#changed.has(list[at] as number)) continue
      list[end] = list[at] as number
      list[end + 1] = list[at + 1] as number
      end += 2
    }
    this.#end = end
    const { key, lookup } = this.#writer.reader
    for (const name of new Set(this.#changed.values())) {
      key.readName(lowerCaseName(name))
      const node = lookup.findNode(this.zone, key)
      if (node !== 0) this.#add(node)
    }
  }

  #add(node: number): void {
    const { words } = this.#writer.store
    const data = words[node + entry.data] as number
    for (const rrset of blocksOf(words, data)) this.#put(node, rrset)
  }

  #addNsec3(): void {
    const { store, signing } = this.#writer
    const { words } = store
    if (words[this.zone + zoneBlock.signing] === 0) return
    for (const at of signing.entries(this.zone)) {
      for (const field of [nsec3Entry.rrset, nsec3Entry.signature]) {
        const rrset = words[at + field] as number
        if (rrset !== 0) this.#put(-at, rrset)
      }
    }
  }

  #put(node: number, rrset: number): void {
    if (this.#end + 2 > this.#list.length) this.#grow()
    this.#list[this.#end] = node
    this.#list[this.#end + 1] = rrset
    this.#end += 2
  }

  #grow(): void {
    const grown = newList(2 * this.#list.length)
    grown.set(this.#list)
    this.#list = grown
  }
}

/** The versions of zones in use. Blocks are not moved while there are any. */
export class ZoneVersions {
  readonly #versions = new Set<ZoneVersion>()
  readonly #writer: Parts

  constructor(writer: Parts) {
    this.#writer = writer
  }

  get count(): number {
    return this.#versions.size
  }

  /** @throws RangeError too many are read. */
  open(zone: number, reader: OpenReader): ZoneVersion {
    const version: ZoneVersion = new ZoneVersion(this.#writer, zone, {
      reader,
      onClose: () => this.#versions.delete(version),
    })
    this.#versions.add(version)
    return version
  }

  /** Must be called with each node whose RRsets change: after the change, or before the node is removed; 0 for an
   *  NSEC3. */
  change(zone: number, node: number): void {
    if (this.#versions.size === 0) return
    for (const version of this.#versions) if (version.zone === zone) version.change(node)
    if (this.#writer.store.epochs.retiredCount < maxRetired) return
    // The oldest version keeps all those blocks waiting.
    const [oldest] = this.#versions
    oldest?.revoke()
  }
}

/** Blocks that wait for reuse: some hundred megabytes. */
const maxRetired = 2_000_000

function newList(wordCount: number): Int32Array<SharedArrayBuffer> {
  return new Int32Array(new SharedArrayBuffer(4 * wordCount))
}
