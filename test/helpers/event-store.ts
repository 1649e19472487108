import type { Recordset } from '../../src/model/recordset.ts'
import type { Zone } from '../../src/model/zone.ts'
import { eventFactsOf } from '../../src/service/events/resource-event.ts'
import type { Commit, Store, Transaction } from '../../src/store/store.ts'
import { fakeClock } from './clock.ts'
import { openMemoryStore } from './memory-store.ts'
import { recordsetRow, zoneRow } from './store-rows.ts'

/** A store that keeps its commits, as its history and for the test, with the writes that events derive from. */
export type EventStore = {
  readonly store: Store
  readonly commits: Commit[]
  putZone(id: string, changes?: Partial<Zone>): Promise<Zone>
  putRecordset(id: string, changes?: Partial<Recordset>): Promise<Recordset>
  delete(collection: 'zones' | 'recordsets', id: string): Promise<void>
}

export function openEventStore(onCommit: (commit: Commit) => void = () => undefined): EventStore {
  const commits: Commit[] = []
  const store: Store = Object.create(
    openMemoryStore({ clock: fakeClock(), factsOf: eventFactsOf }),
    {
      history: {
        async *value(afterLsn: number) {
          for (const commit of commits) if (commit.lsn > afterLsn) yield commit
        },
      },
    },
  )
  store.setCommitListener(commit => {
    commits.push(commit)
    onCommit(commit)
  })
  return {
    store,
    commits,
    putZone: (id, changes) => store.commit(tx => tx.put('zones', changedZone(tx, id, changes))),
    putRecordset: (id, changes) =>
      store.commit(tx => tx.put('recordsets', changedRecordset(tx, id, changes))),
    delete: (collection, id) => store.commit(tx => tx.delete(collection, id)),
  }
}

/** An existing or new zone, with changes. */
function changedZone(tx: Transaction, id: string, changes: Partial<Zone> = {}): Zone {
  const fresh = { id, createdAt: tx.atMicros, projectId: 'p1', name: `${id}.example.` }
  return zoneRow({ ...fresh, ...tx.get('zones', id), ...changes })
}

function changedRecordset(
  tx: Transaction,
  id: string,
  changes: Partial<Recordset> = {},
): Recordset {
  const fresh = { id, createdAt: tx.atMicros, zoneId: 'z1', name: `${id}.z1.example.` }
  return recordsetRow({ ...fresh, ...tx.get('recordsets', id), ...changes })
}
