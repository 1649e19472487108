import { formatRdata, typeMnemonic } from '../dns/rdata/index.ts'
import type { Caller } from '../identity/caller.ts'
import { maxRecords } from '../model/limits.ts'
import { ownerNameText } from '../model/owner-name.ts'
import { checkRecords, mayDifferInCase } from '../model/record-values.ts'
import { type RecordsetDraft, recordsetDraftErrors } from '../model/recordset-draft.ts'
import type { Stamped } from '../model/stamped.ts'
import type { Zone } from '../model/zone.ts'
import type { Transaction } from '../store/store.ts'
import { TimeSlice } from '../time-slice.ts'
import type { FileRrset } from './file-rrsets.ts'
import { ImportError, importMessage, malformed } from './import-error.ts'
import { requireLeastTtl } from './least-ttl.ts'
import { requireNameForZone } from './placement.ts'
import { stepRecordsets } from './step-commits.ts'
import type { ZoneFileContents } from './zone-file-contents.ts'
import { newStamps } from './zone-rows.ts'

/** A record set of a file, as it would be created one by one. */
export type ImportRecordset = RecordsetDraft & { readonly line: number }

/** What the rules depend on beside the file. */
export type ImportRules = { readonly caller: Caller; readonly minTtlSeconds: number }

/** With so many records a step is large enough, however few record sets they are. */
const stepRecords = 500

/** What a file comes to. */
export type ImportSize = {
  readonly recordsets: number
  readonly records: number
  /** Of the largest record set. */
  readonly recordsetRecords: number
}

/** Holds all record sets of a file against the rules for those that are created one by one, in slices.
 *  @throws ImportError one that could not be created */
export async function checkRecordsets(
  contents: ZoneFileContents,
  { caller, minTtlSeconds }: ImportRules,
): Promise<ImportSize> {
  let records = 0
  let recordsetRecords = 0
  const slice = new TimeSlice()
  for (const number of contents.numbers) {
    const recordset = importedRecordset(contents.rrsetAt(number))
    const error = recordsetDraftErrors(recordset).find(finding => finding !== undefined)
    if (error !== undefined) throw refusal(recordset, error.message)
    checkAt(recordset, () => requireLeastTtl(caller, recordset.ttlSeconds, minTtlSeconds))
    records += recordset.records.length
    recordsetRecords = Math.max(recordsetRecords, recordset.records.length)
    if (slice.isSpent) await slice.rest()
  }
  return { recordsets: contents.numbers.length, records, recordsetRecords }
}

/** The record sets of a file that has been checked, in steps, each made when it is asked for; at least one step. */
export function* importSteps(contents: ZoneFileContents): Generator<readonly ImportRecordset[]> {
  let step: ImportRecordset[] = []
  let records = 0
  for (const number of contents.numbers) {
    if (step.length === stepRecordsets || records >= stepRecords) {
      yield step
      step = []
      records = 0
    }
    const recordset = importedRecordset(contents.rrsetAt(number))
    step.push(recordset)
    records += recordset.records.length
  }
  yield step
}

/** Writes record sets of a zone that nobody else may write to yet.
 *  @throws ImportError a zone below this one answers for a name */
export function putImported(
  tx: Transaction,
  zone: Zone,
  recordsets: readonly ImportRecordset[],
): void {
  const stamps = newStamps(tx, recordsets.length)
  for (const [i, recordset] of recordsets.entries()) {
    checkAt(recordset, () => requireNameForZone(tx, zone, recordset))
    const { line: _, ...draft } = recordset
    tx.put('recordsets', { ...(stamps[i] as Stamped), ...draft, zoneId: zone.id, isManaged: false })
  }
}

/** An RRset of a file as a record set.
 *  @throws ImportError it has more records than a record set may have */
export function importedRecordset({
  line,
  owner,
  type,
  hasTtl,
  ttlSeconds,
  rdatas,
}: FileRrset): ImportRecordset {
  const name = ownerNameText(owner)
  const mnemonic = typeMnemonic(type)
  if (rdatas.length > maxRecords) {
    const problem = `${name} ${mnemonic} has ${rdatas.length} records, at most ${maxRecords} fit`
    throw refusal({ line }, problem)
  }
  const values = rdatas.map(rdata => formatRdata(type, rdata))
  // What differs in the case of a name only is one record.
  const mayRepeat = values.length > 1 && mayDifferInCase(type)
  const records = mayRepeat ? checkRecords(mnemonic, values).records : values
  const own = { name, type: mnemonic, ttlSeconds: hasTtl ? ttlSeconds : null, records }
  return { line, ...own, description: null }
}

/** Makes a refusal one of the line that the record set is from. */
function checkAt(recordset: ImportRecordset, check: () => void): void {
  try {
    check()
  } catch (error) {
    const problem = importMessage(error)
    throw problem === undefined ? error : refusal(recordset, problem)
  }
}

function refusal({ line }: Pick<ImportRecordset, 'line'>, problem: string): ImportError {
  return new ImportError(malformed(`line ${line}: ${problem}`))
}
