import { randomUUID } from 'node:crypto'
import type { Stamped } from '../model/stamped.ts'
import type { Transaction } from '../store/store.ts'

/** The fields that every new row has. */
export function newStamp(tx: Transaction, id: string = randomUUID()): Stamped {
  return { id, version: 1, createdAt: tx.atMicros, updatedAt: null }
}

/** A row with changes, or the row itself where it has these values already, so that nothing is written: rating clients
 *  repeat an update each time they follow its redirection. */
export function changedRow<R extends Stamped>(
  tx: Transaction,
  row: R,
  changes: Partial<Omit<R, keyof Stamped>>,
): R {
  const isDifferent = Object.entries(changes).some(([key, value]) => row[key as keyof R] !== value)
  if (!isDifferent) return row
  return { ...row, ...changes, version: row.version + 1, updatedAt: tx.atMicros }
}
