import { types } from '../../dns/codes.ts'
import { parseName } from '../../dns/name.ts'
import { requireFound } from '../../errors.ts'
import { isAliasAddress } from '../../model/alias.ts'
import { defaultTtlSeconds } from '../../model/limits.ts'
import {
  type PackedRecordset,
  packedOwner,
  recordsetUnpacker,
} from '../../model/packed-recordset.ts'
import type { Recordset } from '../../model/recordset.ts'
import { rrsetOf } from '../../model/recordset-rrset.ts'
import { type PlacedRecordset, type RecordsetRun, recordsetsOf } from '../../model/recordset-run.ts'
import { isWrittenElsewhere, type Zone } from '../../model/zone.ts'
import type { Store } from '../../store/store.ts'
import { inPieces, TimeSlice } from '../../time-slice.ts'
import type { OwnedRrset } from '../../zone/rrset.ts'
import { printZoneFile } from '../../zone/zone-file/print.ts'
import { type StoredZone, storedRuns } from '../changes/stored-runs.ts'

/** Reads a zone as of one moment and returns its zone file piece by piece, in slices. Until then it is held as a copy of its
 *  octets: as values, a large zone would be garbage whose collection holds up all other work.
 *  @throws ApiError zone_not_found */
export async function zoneText(store: Store, zoneId: string): Promise<AsyncIterable<string>> {
  return storedZoneText(requireFound(await storedRuns(store, zoneId), 'zone_not_found'))
}

/** The zone file of a zone that has been read. */
export async function* storedZoneText({ zone, runs }: StoredZone): AsyncGenerator<string> {
  const lines = printZoneFile(parseName(zone.name), {
    defaultTtlSeconds: zone.ttlSeconds ?? defaultTtlSeconds,
    rrsets: rrsetsOf(zone, inFileOrder(runs, await soaOf(runs))),
  })
  yield* inPieces(lines)
}

function* rrsetsOf(zone: Zone, records: Iterable<PackedRecordset>): Generator<OwnedRrset> {
  for (const record of records) {
    const row = recordsetUnpacker.unpack(record)
    const { rrset } = rrsetOf(row, zone)
    if (rrset !== undefined && !isDerived(row, zone)) yield rrset
  }
}

/** The SOA first, as readers of zone files expect it (RFC 1035 section 5.2); all else by creation. */
function* inFileOrder(
  runs: readonly RecordsetRun[],
  soa: PlacedRecordset | undefined,
): Generator<PackedRecordset> {
  if (soa !== undefined) yield soa
  for (const run of runs) {
    for (const record of recordsetsOf(run)) {
      if (record.words !== soa?.words || record.at !== soa.at) yield record
    }
  }
}

/** It is among the first recordsets of most zones. */
async function soaOf(runs: readonly RecordsetRun[]): Promise<PlacedRecordset | undefined> {
  const slice = new TimeSlice()
  for (const run of runs) {
    for (const record of recordsetsOf(run)) if (isSoa(record)) return record
    if (slice.isSpent) await slice.yield()
  }
  return undefined
}

/** Whether a recordset is derived from an ALIAS, which is in the file itself. */
function isDerived(row: Recordset, zone: Zone): boolean {
  return isAliasAddress(row) && !isWrittenElsewhere(zone)
}

function isSoa(record: PackedRecordset): boolean {
  const type = packedOwner(record)?.type
  return type === undefined ? recordsetUnpacker.unpack(record).type === 'SOA' : type === types.SOA
}
