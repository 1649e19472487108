import { recordsetUnpacker } from '../model/packed-recordset.ts'
import type { Change } from '../store/store.ts'

type ZoneChange = Extract<Change, { readonly collection: 'zones' }>
export type RecordsetChanges = readonly Extract<Change, { readonly collection: 'recordsets' }>[]

/** What a commit did to a zone: to its own row, where that changed, and to its recordsets. */
export type ZoneChanges = {
  readonly zoneChange: ZoneChange | undefined
  readonly recordsets: RecordsetChanges
}

type Growing = {
  zoneChange: ZoneChange | undefined
  readonly recordsets: RecordsetChanges[number][]
}

/** Sorts the changes of a commit by zone, in the order in which zones first appear. */
export function changesByZone(changes: readonly Change[]): ReadonlyMap<string, ZoneChanges> {
  const byZone = new Map<string, Growing>()
  const changesOf = (zoneId: string): Growing => {
    const known = byZone.get(zoneId)
    if (known !== undefined) return known
    const fresh = { zoneChange: undefined, recordsets: [] }
    byZone.set(zoneId, fresh)
    return fresh
  }
  for (const change of changes) {
    if (change.collection === 'zones') changesOf(change.id).zoneChange = change
    if (change.collection !== 'recordsets') continue
    const zoneId = zoneIdOf(change)
    if (zoneId !== undefined) changesOf(zoneId).recordsets.push(change)
  }
  return byZone
}

function zoneIdOf(change: RecordsetChanges[number]): string | undefined {
  if (change.packed !== undefined) return recordsetUnpacker.zoneIdOf(change.packed)
  return (change.after ?? change.before)?.zoneId
}
