import type { RunDifference } from '../../bulk/compare-runs.ts'
import { recordsetUnpacker } from '../../model/packed-recordset.ts'
import type { Recordset } from '../../model/recordset.ts'
import { type RecordsetRun, RunWriter, recordsetsOf } from '../../model/recordset-run.ts'
import type { Zone } from '../../model/zone.ts'
import type { Store, StoreReader } from '../../store/store.ts'
import { TimeSlice } from '../../time-slice.ts'

/** Recordsets copied in one go. */
const runRecordsets = 500
/** How often the zone may change during the copying before others have to wait for it. */
const maxTries = 8

/** A zone at one moment, and its recordsets. */
export type StoredZone = { readonly zone: Zone; readonly runs: readonly RecordsetRun[] }

/** A zone at one moment and a copy of its recordsets, for a thread; undefined where there is no such zone. Every
 *  change of a zone's data changes its row; if that happens during the copying, the copying starts again. */
export async function storedRuns(store: Store, zoneId: string): Promise<StoredZone | undefined> {
  const slice = new TimeSlice()
  for (let triesLeft = maxTries; ; triesLeft -= 1) {
    await settled(store, zoneId)
    const zone = store.get('zones', zoneId)
    if (zone === undefined) return undefined
    const runs: RecordsetRun[] = []
    const writer = new RunWriter()
    let isUnchanged = true
    for (const record of store.packedRecordsets(zoneId)) {
      writer.addPacked(record)
      if (writer.count < runRecordsets) continue
      runs.push(writer.take())
      if (triesLeft > 0 && slice.isSpent) await slice.yield()
      isUnchanged = store.get('zones', zoneId) === zone && !store.isChanging(zoneId)
      if (!isUnchanged) break
    }
    if (!isUnchanged) continue
    if (writer.count > 0) runs.push(writer.take())
    return { zone, runs }
  }
}

/** Resolves when no commit of the zone's recordsets is being made visible. */
async function settled(store: Store, zoneId: string): Promise<void> {
  const slice = new TimeSlice()
  while (store.isChanging(zoneId)) await slice.yield()
}

/** Recordsets that are to change, each as it is now and as it is to be. */
export function* changedRows(
  reader: StoreReader,
  { changedIds, changedRun }: RunDifference,
): Generator<{ readonly row: Recordset; readonly next: Recordset }> {
  let number = 0
  for (const record of recordsetsOf(changedRun)) {
    const row = reader.get('recordsets', changedIds[number] as string)
    number += 1
    if (row !== undefined) yield { row, next: recordsetUnpacker.unpack(record) }
  }
}
