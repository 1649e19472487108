import type { Clock } from '../clock.ts'
import { type FileSystem, realFiles } from '../durable/file-system.ts'
import { listSegments } from '../durable/log-segment.ts'
import type { CollectionName } from '../model/collections.ts'
import { logDirectory } from './commit-log.ts'
import { openLowdbStore } from './lowdb-store.ts'
import type { Change, Store, Transaction } from './store.ts'
import type { Row } from './table.ts'

/** A point in time: the last commit that counts, or the time after which none does. */
export type RewindPoint = { readonly lsn: number } | { readonly atMicros: number }

export type Rewound = {
  /** The last commit that counts. */
  readonly lsn: number
  /** Rows that are as they were then. */
  readonly rowCount: number
}

/** The point is not in the log that is kept. */
export class RewindError extends Error {
  override readonly name = 'RewindError'
}

/** Restores the rows of a closed store to an earlier point of its log. The restore is itself a commit: those that it undoes stay
 *  in the log, and no LSN is used twice.
 *  @throws RewindError the log does not reach back far enough; nothing was changed
 *  @throws DamageError, StoreLockedError as at a start */
export async function rewindStore(
  options: { readonly directory: string; readonly clock: Clock; readonly files?: FileSystem },
  point: RewindPoint,
): Promise<Rewound> {
  const { files = realFiles, directory } = options
  // No part of the log is dropped while it is read.
  const store = await openLowdbStore({ ...options, historyOctets: Number.MAX_SAFE_INTEGER })
  try {
    // The journal of formats 1 and 2 does not say what was before a change.
    const [segment] = await listSegments(files, logDirectory(directory))
    const lsn = await lastBefore(store, point, segment?.first ?? store.lastLsn + 1)
    const before = await rowsBefore(store, lsn)
    await store.commit(tx => putBack(tx, before.values()))
    return { lsn, rowCount: before.size }
  } finally {
    await store.close()
  }
}

/** The last commit up to a point.
 *  @param first the first that can be undone */
async function lastBefore(store: Store, point: RewindPoint, first: number): Promise<number> {
  const { lastLsn } = store
  if ('lsn' in point) {
    if (point.lsn >= first - 1 && point.lsn <= lastLsn) return point.lsn
    const range = `${first - 1} to ${lastLsn}`
    throw new RewindError(`change ${point.lsn} is not within the log, which reaches from ${range}`)
  }
  for await (const { lsn, atMicros } of store.history(first - 1)) {
    if (atMicros <= point.atMicros) continue
    if (lsn > first) return lsn - 1
    const time = new Date(atMicros / 1000).toISOString()
    throw new RewindError(`the log does not reach back so far: its first change is of ${time}`)
  }
  return lastLsn
}

type RowBefore = Pick<Change, 'collection' | 'id'> & { readonly before: Row | undefined }

/** The state at a commit of each row that changed after it. */
async function rowsBefore(store: Store, lsn: number): Promise<ReadonlyMap<string, RowBefore>> {
  const rows = new Map<string, RowBefore>()
  let expected = lsn + 1
  for await (const commit of store.history(lsn)) {
    if (commit.lsn !== expected) break
    expected += 1
    for (const { collection, id, before } of commit.changes) {
      const key = `${collection}/${id}`
      if (!rows.has(key)) rows.set(key, { collection, id, before })
    }
  }
  if (expected <= store.lastLsn) throw new RewindError(`the log lacks change ${expected}`)
  return rows
}

/** All deletions precede all insertions: a key of one row may have belonged to another. */
function putBack(tx: Transaction, rows: Iterable<RowBefore>): void {
  const all = [...rows]
  for (const { collection, id } of all) tx.delete(collection, id)
  for (const { collection, before } of all) {
    if (before !== undefined) tx.put(collection as CollectionName, before as never)
  }
}
