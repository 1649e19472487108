import type { Clock } from '../../src/clock.ts'
import { onlyWriter } from '../../src/store/commit-log.ts'
import { Committer } from '../../src/store/committer.ts'
import type { FactsOf, Store } from '../../src/store/store.ts'
import { noPast, storeOver } from '../../src/store/store-over.ts'
import type { HeapOf } from '../../src/store/table.ts'
import { Tables } from '../../src/store/tables.ts'

type MemoryStoreOptions = {
  readonly clock: Clock
  readonly factsOf?: FactsOf
  /** Keeps rows in another way than the default. */
  readonly heapOf?: HeapOf
}

/** Opens an empty store that keeps its rows in memory only: the product's transactions and indexes without a
 *  disk (`test/store/store.test.ts` holds both to the same rules). It keeps no history. */
export function openMemoryStore({ clock, factsOf, heapOf }: MemoryStoreOptions): Store {
  const tables = new Tables(heapOf)
  const log = { ...onlyWriter, append: async () => undefined }
  const committer = new Committer({ tables, clock, log, factsOf })
  return storeOver({ tables, committer, past: noPast, close: async () => undefined })
}
