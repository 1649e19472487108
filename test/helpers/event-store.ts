import type { Recordset } from '../../src/model/recordset.ts'
import type { Zone } from '../../src/model/zone.ts'
import { eventFactsOf } from '../../src/service/events/resource-event.ts'
import { openMemoryStore } from '../../src/store/memory-store.ts'
import type { Commit, Store, Transaction } from '../../src/store/store.ts'
import { fakeClock } from './clock.ts'

/** A store whose commits are kept for the test, with the writes that events are made from. */
export type EventStore = {
  readonly store: Store
  readonly commits: Commit[]
  putZone(id: string, changes?: Partial<Zone>): Promise<void>
  putRecordset(id: string, changes?: Partial<Recordset>): Promise<void>
  delete(collection: 'zones' | 'recordsets', id: string): Promise<void>
}

export function openEventStore(onCommit: (commit: Commit) => void = () => undefined): EventStore {
  const store = openMemoryStore({ clock: fakeClock(), factsOf: eventFactsOf })
  const commits: Commit[] = []
  store.setCommitListener(commit => {
    commits.push(commit)
    onCommit(commit)
  })
  return {
    store,
    commits,
    putZone: (id, changes) => store.commit(tx => tx.put('zones', zoneRow(tx, id, changes))),
    putRecordset: (id, changes) =>
      store.commit(tx => tx.put('recordsets', recordsetRow(tx, id, changes))),
    delete: (collection, id) => store.commit(tx => tx.delete(collection, id)),
  }
}

function stamp(tx: Transaction, id: string, version = 1) {
  return { id, version, createdAt: tx.atMicros, updatedAt: null }
}

function zoneRow(tx: Transaction, id: string, changes: Partial<Zone> = {}): Zone {
  const before = tx.get('zones', id)
  return {
    ...stamp(tx, id),
    projectId: 'p1',
    poolId: 'pool',
    name: `${id}.example.`,
    type: 'PRIMARY',
    email: 'ops@example.com',
    ttlSeconds: 3600,
    serial: 1,
    description: null,
    masters: [],
    attributes: {},
    soaTimers: { refreshSeconds: 1, retrySeconds: 1, expireSeconds: 1, minimumSeconds: 1 },
    isDeleting: false,
    transferredAt: null,
    ...before,
    ...changes,
  }
}

function recordsetRow(tx: Transaction, id: string, changes: Partial<Recordset> = {}): Recordset {
  return {
    ...stamp(tx, id),
    zoneId: 'z1',
    projectId: 'p1',
    name: `${id}.z1.example.`,
    type: 'A',
    ttlSeconds: null,
    description: null,
    records: ['192.0.2.1'],
    isManaged: false,
    ...tx.get('recordsets', id),
    ...changes,
  } as Recordset
}
