import { formatRdata, typeMnemonic } from '../dns/rdata/index.ts'
import type { Caller } from '../identity/caller.ts'
import { maxRecords } from '../model/limits.ts'
import { ownerNameText } from '../model/owner-name.ts'
import { distinctRdatas } from '../model/record-values.ts'
import { type RecordsetDraft, recordsetRdataErrors } from '../model/recordset-draft.ts'
import { type RecordsetRun, RunWriter, stampRun } from '../model/recordset-run.ts'
import type { Stamped } from '../model/stamped.ts'
import type { Zone } from '../model/zone.ts'
import type { Transaction } from '../store/store.ts'
import { TimeSlice } from '../time-slice.ts'
import { octetsOfRrset } from '../zone/rrset-octets.ts'
import type { FileRrset } from './file-rrsets.ts'
import { ImportError, importMessage, malformed } from './import-error.ts'
import { requireLeastTtl } from './least-ttl.ts'
import { requireNameForZone } from './placement.ts'
import { runRecordsets } from './step-commits.ts'
import type { ZoneFileContents } from './zone-file-contents.ts'
import { newStamps } from './zone-rows.ts'
import { hasChildZones } from './zone-tree.ts'

/** A record set of a file, as it would be created one by one. */
export type ImportRecordset = RecordsetDraft & { readonly line: number }

/** Record sets of a file that are written together. */
export type ImportStep = {
  /** Their numbers in the file. */
  readonly numbers: Uint32Array
  readonly run: RecordsetRun
}

/** What the rules depend on beside the file. */
export type ImportRules = { readonly caller: Caller; readonly minTtlSeconds: number }

/** With so many records a step is large enough, however few record sets they are. */
const stepRecords = 2000

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
    const rrset = namedRrset(contents.rrsetAt(number))
    const error = recordsetRdataErrors(rrset).find(finding => finding !== undefined)
    if (error !== undefined) throw refusal(rrset, error.message)
    checkAt(rrset, () => requireLeastTtl(caller, rrset.ttlSeconds, minTtlSeconds))
    const { length } = rrset.rdatas
    records += length
    recordsetRecords = Math.max(recordsetRecords, length)
    if (slice.isSpent) await slice.rest()
  }
  return { recordsets: contents.numbers.length, records, recordsetRecords }
}

/** The record sets of a file that has been checked, in steps, each made when it is asked for; at least one step. */
export function* importSteps(contents: ZoneFileContents): Generator<ImportStep> {
  const { numbers } = contents
  const writer = new RunWriter()
  let first = 0
  let records = 0
  for (let next = 0; next < numbers.length; next += 1) {
    if (next - first === runRecordsets || records >= stepRecords) {
      yield { numbers: numbers.subarray(first, next), run: writer.take() }
      first = next
      records = 0
    }
    const { owner, type, hasTtl, ttlSeconds, rdatas } = contents.rrsetAt(numbers[next] as number)
    const distinct = distinctRdatas(type, rdatas)
    records += distinct.length
    const rrset = octetsOfRrset(owner, { type, ttlSeconds, rdatas: distinct })
    writer.addRrset(rrset, { isManaged: false, ttlSeconds: hasTtl ? ttlSeconds : null })
  }
  yield { numbers: numbers.subarray(first), run: writer.take() }
}

/** Writes record sets of a zone that nobody else may write to yet.
 *  @throws ImportError a zone below this one answers for a name */
export function insertImported(
  tx: Transaction,
  zone: Zone,
  { contents, step }: { readonly contents: ZoneFileContents; readonly step: ImportStep },
): void {
  if (hasChildZones(tx, zone)) {
    for (const number of step.numbers) {
      const rrset = namedRrset(contents.rrsetAt(number))
      checkAt(rrset, () => requireNameForZone(tx, zone, rrset))
    }
  }
  stampRun(step.run, { zoneId: zone.id, createdAt: tx.atMicros })
  tx.insertRecordsets(step.run)
}

/** Writes record sets that are new in a zone.
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
export function importedRecordset(rrset: FileRrset): ImportRecordset {
  const { rdatas, ...named } = namedRrset(rrset)
  const records = rdatas.map(rdata => formatRdata(rrset.type, rdata))
  return { ...named, records, description: null }
}

/** An RRset of a file under the name that a record set has, its records each once.
 *  @throws ImportError it has more records than a record set may have */
function namedRrset({ line, owner, type: code, hasTtl, ttlSeconds, rdatas }: FileRrset) {
  const name = ownerNameText(owner)
  const type = typeMnemonic(code)
  if (rdatas.length > maxRecords) {
    const problem = `${name} ${type} has ${rdatas.length} records, at most ${maxRecords} fit`
    throw refusal({ line }, problem)
  }
  const own = { name, type, ttlSeconds: hasTtl ? ttlSeconds : null }
  return { line, ...own, rdatas: distinctRdatas(code, rdatas) }
}

/** Makes a refusal one of the line that the record set is from. */
function checkAt(recordset: { readonly line: number }, check: () => void): void {
  try {
    check()
  } catch (error) {
    const problem = importMessage(error)
    throw problem === undefined ? error : refusal(recordset, problem)
  }
}

function refusal({ line }: { readonly line: number }, problem: string): ImportError {
  return new ImportError(malformed(`line ${line}: ${problem}`))
}
