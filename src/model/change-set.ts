import type { RecordsetDraft, RecordsetPatch } from './recordset-draft.ts'
import type { RowVersion } from './stamped.ts'
import type { Zone } from './zone.ts'

/** A recordset of a zone by its id, or by its name and type. */
export type RecordsetKey =
  | { readonly id: string }
  | { readonly name: string; readonly type: string }

/** What a recordset must be for a change to be made; what is left out is not asked. */
export type Expectation = {
  readonly ttlSeconds?: number | null | undefined
  /** In any order and spelling. */
  readonly records?: readonly string[] | undefined
}

export type Deletion = { readonly key: RecordsetKey; readonly expected?: Expectation | undefined }

/** What is left out stays as it is. By name and type it makes the recordset where there is none. */
export type Replacement = Deletion & {
  readonly patch: Pick<RecordsetPatch, 'ttlSeconds' | 'description' | 'records'>
}

/** Changes of a zone that are made together or not at all: deletions first, creations last. */
export type ChangeSet = {
  readonly create: readonly RecordsetDraft[]
  readonly replace: readonly Replacement[]
  readonly delete: readonly Deletion[]
  /** What changes of the zone itself. */
  readonly zone?: Partial<Pick<Zone, 'email' | 'ttlSeconds' | 'description' | 'soaTimers'>>
  /** The serial that the zone must have; any when not given. */
  readonly expectedSerial?: number | undefined
  /** The versions that the zone may have; any when not given. */
  readonly expectedVersions?: readonly RowVersion[] | undefined
}

export type ChangeList = 'create' | 'replace' | 'delete'
