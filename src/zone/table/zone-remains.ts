import { hashOfEntry, isInline, unlinkEntry } from './entries.ts'
import { entry, listTag, zone as zoneBlock } from './layout.ts'
import { NameKey } from './name-key.ts'
import { rrsetsOf } from './rrset-block.ts'
import type { TableWriter } from './table-writer.ts'

/** What is left to do: nothing, something, or nothing before a reader has ended its batch. */
export type Remaining = 'nothing' | 'more' | 'readers'

type Remains = { readonly zone: number; readonly epoch: number; isForsaken: boolean }

/** Zones that no target serves any more. Withdrawing one is done at once and this later, a few names at a
 *  time: a zone of a million names takes a second to take apart. */
export class ZoneRemains {
  readonly #writer: TableWriter
  readonly #key: NameKey
  readonly #onGone: (slot: number) => void
  readonly #zones: Remains[] = []

  /** @param onGone told of each zone's slot when nothing of it is left and no reader can count for it */
  constructor(writer: TableWriter, onGone: (slot: number) => void) {
    this.#writer = writer
    this.#key = new NameKey(writer.store.memory)
    this.#onGone = onGone
  }

  /** Adds a zone that is out of reach for new readers. */
  add(zone: number): void {
    this.#zones.push({ zone, epoch: this.#writer.store.epochs.current, isForsaken: false })
  }

  /** Takes at most so many names apart. */
  collect(nameCount: number): Remaining {
    for (let leftCount = nameCount; leftCount > 0; leftCount -= 1) {
      const [first] = this.#zones
      if (first === undefined) return 'nothing'
      // Who found the zone before it was withdrawn must not miss any of its names.
      first.isForsaken ||= this.#writer.store.epochs.hasPassed(first.epoch)
      if (!first.isForsaken) return 'readers'
      if (this.#dropName(first.zone)) this.#zones.shift()
    }
    return 'more'
  }

  /** Drops one name and returns whether it was the last. */
  #dropName(zone: number): boolean {
    const { store } = this.#writer
    const { words } = store
    const apex = words[zone + zoneBlock.apex] as number
    const node = words[apex + entry.next] as number
    this.#writer.index.remove(hashOfEntry(store.memory, this.#key, node), zone, node)
    unlinkEntry(store, node)
    this.#freeData(node)
    // Readers of other zones may still pass by it in the index.
    store.retire(node)
    if (node !== apex) return false
    this.#onGone(words[zone + zoneBlock.slot] as number)
    store.retire(zone)
    return true
  }

  #freeData(node: number): void {
    const { store } = this.#writer
    const data = store.words[node + entry.data] as number
    const given = store.words[node + entry.given] as number
    for (const rrset of rrsetsOf(store.words, data)) {
      if (!isInline(store.words, node, rrset)) store.free(rrset)
    }
    if ((data & listTag) !== 0) store.free(data - listTag)
    if (given !== 0) store.free(given)
  }
}
