import type { Clock } from '../clock.ts'
import { Committer } from './committer.ts'
import type { FactsOf, Store } from './store.ts'
import { storeOver } from './store-over.ts'
import type { HeapOf } from './table.ts'
import { Tables } from './tables.ts'

export type MemoryStoreOptions = {
  readonly clock: Clock
  readonly factsOf?: FactsOf
  /** Keeps rows otherwise than usual. */
  readonly heapOf?: HeapOf
}

/** Opens an empty store that keeps its rows in memory only: the same transactions and indexes without a
 *  disk, for tests. It keeps no history. */
export function openMemoryStore({ clock, factsOf, heapOf }: MemoryStoreOptions): Store {
  const tables = new Tables(heapOf)
  const log = { append: async () => undefined }
  const committer = new Committer({ tables, clock, log, factsOf })
  return storeOver({ tables, committer, history: noHistory, close: async () => undefined })
}

/** The history of a store that keeps none. */
export async function* noHistory(): AsyncGenerator<never> {
  // Nothing is kept.
}
