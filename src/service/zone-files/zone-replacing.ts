import { randomInt } from 'node:crypto'
import { isDeepStrictEqual } from 'node:util'
import type { Bulk } from '../../bulk/bulk.ts'
import type { CompareInput, RunDifference } from '../../bulk/compare-runs.ts'
import { ImportError } from '../../bulk/import-error.ts'
import { ImportReporter } from '../../bulk/import-report.ts'
import { forwardSerial } from '../../bulk/import-soa.ts'
import type { ZoneFileContents } from '../../bulk/read-zone-file.ts'
import { isNewerSerial } from '../../dns/serial.ts'
import type { Caller } from '../../identity/caller.ts'
import { isAliasAddress } from '../../model/alias.ts'
import { requireValid } from '../../model/field-rules.ts'
import { withRecords } from '../../model/record-marks.ts'
import { countOf } from '../../model/recordset-run.ts'
import { changedRow } from '../../model/stamped.ts'
import type { Zone } from '../../model/zone.ts'
import { zoneFieldErrors } from '../../model/zone-draft.ts'
import type { ImportDifference } from '../../model/zone-import.ts'
import type { Store, StoreReader, Transaction } from '../../store/store.ts'
import { changedRows, storedRuns } from '../changes/stored-runs.ts'
import { deleteRecordset } from '../recordsets/recordset-rows.ts'
import { getChangeableZone } from '../rules/zone-access.ts'
import { advanceZone, rewriteApex } from '../rules/zone-rows.ts'
import {
  type ImportTask,
  insertPacked,
  lineOf,
  managedRecordsets,
  putComplete,
  requireSize,
} from './import-plan.ts'

// Replaces a zone with a file. The whole difference is written at once, so that no reader and no crash sees a mix of two
// zones; a difference that would hold up other work for too long is refused.

/** The most that one commit writes, in some 50 ms: recordsets that change or go, and new ones, which cost less. */
const maxChanges = 5000
const newForOne = 4

/** How often a zone that others change is compared with a file. */
const maxComparisons = 5
const isChangedMeanwhile = 'The zone was changed again and again during its import.'

type Replacing = {
  readonly store: Store
  readonly bulk: Bulk
  readonly task: ImportTask
  readonly contents: ZoneFileContents
}

/** Replaces a zone, or only reports what that would do. A zone that is changed meanwhile is compared again.
 *  @throws ApiError, ImportError why it could not be */
export async function replaceZone(
  { store, bulk, task, contents }: Replacing,
  { id }: Zone,
  isWanted: () => boolean,
): Promise<void> {
  let next = contents.packed.map(({ run }) => run)
  const { isSigned } = contents
  for (let attempt = 1; isWanted(); attempt += 1) {
    getReplaceable(store, task.caller, { id, isSigned })
    const stored = await storedRuns(store, id)
    if (stored === undefined) continue
    const compared = { ...comparison(contents), stored: stored.runs, next }
    const difference = await bulk.compareRuns(compared, task.caller.projectId)
    next = [...difference.next]
    if (!task.file.isDryRun) requireFew(difference)
    const isDone = await store.commit(tx => {
      const zone = getReplaceable(tx, task.caller, { id, isSigned })
      if (zone.version !== stored.zone.version) return false
      writeReplacement(tx, zone, { task, contents, difference })
      return true
    })
    if (isDone) return
    if (attempt === maxComparisons) throw new ImportError(isChangedMeanwhile)
  }
}

/** What a file would add to a zone that does not exist yet. */
export async function shownAdditions(
  bulk: Bulk,
  contents: ZoneFileContents,
  { projectId }: Caller,
): Promise<ImportDifference> {
  const next = contents.packed.map(({ run }) => run)
  const compared = { ...comparison(contents), stored: [], next }
  return (await bulk.compareRuns(compared, projectId)).shown
}

/** Signed content keeps its spelling. */
function comparison({
  isSigned,
}: ZoneFileContents): Pick<CompareInput, 'sameness' | 'keepsManaged' | 'hashSeed'> {
  const sameness = isSigned ? 'copy' : 'file'
  return { sameness, keepsManaged: true, hashSeed: randomInt(2 ** 32) }
}

/** @throws ImportError */
function requireFew({ added, changedIds, removedIds }: RunDifference): void {
  if (changedIds.length + removedIds.length + added.length / newForOne <= maxChanges) return
  throw new ImportError(
    `The file differs from the zone in more than ${maxChanges} recordsets: delete the zone and import the file anew.`,
  )
}

/** @throws ApiError zone_not_found, bad_request; ImportError it is a SECONDARY */
function getReplaceable(
  reader: StoreReader,
  caller: Caller,
  { id, isSigned }: { readonly id: string; readonly isSigned: boolean },
): Zone {
  const zone = getChangeableZone(reader, caller, id)
  if (zone.dnssec !== undefined && isSigned) {
    throw new ImportError('The zone is signed here, and the file was signed elsewhere.')
  }
  if (zone.type === 'PRIMARY') return zone
  throw new ImportError('The zone is a SECONDARY: its content is its master’s.')
}

function writeReplacement(
  tx: Transaction,
  zone: Zone,
  {
    task: { row, file },
    contents,
    difference,
  }: Pick<Replacing, 'task' | 'contents'> & { readonly difference: RunDifference },
): void {
  const { soa, size } = contents
  if (size.recordsets + managedRecordsets > tx.count('recordsets', 'byZone', zone.id)) {
    requireSize(tx, zone, contents)
  }
  const { email, soaTimers } = soa
  requireValid('zone', zoneFieldErrors({ ...zone, email }))
  const reporter = new ImportReporter(contents)
  const isSame = isSameZone(zone, contents, difference)
  const serial = contents.isSigned
    ? signedSerial(soa, zone, difference)
    : isSame
      ? undefined
      : forwardSerial(soa, zone, reporter)
  const report = reporter.report(difference.shown)
  const done = `${zone.name} ${file.isDryRun ? 'would be replaced' : 'replaced'}`
  putComplete(tx, row.id, { done, zoneId: zone.id, report })
  if (file.isDryRun || isSame) return
  for (const { row, next } of changedRows(tx, difference)) {
    const { ttlSeconds, records } = next
    // An address that came from an ALIAS belongs to the zone's owner from now on.
    const isManaged = row.isManaged && !isAliasAddress(row)
    const changes = { ttlSeconds, isManaged, ...withRecords(row, records, tx.atMicros) }
    tx.put('recordsets', changedRow(tx, row, changes))
  }
  // Last: an ALIAS takes with it only the addresses that the file does not have.
  for (const id of difference.removedIds) {
    const row = tx.get('recordsets', id)
    if (row !== undefined) deleteRecordset(tx, zone, row)
  }
  const ttlSeconds = soa.ttlSeconds ?? zone.ttlSeconds
  const changes = { email, soaTimers, ttlSeconds, ...(serial !== undefined && { serial }) }
  const { isPresigned = false, ...own } = zone
  if (contents.isSigned) advanceZone(tx, { ...own, isPresigned: true }, changes)
  else if (isPresigned) rewriteApex(tx, own, changes)
  else advanceZone(tx, zone, changes)
  insertAdded(tx, zone, { contents, difference })
}

/** Whether the file says nothing new: importing it again changes nothing, not even the serial. */
function isSameZone(
  zone: Zone,
  { soa, isSigned }: ZoneFileContents,
  difference: RunDifference,
): boolean {
  return (
    isEmpty(difference) &&
    !isNewerSerial(soa.serial, zone.serial) &&
    isSigned === (zone.isPresigned ?? false) &&
    soa.email === zone.email &&
    (soa.ttlSeconds ?? zone.ttlSeconds) === zone.ttlSeconds &&
    isDeepStrictEqual(soa.soaTimers, zone.soaTimers)
  )
}

function isEmpty({ added, changedIds, removedIds }: RunDifference): boolean {
  return added.length + changedIds.length + removedIds.length === 0
}

/** The serial of a signed file, which cannot be made a newer one here.
 *  @throws ImportError secondaries would not notice the new zone */
function signedSerial(
  { serial }: ZoneFileContents['soa'],
  zone: Zone,
  difference: RunDifference,
): number {
  const isSame = isEmpty(difference) && serial === zone.serial
  if (isSame || isNewerSerial(serial, zone.serial)) return serial
  throw new ImportError(
    `The serial ${serial} is not newer than ${zone.serial}: sign the zone with a newer one.`,
  )
}

/** Comes last: packed recordsets stay packed until one of them is looked up.
 *  @throws ZoneFileError a zone below this one answers for a name */
function insertAdded(
  tx: Transaction,
  zone: Zone,
  { contents, difference }: Pick<Replacing, 'contents'> & { readonly difference: RunDifference },
): void {
  let first = 0
  for (const run of difference.addedRuns) {
    const from = first
    const lineAt = (i: number) => lineOf(contents.packed, difference.added[from + i] as number)
    insertPacked(tx, zone, { run, lineAt })
    first += countOf(run)
  }
}
