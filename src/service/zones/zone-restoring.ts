import { ApiError } from '../../errors.ts'
import type { Caller } from '../../identity/caller.ts'
import type { StoredDnssecKey } from '../../model/dnssec-key.ts'
import { isJson, recordsetUnpacker } from '../../model/packed-recordset.ts'
import type { Recordset } from '../../model/recordset.ts'
import { type RecordsetRun, RunWriter, recordsetsOf } from '../../model/recordset-run.ts'
import { isComplete, isWrittenElsewhere, type Zone } from '../../model/zone.ts'
import type { Store, StoreReader, Transaction } from '../../store/store.ts'
import { type Steps, TimeSlice } from '../../time-slice.ts'
import type { StoredZone } from '../changes/stored-runs.ts'
import { requireNameForZone } from '../rules/placement.ts'
import { requireProject, requireWithinQuota } from '../rules/quotas.ts'
import { rewriteApex } from '../rules/zone-rows.ts'
import type { Zones } from './zones.ts'

export type ZoneRestoring = {
  readonly store: Store
  readonly zones: Pick<Zones, 'restoreIn' | 'transferIfWanted'>
  /** Whether all projects are in the store; otherwise another identity service has them. */
  readonly knowsProjects: boolean
  /** Signs a restored zone with the keys it had. Returns the signed zone.
   *  @throws ApiError */
  readonly restoreKeys: (tx: Transaction, zone: Zone, keys: readonly StoredDnssecKey[]) => Zone
}

type RestoredParts = {
  readonly past: StoredZone
  /** The zone's last row. */
  readonly deleted: Zone
  readonly keys: readonly StoredDnssecKey[]
}

/** The content that is restored to a zone. */
type Contents = {
  /** Written packed. */
  readonly run: RecordsetRun
  /** The recordsets that the server keeps at the apex, and those that cannot be packed. */
  readonly rows: readonly Recordset[]
  readonly size: { zoneRecordsets: number; zoneRecords: number; recordsetRecords: number }
}

/** Restores a zone that no longer exists as one commit, under all rules for a new zone of its project. A SECONDARY queries
 *  its masters at once.
 *  @throws ApiError as `Zones.createIn`; invalid_project; invalid_recordset_location a zone below answers for a name */
export async function restoreZone(
  { store, zones, knowsProjects, restoreKeys }: ZoneRestoring,
  caller: Caller,
  { past, deleted, keys }: RestoredParts,
): Promise<Zone> {
  const contents = await contentsOf(past)
  for (;;) {
    const below = zonesBelow(store, past.zone)
    if (below !== '') await requireNames(store, past.zone, contents)
    const restored = await store.commitInSteps(function* (tx) {
      if (tx.get('zones', deleted.id) !== undefined)
        throw new ApiError('duplicate_zone', 'The zone is there')
      if (zonesBelow(tx, past.zone) !== below) return undefined
      if (knowsProjects) requireProject(tx, deleted.projectId)
      const zone = zones.restoreIn(tx, caller, { ...past.zone, version: deleted.version })
      requireWithinQuota(tx, zone.projectId, contents.size)
      const unsigned = yield* write(tx, zone, contents)
      const { dnssec } = deleted
      return dnssec === undefined ? unsigned : restoreKeys(tx, { ...unsigned, dnssec }, keys)
    })
    if (restored === undefined) continue
    zones.transferIfWanted(restored)
    return restored
  }
}

function* write(tx: Transaction, zone: Zone, { rows, run }: Contents): Steps<Zone> {
  for (const row of rows) yield void tx.put('recordsets', row)
  const advanced = rewriteApex(tx, zone)
  // Last: a later lookup among the packed recordsets would unpack them all.
  if (run.length > 0) tx.insertRecordsets(run)
  return advanced
}

/** Empty where the copy was incomplete: it is transferred again. */
async function contentsOf({ zone, runs }: StoredZone): Promise<Contents> {
  const size = { zoneRecordsets: 0, zoneRecords: 0, recordsetRecords: 0 }
  const writer = new RunWriter()
  const rows: Recordset[] = []
  const slice = new TimeSlice()
  for (const record of isComplete(zone) ? runs.flatMap(run => [...recordsetsOf(run)]) : []) {
    const row = recordsetUnpacker.unpack(record)
    size.zoneRecordsets += 1
    if (!row.isManaged) {
      size.zoneRecords += row.records.length
      size.recordsetRecords = Math.max(size.recordsetRecords, row.records.length)
    }
    if (isJson(record) || isOfApex(row, zone)) rows.push(row)
    else writer.addPacked(record)
    if (slice.isSpent) await slice.yield()
  }
  return { run: writer.take(), rows, size }
}

/** Whether a recordset follows from the zone and its pool. */
function isOfApex({ type, isManaged, name }: Recordset, zone: Zone): boolean {
  if (!isManaged || isWrittenElsewhere(zone)) return false
  return (type === 'SOA' || type === 'NS') && name.toLowerCase() === zone.name.toLowerCase()
}

/** A value that changes whenever a zone below this one is added or removed. */
function zonesBelow(reader: StoreReader, { name }: Zone): string {
  const key = name.toLowerCase()
  const count = reader.count('zones', 'byAncestor', key)
  if (count === 0) return ''
  const [newest] = reader.list('zones', 'byAncestor', key, { isDescending: true })
  return `${count} ${newest?.id}`
}

async function requireNames(
  reader: StoreReader,
  zone: Zone,
  { rows, run }: Contents,
): Promise<void> {
  for (const row of rows) requireNameForZone(reader, zone, row)
  const slice = new TimeSlice()
  for (const record of recordsetsOf(run)) {
    requireNameForZone(reader, zone, recordsetUnpacker.unpack(record))
    if (slice.isSpent) await slice.yield()
  }
}
