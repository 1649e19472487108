import type { Place } from '../durable/file-system.ts'
import { soundBatchesOf } from '../durable/log-recovery.ts'
import { decodeCommit } from './commit-entry.ts'
import { listLog } from './commit-log.ts'
import type { PastCommit } from './store.ts'

/** The commits of a store's log as lines of JSON, without line feeds, oldest first; those that are damaged are left out. A
 *  segment is in memory at a time. */
export async function* dumpLog(place: Place): AsyncGenerator<string> {
  for (const segment of await listLog(place)) {
    const { batches } = await soundBatchesOf(place.files, segment)
    for (const { first, entries } of batches)
      for (const [i, entry] of entries.entries()) yield lineOf(decodeCommit(first + i, entry))
  }
}

/** A commit as a line of JSON. */
export function lineOf({ lsn, atMicros, changes, actor, facts }: PastCommit): string {
  const rows = changes.map(({ collection, id, before, after }) => ({
    collection,
    id,
    before,
    after,
  }))
  return JSON.stringify({ lsn, at: atMicros, actor, changes: rows, facts })
}
