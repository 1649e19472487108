import type { Clock } from '../clock.ts'
import { Committer } from './committer.ts'
import type { Store } from './store.ts'
import { storeOver } from './store-over.ts'
import { Tables } from './tables.ts'

/** Opens an empty store that keeps its rows in memory only: the same transactions and indexes without a
 *  disk, for tests. */
export function openMemoryStore({ clock }: { readonly clock: Clock }): Store {
  const tables = new Tables()
  const committer = new Committer({ tables, clock, log: { append: async () => undefined } })
  return storeOver({ tables, committer, close: async () => undefined })
}
