import { hashOfEntry, inlineAt, isInline } from './entries.ts'
import { childCountMask, entry, listTag } from './layout.ts'
import { NameKey } from './name-key.ts'
import { rrsetsOf, writeData } from './rrset-block.ts'
import type { TableWriter } from './table-writer.ts'
import type { ZoneWalk } from './zone-walk.ts'

/** The part of all pages that may lie idle before it is worth while to move things together. */
const maxIdleShare = 1 / 3
const minIdleOctets = 2 ** 22
/** What one round could not gain the next will not either, before there is a quarter more of it. */
const growthBeforeNext = 1.25

/** Moves blocks out of sparse pages, so that memory which was full of names of one length is not kept by the few
 *  that are left of them. Readers go on: a block is copied, one word then refers to the copy, and the old one is
 *  retired. What others refer to from many places stays: apexes, and names above others, of which there are few. */
export class Compaction {
  readonly #writer: TableWriter
  readonly #key: NameKey
  readonly #walk: ZoneWalk
  /** The zone in a zone number; 0 for none, undefined behind the last. */
  readonly #zoneIn: (zoneNumber: number) => number | undefined
  #isUnderWay = false
  #zoneNumber = 0
  /** What lay idle after the last round. */
  #idleOctets = 0

  constructor(writer: TableWriter, zoneIn: (zoneNumber: number) => number | undefined) {
    this.#writer = writer
    this.#key = new NameKey(writer.store.memory)
    this.#walk = writer.walks.open()
    this.#zoneIn = zoneIn
  }

  /** Looks at so many names and moves what should be; returns whether there are more. */
  step(nameCount: number): boolean {
    if (!this.#isDue()) return false
    const { slabs } = this.#writer.store
    if (!this.#isUnderWay) {
      slabs.closeSparsePages()
      this.#isUnderWay = true
      this.#zoneNumber = 0
    }
    for (let i = 0; i < nameCount; i += 1) {
      const node = this.#nextNode()
      if (node === 0 || !this.#writer.store.hasRoom(0)) {
        this.#end()
        return false
      }
      this.#move(node)
    }
    return true
  }

  #isDue(): boolean {
    if (this.#isUnderWay) return true
    const idleOctets = this.#measureIdle()
    this.#idleOctets = Math.min(this.#idleOctets, idleOctets)
    const { pageOctets } = this.#writer.store.slabs
    const isMuch = idleOctets > Math.max(minIdleOctets, pageOctets * maxIdleShare)
    return isMuch && idleOctets > this.#idleOctets * growthBeforeNext
  }

  #end(): void {
    const { epochs, slabs } = this.#writer.store
    epochs.reclaim()
    slabs.reopenPages()
    this.#walk.node = 0
    this.#isUnderWay = false
    this.#idleOctets = this.#measureIdle()
  }

  #measureIdle(): number {
    const { pageOctets, usedOctets } = this.#writer.store.slabs
    return pageOctets - usedOctets
  }

  /** Returns the next node of all zones, 0 behind the last. */
  #nextNode(): number {
    const { store } = this.#writer
    const walk = this.#walk
    while (walk.node === 0) {
      const zone = this.#zoneIn(this.#zoneNumber)
      if (zone === undefined) return 0
      this.#zoneNumber += 1
      if (zone === 0) continue
      walk.begin(store.words, zone)
    }
    const { node } = walk
    walk.pass(store.words)
    return node
  }

  #move(node: number): void {
    const { store } = this.#writer
    const { words, slabs } = store
    this.#moveData(node)
    const given = words[node + entry.given] as number
    if (given !== 0 && slabs.isInClosedPage(given)) {
      store.publish(node + entry.given, this.#copy(given))
      store.retire(given)
    }
    const isLeaf = ((words[node + entry.state] as number) & childCountMask) === 0
    if (isLeaf && words[node + entry.parent] !== 0 && slabs.isInClosedPage(node)) {
      this.#moveNode(node)
    }
  }

  #moveData(node: number): void {
    const { store } = this.#writer
    const { words, slabs } = store
    const data = words[node + entry.data] as number
    const rrsets = rrsetsOf(words, data)
    const isMoved = (rrset: number) => slabs.isInClosedPage(rrset) && !isInline(words, node, rrset)
    const isListMoved = (data & listTag) !== 0 && slabs.isInClosedPage(data - listTag)
    if (!isListMoved && !rrsets.some(isMoved)) return
    const moved = rrsets.map(rrset => (isMoved(rrset) ? this.#copy(rrset) : rrset))
    store.publish(node + entry.data, writeData(store, moved))
    if ((data & listTag) !== 0) store.retire(data - listTag)
    for (const rrset of rrsets) if (isMoved(rrset)) store.retire(rrset)
  }

  #moveNode(node: number): void {
    const { store, index } = this.#writer
    const { words } = store
    const copy = this.#copy(node)
    this.#takeInlineAlong(node, copy)
    const next = words[node + entry.next] as number
    const previous = words[node + entry.previous] as number
    words[previous + entry.next] = copy
    words[next + entry.previous] = copy
    this.#writer.walks.move({ from: node, to: copy })
    const namespace = words[node + entry.namespace] as number
    const hash = hashOfEntry(store.memory, this.#key, node)
    index.replace(hash, namespace, { from: node, to: copy })
    store.retire(node)
  }

  /** Lets the copy refer to its own part behind the name, not to the old node's. */
  #takeInlineAlong(node: number, copy: number): void {
    const { store } = this.#writer
    const { words } = store
    const data = words[node + entry.data] as number
    const rrsets = rrsetsOf(words, data)
    if (!rrsets.some(rrset => isInline(words, node, rrset))) return
    const own = rrsets.map(rrset => (isInline(words, node, rrset) ? inlineAt(words, copy) : rrset))
    words[copy + entry.data] = writeData(store, own)
    if ((data & listTag) !== 0) store.retire(data - listTag)
  }

  #copy(ref: number): number {
    const { store } = this.#writer
    const wordCount = store.slabs.wordsOf(ref)
    const copy = store.allocate(wordCount)
    store.words.copyWithin(copy, ref, ref + wordCount)
    return copy
  }
}
