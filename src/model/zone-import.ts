import type { Stamped } from './stamped.ts'
import type { TaskState } from './task-state.ts'

/** A zone that is made of a zone file. The file is not kept. */
export type ZoneImport = Stamped &
  TaskState & {
    readonly projectId: string
    /** The node that makes it; absent where there is only one. */
    readonly node?: string
    /** Null until there is a zone. */
    readonly zoneId: string | null
    /** What of the file is not in the zone as it stands there; absent before it is through. */
    readonly report?: ImportReport
  }

/** How many there are of something, and the first of them. */
export type ImportList<T> = { readonly count: number; readonly named: readonly T[] }

/** Something of a file that is not in the zone, or otherwise. */
export type ImportNote = { readonly name: string; readonly type: string; readonly reason: string }

/** A recordset before and after; null where there is none. Of many or long values only the beginnings are here. */
export type ImportChange = {
  readonly name: string
  readonly type: string
  readonly before: ShownRecordset | null
  readonly after: ShownRecordset | null
}

type ShownRecordset = {
  /** Null: the zone's. */
  readonly ttlSeconds: number | null
  readonly recordCount: number
  readonly records: readonly string[]
}

/** What a file changes of a zone that it replaces. */
export type ImportDifference = {
  readonly added: ImportList<ImportChange>
  readonly changed: ImportList<ImportChange>
  readonly removed: ImportList<ImportChange>
}

export type ImportReport = {
  readonly leftOut: ImportList<ImportNote>
  readonly changed: ImportList<ImportNote>
  /** Of an import that replaces a zone, or only says what it would do. */
  readonly difference?: ImportDifference
}
