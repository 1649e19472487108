import { randomUUID } from 'node:crypto'
import type { Changes } from '../model/changes.ts'
import type { Stamped } from '../model/stamped.ts'
import type { Transaction } from '../store/store.ts'

/** The id, version and times of a new row. */
export function newStamp(tx: Transaction, id: string = newId()): Stamped {
  return { id, version: 1, createdAt: tx.atMicros, updatedAt: null }
}

/** A changed row, or the row itself where it has these values already, so that nothing is written. */
export function changedRow<R extends Stamped>(
  tx: Transaction,
  row: R,
  changes: NoInfer<Changes<Omit<R, keyof Stamped>>>,
): R {
  const different = Object.entries(changes).filter(
    ([key, value]) => value !== undefined && row[key as keyof R] !== value,
  )
  if (different.length === 0) return row
  const stamp = { version: row.version + 1, updatedAt: tx.atMicros }
  return { ...row, ...Object.fromEntries(different), ...stamp }
}

/** Ids of the identity service are UUIDs without dashes, as Keystone's are. */
function newId(): string {
  return randomUUID().replaceAll('-', '')
}
