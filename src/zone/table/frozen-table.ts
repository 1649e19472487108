import type { Name } from '../../dns/name.ts'
import { entriesFrom, nameOfEntry } from './entries.ts'
import { entry, header, maxReaders, readerWords, target as targetBlock, zone } from './layout.ts'
import { TableMemory } from './memory.ts'
import { Readers, type Target } from './readers.ts'

/** A table as it was when its memory was copied (`ZoneTable.image`): answered from like any other, and never changed. */
export class FrozenTable {
  readonly readers: Readers
  readonly #memory: TableMemory

  /** @param memory the copy, and nothing else */
  constructor(memory: SharedArrayBuffer) {
    this.#memory = new TableMemory(memory)
    // Those who sat there read another memory.
    this.#memory.words.fill(0, header.readers, header.readers + maxReaders * readerWords)
    this.readers = new Readers(this.#memory)
  }

  get memory(): SharedArrayBuffer {
    return this.#memory.buffer
  }

  /** The zones of a target, by the numbers that they are counted by. */
  *zoneNumbers({ ref }: Target): Generator<{ readonly apex: Name; readonly zoneNumber: number }> {
    const { words } = this.#memory
    for (const at of entriesFrom(words, words[ref + targetBlock.anyApex] as number)) {
      const zoneNumber = words[(words[at + entry.zone] as number) + zone.number] as number
      yield { apex: nameOfEntry(this.#memory, at), zoneNumber }
    }
  }
}
