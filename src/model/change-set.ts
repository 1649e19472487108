import type { Changes } from './changes.ts'
import type { Recordset } from './recordset.ts'
import type { RecordsetDraft, RecordsetPatch } from './recordset-draft.ts'
import type { RowVersion } from './stamped.ts'
import type { Zone } from './zone.ts'

/** A recordset of a zone by its id, or by its name and type. */
export type RecordsetKey =
  | { readonly id: string }
  | { readonly name: string; readonly type: string }

/** The conditions that a recordset must meet for a change to be made, its records in any order and spelling; omitted ones are not
 *  checked. */
export type Expectation = Changes<Pick<Recordset, 'ttlSeconds' | 'records'>>

type Line = { readonly key: RecordsetKey; readonly expected?: Expectation | undefined }

/** A recordset, or these values of it in any spelling: with its last value it goes too. */
export type Deletion = Line & { readonly records?: readonly string[] | undefined }

/** Omitted fields stay as they are. By name and type it creates the recordset where there is none. */
export type Replacement = Line & {
  readonly patch: Pick<RecordsetPatch, 'ttlSeconds' | 'description' | 'records'>
}

/** Changes of a zone, applied together or not at all: deletions first, creations last. */
export type ChangeSet = {
  readonly create: readonly RecordsetDraft[]
  readonly replace: readonly Replacement[]
  readonly delete: readonly Deletion[]
  /** Changes of the zone itself. */
  readonly zone?: Partial<Pick<Zone, 'email' | 'ttlSeconds' | 'description' | 'soaTimers'>>
  /** The serial that the zone must have; any if omitted. */
  readonly expectedSerial?: number | undefined
  /** The versions that the zone may have; any if omitted. */
  readonly expectedVersions?: readonly RowVersion[] | undefined
}

export type ChangeList = 'create' | 'replace' | 'delete'
