import { withRecords } from '../model/record-marks.ts'
import { recordKeyOf } from '../model/record-values.ts'
import type { Recordset } from '../model/recordset.ts'
import type { Zone } from '../model/zone.ts'
import type { ImportChange, ImportDifference } from '../model/zone-import.ts'
import type { StoreReader, Transaction } from '../store/store.ts'
import { TimeSlice } from '../time-slice.ts'
import { ImportError } from './import-error.ts'
import { type ImportRecordset, importedRecordset, putImported } from './import-recordsets.ts'
import { Collected, shownRecordset } from './import-report.ts'
import { findRecordsetOf } from './recordset-rows.ts'
import { rowPages } from './row-pages.ts'
import type { ZoneFileContents } from './zone-file-contents.ts'
import { changedRow } from './zone-rows.ts'

// What a file changes of a zone that there is. All of it is written at once, so that no reader and no crash sees a mix
// of two zones; what others would be held up by for too long is refused.

/** Record sets that are written and removed in one go, some 50 ms of it. */
const maxChanges = 5000

/** What must change for the record sets of a zone to be those of a file. */
export type FileDifference = {
  readonly added: readonly ImportRecordset[]
  readonly changed: readonly { readonly row: Recordset; readonly recordset: ImportRecordset }[]
  readonly removed: readonly Recordset[]
  /** For whoever asked for it. */
  readonly shown: ImportDifference
}

/** Holds a file against what is stored of a zone, in slices; against nothing, where there is no zone. Rows that the
 *  server keeps are no part of it.
 *  @throws ImportError too much would change */
export async function compareFile(
  reader: StoreReader,
  zone: Zone | undefined,
  contents: ZoneFileContents,
): Promise<FileDifference> {
  const difference = new Difference(zone === undefined ? Number.POSITIVE_INFINITY : maxChanges)
  const kept = new Set<string>()
  const slice = new TimeSlice()
  for (const number of contents.numbers) {
    const recordset = importedRecordset(contents.rrsetAt(number))
    const row = zone && findRecordsetOf(reader, zone, recordset)
    if (row !== undefined) kept.add(row.id)
    difference.put(row, recordset)
    if (slice.isSpent) await slice.rest()
  }
  if (zone === undefined) return difference.finish()
  for (const page of rowPages(reader, 'recordsets', { index: 'byZone', key: zone.id })) {
    for (const row of page) if (!row.isManaged && !kept.has(row.id)) difference.remove(row)
    if (slice.isSpent) await slice.rest()
  }
  return difference.finish()
}

/** Writes a difference as part of a transaction in which the zone is as it was compared.
 *  @throws ImportError a zone below this one answers for a name */
export function writeDifference(tx: Transaction, zone: Zone, difference: FileDifference): void {
  for (const { id } of difference.removed) tx.delete('recordsets', id)
  for (const { row, recordset } of difference.changed) {
    const { ttlSeconds, records } = recordset
    const contents = withRecords(row, records, tx.atMicros)
    tx.put('recordsets', changedRow(tx, row, { ttlSeconds, ...contents }))
  }
  putImported(tx, zone, difference.added)
}

class Difference {
  readonly #max: number
  readonly #rows = { added: [], changed: [], removed: [] } as {
    added: ImportRecordset[]
    changed: { row: Recordset; recordset: ImportRecordset }[]
    removed: Recordset[]
  }
  readonly #shown = {
    added: new Collected<ImportChange>(),
    changed: new Collected<ImportChange>(),
    removed: new Collected<ImportChange>(),
  }

  constructor(maxChanges: number) {
    this.#max = maxChanges
  }

  put(row: Recordset | undefined, recordset: ImportRecordset): void {
    const { name, type } = recordset
    const after = shownRecordset(recordset)
    if (row === undefined) {
      this.#shown.added.add({ name, type, before: null, after })
      this.#keep(() => this.#rows.added.push(recordset))
    } else if (!isSame(row, recordset)) {
      this.#shown.changed.add({ name, type, before: shownRecordset(row), after })
      this.#keep(() => this.#rows.changed.push({ row, recordset }))
    }
  }

  remove(row: Recordset): void {
    const { name, type } = row
    this.#shown.removed.add({ name, type, before: shownRecordset(row), after: null })
    this.#keep(() => this.#rows.removed.push(row))
  }

  finish(): FileDifference {
    const { added, changed, removed } = this.#shown
    const shown = { added: added.list(), changed: changed.list(), removed: removed.list() }
    return { ...this.#rows, shown }
  }

  /** Of a new zone nothing is kept: its record sets are made once more when they are written. */
  #keep(keep: () => void): void {
    if (this.#max === Number.POSITIVE_INFINITY) return
    keep()
    const { added, changed, removed } = this.#rows
    if (added.length + changed.length + removed.length <= this.#max) return
    throw new ImportError(
      `The file differs from the zone in more than ${this.#max} record sets: delete the zone and import the file anew.`,
    )
  }
}

function isSame(row: Recordset, { type, ttlSeconds, records }: ImportRecordset): boolean {
  if (row.ttlSeconds !== ttlSeconds || row.records.length !== records.length) return false
  if (records.every((record, i) => record === row.records[i])) return true
  const stored = new Set(row.records.map(record => recordKeyOf(type, record)))
  return records.every(record => stored.has(recordKeyOf(type, record)))
}
