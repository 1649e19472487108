import type { CollectionName } from '../../model/collections.ts'
import { TimeSlice } from '../../time-slice.ts'
import { PackedCommit } from '../packed-change.ts'
import type { Change, Commit, Store } from '../store.ts'
import type { Row } from '../table.ts'
import { collectionNames } from '../tables.ts'
import { isSameRow, octetsOfRow } from './row-changes.ts'

type Rows = Pick<Store, 'rows' | 'get'>

/** The difference between two stores, as one commit. Deletions come first, since other rows may have the deleted rows' keys.
 *  Neither store may change meanwhile. */
export async function differenceOf(
  before: Rows,
  after: Rows,
  moment: Pick<Commit, 'lsn' | 'atMicros'>,
): Promise<Commit> {
  const slice = new TimeSlice()
  const gone: Change[] = []
  const changed: Change[] = []
  for (const collection of collectionNames) {
    for (const old of before.rows(collection)) {
      if (slice.isSpent) await slice.yield()
      const row = after.get(collection, old.id)
      if (row !== undefined && isSame(collection, old, row)) continue
      const change = { collection, id: old.id, before: old, after: row } as Change
      if (row === undefined) gone.push(change)
      else changed.push(change)
    }
    for (const row of after.rows(collection)) {
      if (slice.isSpent) await slice.yield()
      if (before.get(collection, row.id) !== undefined) continue
      changed.push({ collection, id: row.id, before: undefined, after: row } as Change)
    }
  }
  return new PackedCommit({
    ...moment,
    rowChanges: [...gone, ...changed],
    added: [],
    actor: undefined,
  })
}

function isSame(collection: CollectionName, one: Row, other: Row): boolean {
  return isSameRow(collection, octetsOfRow(collection, one), octetsOfRow(collection, other))
}
