import type { Stamped } from './stamped.ts'
import type { TaskState } from './task-state.ts'

/** The import of a zone from a zone file. The file is not kept. */
export type ZoneImport = Stamped &
  TaskState & {
    readonly projectId: string
    /** The node that runs the import; absent where there is only one. */
    readonly node?: string
    /** Null until the zone exists. */
    readonly zoneId: string | null
    /** The differences between file and zone; absent until the import is done. */
    readonly report?: ImportReport
  }

/** The number of items, and the first of them. */
export type ImportList<T> = { readonly count: number; readonly named: readonly T[] }

/** A part of a file that is not in the zone, or differs there. */
export type ImportNote = { readonly name: string; readonly type: string; readonly reason: string }

/** A recordset before and after; null where there is none. Many or long values are shortened. */
export type ImportChange = {
  readonly name: string
  readonly type: string
  readonly before: ShownRecordset | null
  readonly after: ShownRecordset | null
}

type ShownRecordset = {
  /** Null: the zone's TTL. */
  readonly ttlSeconds: number | null
  readonly recordCount: number
  readonly records: readonly string[]
}

/** The changes by a file that replaces a zone. */
export type ImportDifference = {
  readonly added: ImportList<ImportChange>
  readonly changed: ImportList<ImportChange>
  readonly removed: ImportList<ImportChange>
}

export type ImportReport = {
  readonly leftOut: ImportList<ImportNote>
  readonly changed: ImportList<ImportNote>
  /** Of an import that replaces a zone, or only reports what it would do. */
  readonly difference?: ImportDifference
}
