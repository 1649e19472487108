import { types } from '../../dns/codes.ts'
import { hashOfEntry, inlineAt, isApex, isInline, zoneOf } from './entries.ts'
import { childCountMask, entry, hashWords, listTag, zone as zoneBlock } from './layout.ts'
import { NameKey } from './name-key.ts'
import { blocksOf, type DataItem, findRrset, itemsOf, writeData } from './rrset-block.ts'
import type { TableWriter } from './table-writer.ts'
import type { ZoneWalk } from './zone-walk.ts'

/** The share of all pages that may be idle before compaction is worthwhile. */
const maxIdleShare = 1 / 3
const minIdleOctets = 2 ** 22
/** Idle memory that one round could not free, the next cannot either, until it has grown by a quarter. */
const growthBeforeNext = 1.25

/** Moves blocks out of sparse pages, so that the few names left of one length do not keep memory that was full of them.
 *  Readers are not interrupted: a block is copied, one word then refers to the copy, and the old block is retired.
 *  Blocks with references from many places stay: apexes, and names above others, of which there are few. */
export class Compaction {
  readonly #writer: TableWriter
  readonly #key: NameKey
  readonly #walk: ZoneWalk
  /** The zone with a zone number; 0 for none, undefined behind the last. */
  readonly #zoneIn: (zoneNumber: number) => number | undefined
  /** Of the last NSEC3 entry of the zone that the walk is in. */
  readonly #hash = new Int32Array(hashWords)
  #isUnderWay = false
  #zoneNumber = 0
  /** The idle amount after the last round. */
  #idleOctets = 0

  constructor(writer: TableWriter, zoneIn: (zoneNumber: number) => number | undefined) {
    this.#writer = writer
    this.#key = new NameKey(writer.store.memory)
    this.#walk = writer.walks.open()
    this.#zoneIn = zoneIn
  }

  /** Looks at so many names and moves the blocks that should be moved; returns whether there are more names. */
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
      store.publish(node + entry.given, store.copy(given))
      store.retire(given)
    }
    this.#moveSigning(node)
    const isLeaf = ((words[node + entry.state] as number) & childCountMask) === 0
    if (isLeaf && !isApex(words, node) && slabs.isInClosedPage(node)) {
      this.#moveNode(node)
    }
  }

  /** Moves parts of the order indexes of a zone: the pages that a node is in, and the next NSEC3 entry, of which there
   *  are no more than nodes. */
  #moveSigning(node: number): void {
    const { store, signing } = this.#writer
    const zone = zoneOf(store.words, node)
    if (store.words[zone + zoneBlock.signing] === 0) return
    if (node === store.words[zone + zoneBlock.apex]) this.#hash.fill(0)
    if (this.#hasNsec(node)) signing.moveName(zone, { from: node, to: node })
    signing.moveEntryBehind(zone, this.#hash)
  }

  #hasNsec(node: number): boolean {
    const { words } = this.#writer.store
    return findRrset(words, words[node + entry.data] as number, types.NSEC) !== 0
  }

  #moveData(node: number): void {
    const { store } = this.#writer
    const { words, slabs } = store
    const data = words[node + entry.data] as number
    const blocks = blocksOf(words, data)
    const isMoved = (block: number) => slabs.isInClosedPage(block) && !isInline(words, node, block)
    const isListMoved = (data & listTag) !== 0 && slabs.isInClosedPage(data - listTag)
    if (!isListMoved && !blocks.some(isMoved)) return
    const moved = this.#itemsWith(data, block => (isMoved(block) ? store.copy(block) : block))
    store.publish(node + entry.data, writeData(store, moved))
    if ((data & listTag) !== 0) store.retire(data - listTag)
    for (const block of blocks) if (isMoved(block)) store.retire(block)
  }

  #moveNode(node: number): void {
    const { store, index } = this.#writer
    const { words } = store
    const copy = store.copy(node)
    this.#takeInlineAlong(node, copy)
    const next = words[node + entry.next] as number
    const previous = words[node + entry.previous] as number
    store.write(previous + entry.next, copy)
    store.write(next + entry.previous, copy)
    this.#writer.walks.move({ from: node, to: copy })
    const namespace = zoneOf(words, node)
    if (this.#hasNsec(node)) this.#writer.signing.moveName(namespace, { from: node, to: copy })
    const hash = hashOfEntry(store.memory, this.#key, node)
    index.replace(hash, namespace, { from: node, to: copy })
    store.retire(node)
  }

  /** Makes the copy refer to its own part behind the name, not to the old node's. */
  #takeInlineAlong(node: number, copy: number): void {
    const { store } = this.#writer
    const { words } = store
    const data = words[node + entry.data] as number
    if (!blocksOf(words, data).some(block => isInline(words, node, block))) return
    const own = this.#itemsWith(data, block =>
      isInline(words, node, block) ? inlineAt(words, copy) : block,
    )
    words[copy + entry.data] = writeData(store, own)
    if ((data & listTag) !== 0) store.retire(data - listTag)
  }

  /** The items of a node's data, with other blocks. */
  #itemsWith(data: number, blockFor: (block: number) => number): DataItem[] {
    return itemsOf(this.#writer.store.words, data).map(({ type, rrset, signature }) => ({
      type,
      rrset: rrset === 0 ? 0 : blockFor(rrset),
      signature: signature === 0 ? 0 : blockFor(signature),
    }))
  }
}
