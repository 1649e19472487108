import type { TableMemory } from './memory.ts'
import { NameKey } from './name-key.ts'
import { TableLookup } from './table-lookup.ts'

/** The objects for reading a table; each thread has its own. */
export class TableReader {
  readonly memory: TableMemory
  readonly lookup: TableLookup
  readonly key: NameKey

  constructor(memory: TableMemory) {
    this.memory = memory
    this.lookup = new TableLookup(memory)
    this.key = new NameKey(memory)
  }
}
