import { ApiError } from '../../errors.ts'
import type { Caller } from '../../identity/caller.ts'
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

export type ZoneRestoringOptions = {
  readonly store: Store
  readonly zones: Pick<Zones, 'restoreIn' | 'transferIfWanted'>
  /** Whether all projects are in the store; otherwise another identity service has them. */
  readonly knowsProjects: boolean
}

/** Puts back what the zone was signed with, in the commit that puts the zone back. Returns it as it is then. */
export type RestoreSigning = (tx: Transaction, zone: Zone) => Zone

export type RestoredParts = {
  readonly past: StoredZone
  /** Its row as it was last. */
  readonly deleted: Zone
  readonly restoreSigning: RestoreSigning
}

/** What is put back into a zone. */
type Contents = {
  /** Written packed. */
  readonly run: RecordsetRun
  /** What the server keeps at the apex, and what cannot be packed. */
  readonly rows: readonly Recordset[]
  readonly size: { zoneRecordsets: number; zoneRecords: number; recordsetRecords: number }
}

/** Puts zones back that are not there any more. */
export class ZoneRestoring {
  readonly #options: ZoneRestoringOptions

  constructor(options: ZoneRestoringOptions) {
    this.#options = options
  }

  /** As one commit, under all rules of a new zone of its project. A SECONDARY asks its masters at once.
   *  @throws ApiError as `Zones.createIn`; invalid_project; invalid_recordset_location a zone below answers for a name */
  async restore(caller: Caller, { past, deleted, restoreSigning }: RestoredParts): Promise<Zone> {
    const { store, zones, knowsProjects } = this.#options
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
        return restoreSigning(tx, yield* write(tx, zone, contents))
      })
      if (restored === undefined) continue
      zones.transferIfWanted(restored)
      return restored
    }
  }
}

function* write(tx: Transaction, zone: Zone, { rows, run }: Contents): Steps<Zone> {
  for (const row of rows) yield void tx.put('recordsets', row)
  const advanced = rewriteApex(tx, zone)
  // Last, as whoever looks for a recordset among those that are packed has them all unpacked.
  if (run.length > 0) tx.insertRecordsets(run)
  return advanced
}

/** A copy that was half written is fetched anew. */
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
    if (slice.isSpent) await slice.rest()
  }
  return { run: writer.take(), rows, size }
}

/** Whether it follows from the zone and its pool. */
function isOfApex({ type, isManaged, name }: Recordset, zone: Zone): boolean {
  if (!isManaged || isWrittenElsewhere(zone)) return false
  return (type === 'SOA' || type === 'NS') && name.toLowerCase() === zone.name.toLowerCase()
}

/** Changes with every zone below this one that comes or goes. */
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
    if (slice.isSpent) await slice.rest()
  }
}
