import { randomUUID } from 'node:crypto'
import { isSameServer, type NsRecord, type StoredNsRecord } from '../../model/pool.ts'
import type { NsRecordDraft } from '../../model/pool-draft.ts'
import { changedRow } from '../../model/stamped.ts'
import { everything } from '../../store/indexes.ts'
import type { Store, StoreReader, Transaction } from '../../store/store.ts'

/** The name servers of a pool as stored after a change: those that stay keep their ids, whatever else of them changes. */
export function changedNsRecords(
  tx: Transaction,
  before: readonly StoredNsRecord[],
  drafts: readonly NsRecordDraft[],
): readonly StoredNsRecord[] {
  return drafts.map(draft => {
    const { hostname, priority } = draft
    const known = before.find(row =>
      draft.id === undefined ? isSameServer(row, draft) : row.id === draft.id,
    )
    if (known === undefined) return newNsRecord(tx, draft)
    if (known.hostname === hostname && known.priority === priority) return known
    return { ...known, hostname, priority, updatedAt: tx.atMicros }
  })
}

function newNsRecord(tx: Transaction, { hostname, priority }: NsRecord): StoredNsRecord {
  return { id: randomUUID(), hostname, priority, createdAt: tx.atMicros, updatedAt: null }
}

/** Gives ids to name servers of pools that were stored before name servers had ids. */
export async function ensureNsRecordIds(store: Store): Promise<void> {
  const isWithout = ({ id }: Partial<StoredNsRecord>) => id === undefined
  const lacking = (reader: StoreReader) =>
    [...reader.list('pools', 'all', everything)].filter(({ nsRecords }) =>
      nsRecords.some(isWithout),
    )
  if (lacking(store).length === 0) return
  await store.commit(tx => {
    for (const pool of lacking(tx)) {
      const nsRecords = pool.nsRecords.map(row => (isWithout(row) ? newNsRecord(tx, row) : row))
      tx.put('pools', changedRow(tx, pool, { nsRecords }))
    }
  })
}
