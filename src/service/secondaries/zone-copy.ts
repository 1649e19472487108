import { recordsetUnpacker } from '../../model/packed-recordset.ts'
import { withRecords } from '../../model/record-marks.ts'
import type { Recordset } from '../../model/recordset.ts'
import { type RecordsetRun, recordsetsOf, stampRun } from '../../model/recordset-run.ts'
import { changedRow, newStamp } from '../../model/stamped.ts'
import type { Zone } from '../../model/zone.ts'
import type { Transaction } from '../../store/store.ts'
import { findRecordsetOf } from '../rules/find-recordset.ts'

/** One recordset as a master has it. */
type RecordsetContent = Pick<Recordset, 'name' | 'type' | 'ttlSeconds' | 'records'>

/** Changes of a zone's recordsets that one transaction writes. */
export type CopyChanges = {
  readonly removedIds: readonly string[]
  /** These replace stored recordsets. */
  readonly changed: readonly RecordsetContent[]
  /** New. */
  readonly added: RecordsetRun
}

const noRun: RecordsetRun = new Uint32Array(0)
export const noChanges: CopyChanges = { removedIds: [], changed: [], added: noRun }

export function contentsOf(run: RecordsetRun): RecordsetContent[] {
  return Array.from(recordsetsOf(run), record => {
    const { name, type, ttlSeconds, records } = recordsetUnpacker.unpack(record)
    return { name, type, ttlSeconds, records }
  })
}

/** Writes changes of a zone's recordsets.
 *  @param isAsCompared whether the zone has had no other write since it was compared with the copy: then no new recordset
 *  exists already */
export function writeCopyChanges(
  tx: Transaction,
  zone: Zone,
  { removedIds, changed, added }: CopyChanges,
  isAsCompared: boolean,
): void {
  for (const id of removedIds) tx.delete('recordsets', id)
  for (const content of changed) putContent(tx, zone, content)
  if (added.length === 0) return
  if (!isAsCompared) {
    for (const content of contentsOf(added)) putContent(tx, zone, content)
    return
  }
  stampRun(added, { zoneId: zone.id, createdAt: tx.atMicros })
  tx.insertRecordsets(added)
}

function putContent(tx: Transaction, zone: Zone, content: RecordsetContent): void {
  const row = findRecordsetOf(tx, zone, content)
  if (row === undefined) {
    const own = { zoneId: zone.id, description: null, isManaged: true }
    tx.put('recordsets', { ...newStamp(tx), ...content, ...own })
    return
  }
  const changes = { ...content, ...withRecords(row, content.records, tx.atMicros) }
  tx.put('recordsets', changedRow(tx, row, { ...changes, isManaged: true }))
}
