import { recordsetUnpacker } from '../model/packed-recordset.ts'
import { type RecordsetRun, recordsetAt } from '../model/recordset-run.ts'
import { isSignedHere, type Zone } from '../model/zone.ts'
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

/** The change of a commit that only changes a few recordsets and the serial of one zone that is signed here, and that can be
 *  signed without a walk over the zone; undefined for any other. */
export function signedChangeOf(
  commit: Commit,
): { readonly zone: Zone; readonly recordsets: RecordsetChanges } | undefined {
  const { rowChanges, added } = commit
  if (rowChanges.length > maxSmallRows || added.length > 0) return undefined
  if (rowChanges.some(({ collection }) => collection.startsWith('dnssec'))) return undefined
  const [only, ...others] = changesByZone(commit).values()
  const { before, after: zone } = only?.zoneChange ?? {}
  if (only === undefined || others.length > 0 || before === undefined || zone === undefined)
    return undefined
  const isLike =
    before.ttlSeconds === zone.ttlSeconds &&
    before.soaTimers === zone.soaTimers &&
    before.poolId === zone.poolId &&
    before.dnssec === zone.dnssec
  if (!isLike || zone.isDeleting || !isSignedHere(zone)) return undefined
  return only.recordsets.some(mayHide) ? undefined : { zone, recordsets: only.recordsets }
}

/** Whether names below the recordset's may be hidden or shown by the change. */
function mayHide({ before, after }: RecordsetChanges[number]): boolean {
  const type = (after ?? before)?.type
  return type === 'NS' || type === 'DNAME'
}

/** Rows of a commit whose edits are prepared while it becomes durable. */
const maxSmallRows = 16
