import { hashOfEntry, isInline, unlinkEntry } from './entries.ts'
import { entry, listTag, zone as zoneBlock } from './layout.ts'
import { NameKey } from './name-key.ts'
import { blocksOf } from './rrset-block.ts'
import type { TableWriter } from './table-writer.ts'

/** The work left: none, some, or none until a reader has ended its batch. */
export type Remaining = 'nothing' | 'more' | 'readers'

type WithdrawnZone = { readonly zone: number; readonly epoch: number; isUnreachable: boolean }

/** Zones that no target serves any more. A zone is withdrawn at once and taken apart later, a few names at a time: a
 *  zone of a million names takes a second to take apart. */
export class ZoneReclaim {
  readonly #writer: TableWriter
  readonly #key: NameKey
  readonly #onFreed: (zoneNumber: number) => void
  readonly #zones: WithdrawnZone[] = []

  /** @param onFreed called with each zone's number when nothing of the zone is left and no reader can count for it */
  constructor(writer: TableWriter, onFreed: (zoneNumber: number) => void) {
    this.#writer = writer
    this.#key = new NameKey(writer.store.memory)
    this.#onFreed = onFreed
  }

  /** Zones that are not taken apart yet. */
  get zones(): readonly number[] {
    return this.#zones.map(({ zone }) => zone)
  }

  /** Adds a zone that new readers cannot reach. */
  add(zone: number): void {
    this.#zones.push({ zone, epoch: this.#writer.store.epochs.current, isUnreachable: false })
  }

  /** Takes at most so many names apart. */
  reclaim(nameCount: number): Remaining {
    for (let leftCount = nameCount; leftCount > 0; leftCount -= 1) {
      const [first] = this.#zones
      if (first === undefined) return 'nothing'
      // A reader that found the zone before it was withdrawn must not miss any of its names.
      first.isUnreachable ||= this.#writer.store.epochs.hasPassed(first.epoch)
      if (!first.isUnreachable) return 'readers'
      if (this.#dropName(first.zone)) this.#zones.shift()
    }
    return 'more'
  }

  /** Drops one name, or a part of the order indexes, and returns whether it was the last. */
  #dropName(zone: number): boolean {
    const { store } = this.#writer
    const { words } = store
    if (this.#writer.signing.takeApart(zone)) return false
    const apex = words[zone + zoneBlock.apex] as number
    const node = words[apex + entry.next] as number
    this.#writer.index.remove(hashOfEntry(store.memory, this.#key, node), zone, node)
    unlinkEntry(store, node)
    this.#freeData(node)
    // Readers of other zones may still pass by it in the index.
    store.retire(node)
    if (node !== apex) return false
    this.#onFreed(words[zone + zoneBlock.number] as number)
    store.retire(zone)
    return true
  }

  #freeData(node: number): void {
    const { store } = this.#writer
    const data = store.words[node + entry.data] as number
    const given = store.words[node + entry.given] as number
    for (const block of blocksOf(store.words, data)) {
      if (!isInline(store.words, node, block)) store.free(block)
    }
    if ((data & listTag) !== 0) store.free(data - listTag)
    if (given !== 0) store.free(given)
  }
}
