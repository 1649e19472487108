import type { TableMemory } from './memory.ts'
import { NameIndexWriter } from './name-index-writer.ts'
import { TableReader } from './table-reader.ts'
import type { TableState } from './table-state.ts'
import { TableStore } from './table-store.ts'
import { ZoneSigning } from './zone-signing.ts'
import { ZoneVersions } from './zone-version.ts'
import { ZoneWalks } from './zone-walk.ts'

/** The objects for writing a table. There is one, in the thread that made the table. */
export class TableWriter {
  readonly store: TableStore
  readonly index: NameIndexWriter
  readonly reader: TableReader
  readonly signing: ZoneSigning
  /** The walks that continue while the table changes. */
  readonly walks = new ZoneWalks()
  readonly versions = new ZoneVersions(this)

  /** @param state of the writer that has left the memory, where there was one */
  constructor(memory: TableMemory, state?: TableState) {
    this.store = new TableStore(memory, state)
    this.index = new NameIndexWriter(this.store)
    this.reader = new TableReader(memory)
    this.signing = new ZoneSigning(this.store)
  }

  /** Adds to a count or another word that only the writer reads, or that may be seen a little late. */
  add(at: number, difference: number): void {
    const { store } = this
    store.write(at, (store.words[at] as number) + difference)
  }
}
