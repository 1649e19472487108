import { recordsetUnpacker } from '../model/packed-recordset.ts'
import { type RecordsetRun, recordsetAt } from '../model/recordset-run.ts'
import type { Change, Commit } from '../store/store.ts'

type ZoneChange = Extract<Change, { readonly collection: 'zones' }>
export type RecordsetChanges = readonly Extract<Change, { readonly collection: 'recordsets' }>[]

/** What a commit changed in a zone: its own row, if that changed, and its recordsets. */
export type ZoneChanges = {
  readonly zoneChange: ZoneChange | undefined
  readonly recordsets: RecordsetChanges
  /** New ones that came packed. */
  readonly added: readonly RecordsetRun[]
}

type Growing = {
  zoneChange: ZoneChange | undefined
  readonly recordsets: RecordsetChanges[number][]
  readonly added: RecordsetRun[]
}

/** Sorts the changes of a commit by zone, in the order in which zones first appear. */
export function changesByZone({
  rowChanges,
  added,
}: Pick<Commit, 'rowChanges' | 'added'>): ReadonlyMap<string, ZoneChanges> {
  const byZone = new Map<string, Growing>()
  const changesOf = (zoneId: string): Growing => {
    const known = byZone.get(zoneId)
    if (known !== undefined) return known
    const fresh = { zoneChange: undefined, recordsets: [], added: [] }
    byZone.set(zoneId, fresh)
    return fresh
  }
  for (const change of rowChanges) {
    if (change.collection === 'zones') changesOf(change.id).zoneChange = change
    if (change.collection !== 'recordsets') continue
    const zoneId = (change.after ?? change.before)?.zoneId
    if (zoneId !== undefined) changesOf(zoneId).recordsets.push(change)
  }
  for (const run of added) {
    changesOf(recordsetUnpacker.zoneIdOf(recordsetAt(run, 0))).added.push(run)
  }
  return byZone
}
