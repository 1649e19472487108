import type { PackedFileRrsets } from '../../bulk/file-recordsets.ts'
import { importMessage } from '../../bulk/import-error.ts'
import { doneMessage } from '../../bulk/import-report.ts'
import type { ZoneFileContents } from '../../bulk/read-zone-file.ts'
import type { Caller } from '../../identity/caller.ts'
import { recordsetUnpacker } from '../../model/packed-recordset.ts'
import { type RecordsetRun, recordsetsOf, stampRun } from '../../model/recordset-run.ts'
import { changedRow } from '../../model/stamped.ts'
import type { Zone } from '../../model/zone.ts'
import type { ZoneDraft } from '../../model/zone-draft.ts'
import type { ImportReport, ZoneImport } from '../../model/zone-import.ts'
import type { StoreReader, Transaction } from '../../store/store.ts'
import { ZoneFileError } from '../../zone/zone-file/zone-file-error.ts'
import { requireNameForZone } from '../rules/placement.ts'
import { requireWithinQuota } from '../rules/quotas.ts'
import { hasChildZones } from '../rules/zone-tree.ts'

/** The number of recordsets of a new zone that the server creates: SOA and NS of the apex. */
export const managedRecordsets = 2

/** A zone file, and the options of its import. */
export type ZoneFile = {
  /** In UTF-8, of which each piece has whole characters. Their memory is transferred. */
  readonly pieces: readonly Uint8Array[]
  readonly attributes: ZoneDraft['attributes']
  /** A domain name, for a file that does not begin with $ORIGIN; its final dot may be missing. */
  readonly origin?: string | undefined
  /** Whether the file replaces the project's zone of this name. */
  readonly replaces?: boolean
  /** Whether the import only reports what it would do. */
  readonly isDryRun?: boolean
}

/** A running import. */
export type ImportTask = {
  readonly row: ZoneImport
  readonly caller: Caller
  readonly file: ZoneFile
}

/** @throws ApiError over_quota */
export function requireSize(
  reader: StoreReader,
  zone: Zone,
  { size }: Pick<ZoneFileContents, 'size'>,
): void {
  requireWithinQuota(reader, zone.projectId, {
    zoneRecordsets: size.recordsets + managedRecordsets,
    zoneRecords: size.records,
    recordsetRecords: size.recordsetRecords,
  })
}

/** Writes recordsets that are new in a zone.
 *  @param lineAt the line of the file of each of them
 *  @throws ZoneFileError a zone below this one answers for a name */
export function insertPacked(
  tx: Transaction,
  zone: Zone,
  { run, lineAt }: { readonly run: RecordsetRun; readonly lineAt: (index: number) => number },
): void {
  if (hasChildZones(tx, zone)) {
    for (const [i, record] of [...recordsetsOf(run)].entries()) {
      requireForZone(tx, zone, { ...recordsetUnpacker.unpack(record), lineAt: () => lineAt(i) })
    }
  }
  stampRun(run, { zoneId: zone.id, createdAt: tx.atMicros })
  tx.insertRecordsets(run)
}

/** @throws ZoneFileError a zone below this one answers for the name */
function requireForZone(
  reader: StoreReader,
  zone: Zone,
  recordset: { readonly name: string; readonly type: string; readonly lineAt: () => number },
): void {
  try {
    requireNameForZone(reader, zone, recordset)
  } catch (error) {
    const problem = importMessage(error)
    throw problem === undefined ? error : new ZoneFileError(recordset.lineAt(), problem)
  }
}

/** The line of a recordset by its number among all that are packed. */
export function lineOf(packed: readonly PackedFileRrsets[], number: number): number {
  let left = number
  for (const { lines } of packed) {
    if (left < lines.length) return lines[left] as number
    left -= lines.length
  }
  return 0
}

/** Writes the outcome of an import that has succeeded.
 *  @param done what was done to the zone */
export function putComplete(
  tx: Transaction,
  id: string,
  { done, ...outcome }: Pick<ZoneImport, 'zoneId'> & { done: string; report: ImportReport },
): void {
  const message = doneMessage(done, outcome.report)
  putOutcome(tx, id, { status: 'COMPLETE', message, ...outcome })
}

/** Writes the outcome, unless the row was deleted meanwhile. */
export function putOutcome(
  tx: Transaction,
  id: string,
  outcome: Pick<ZoneImport, 'status' | 'message' | 'zoneId' | 'report'>,
): void {
  const row = tx.get('zoneImports', id)
  if (row !== undefined) tx.put('zoneImports', changedRow(tx, row, outcome))
}
