import { randomUUID } from 'node:crypto'
import type { Changes } from './changes.ts'

/** The fields of every stored row. Times are microseconds since the Unix epoch; Date and text are used only in the API. */
export type Stamped = {
  readonly id: string
  /** The number of writes of this row, from 1. */
  readonly version: number
  readonly createdAt: number
  /** Null until the first change. */
  readonly updatedAt: number | null
}

/** One version of a row. */
export type RowVersion = Pick<Stamped, 'id' | 'version'>

/** The transaction that writes a row, as far as its stamp needs it. */
type Writing = { readonly atMicros: number }

/** The id, version and times of a new row. */
export function newStamp({ atMicros }: Writing, id: string = randomUUID()): Stamped {
  return { id, version: 1, createdAt: atMicros, updatedAt: null }
}

/** The row with changes, and with the version and time of a change. */
export function changedRow<R extends Stamped>(
  { atMicros }: Writing,
  row: R,
  changes: Partial<R>,
): R {
  return { ...row, ...changes, version: row.version + 1, updatedAt: atMicros }
}

/** The same for clients that repeat their changes: the row itself where it has these values already, so that nothing is
 *  written. An undefined field stays as it is. */
export function updatedRow<R extends Stamped>(
  tx: Writing,
  row: R,
  changes: NoInfer<Changes<Omit<R, keyof Stamped>>>,
): R {
  const different = Object.entries(changes).filter(
    ([key, value]) => value !== undefined && row[key as keyof R] !== value,
  )
  if (different.length === 0) return row
  return changedRow(tx, row, Object.fromEntries(different) as Partial<R>)
}
