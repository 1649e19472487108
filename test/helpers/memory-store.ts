import type { Clock } from '../../src/clock.ts'
import { type CommitLog, Committer } from '../../src/store/committer.ts'
import type { PackedRecordsets } from '../../src/store/packed-recordsets.ts'
import type { RowHeap } from '../../src/store/row-heap.ts'
import type { FactsOf, Store } from '../../src/store/store.ts'
import { noPast, storeOver } from '../../src/store/store-over.ts'
import { Tables } from '../../src/store/tables.ts'

type MemoryStoreOptions = {
  readonly clock: Clock
  readonly factsOf?: FactsOf
  /** Keeps recordsets in another way than the default. */
  readonly recordsets?: RowHeap
  /** Called for each batch between the moment when it was prepared and the one when it is durable. */
  readonly whileAppending?: () => Promise<void>
}

/** Opens an empty store that keeps its rows in memory only: the product's transactions and indexes without a
 *  disk (`test/store/store.test.ts` holds both to the same rules). It keeps no history. */
export function openMemoryStore(options: MemoryStoreOptions): Store {
  const { clock, factsOf, recordsets, whileAppending } = options
  const tables = new Tables(recordsets as PackedRecordsets | undefined)
  const log: CommitLog = {
    async append(_, meanwhile) {
      meanwhile()
      await whileAppending?.()
    },
  }
  const committer = new Committer({ tables, clock, log, factsOf })
  return storeOver({ tables, committer, past: noPast, close: async () => undefined })
}
