import { ApiError } from '../../errors.ts'
import { type Caller, reachesProject } from '../../identity/caller.ts'
import { addressTypes, isAliasAddress } from '../../model/alias.ts'
import { requireValid } from '../../model/field-rules.ts'
import { canonicalOwnerName } from '../../model/owner-name.ts'
import { quote } from '../../model/quote.ts'
import { withRecords } from '../../model/record-marks.ts'
import { checkRecords } from '../../model/record-values.ts'
import type { Recordset } from '../../model/recordset.ts'
import {
  type RecordsetDraft,
  type RecordsetPatch,
  recordsetDraftErrors,
  recordsetPatchErrors,
} from '../../model/recordset-draft.ts'
import { changedRow, newStamp } from '../../model/stamped.ts'
import { isWrittenElsewhere, type Zone } from '../../model/zone.ts'
import type { StoreReader, Transaction } from '../../store/store.ts'
import { findRecordsetOf } from '../rules/find-recordset.ts'
import { requireLeastTtl } from '../rules/least-ttl.ts'
import { requireNameForZone, requireSound } from '../rules/placement.ts'
import { requireRoomForRecords, requireRoomForRecordset } from '../rules/quotas.ts'
import { findShare } from '../rules/zone-access.ts'

// Writes recordsets of a zone that has been found writable, under all rules that depend on the zone. The caller calls
// `advanceZone` afterwards.

/** A caller and the zone that it changes. */
export type RecordsetChange = {
  readonly caller: Caller
  readonly zone: Zone
  readonly minTtlSeconds: number | undefined
}

/** A new recordset, its own fields checked. */
export type NewRecordset = RecordsetDraft & Pick<Recordset, 'recordMarks'>

/** Changes of a recordset, its own fields checked. Values without marks take those of the former values. */
export type RecordsetChanges = Partial<
  Pick<Recordset, 'ttlSeconds' | 'description' | 'records' | 'recordMarks'>
>

/** A new recordset with valid fields of its own, without duplicate records.
 *  @throws ApiError invalid_object */
export function checkedDraft(
  { takesHostNamesOnly = false }: Caller,
  given: RecordsetDraft,
): RecordsetDraft {
  const draft = takesHostNamesOnly ? given : { ...given, name: canonicalOwnerName(given.name) }
  requireValid('recordset', recordsetDraftErrors(draft, takesHostNamesOnly ? 'host' : 'any'))
  return { ...draft, records: checkRecords(draft.type, draft.records).records }
}

/** The changes that a valid patch makes to a recordset.
 *  @throws ApiError invalid_object */
export function checkedPatch(before: Recordset, patch: RecordsetPatch): RecordsetChanges {
  requireValid('recordset', recordsetPatchErrors(before, patch))
  const { ttlSeconds = before.ttlSeconds, description = before.description } = patch
  if (patch.records === undefined) return { ttlSeconds, description }
  return { ttlSeconds, description, records: checkRecords(before.type, patch.records).records }
}

/** @throws ApiError bad_request, over_quota, invalid_ttl, invalid_recordset_location, duplicate_recordset */
export function putNewRecordset(
  tx: Transaction,
  { caller, zone, minTtlSeconds }: RecordsetChange,
  draft: NewRecordset,
): Recordset {
  requireNotSoa(draft.type)
  requireRoomForRecordset(tx, zone)
  requireLeastTtl(caller, draft.ttlSeconds, minTtlSeconds)
  requireNameForZone(tx, zone, draft)
  requireNew(tx, zone, draft)
  requireSound(tx, zone, draft)
  requireRoomForRecords(tx, zone, { before: 0, after: draft.records.length })
  const own = { ...draft, zoneId: zone.id, isManaged: false }
  return tx.put('recordsets', { ...newStamp(tx), ...own, ...shareOf(tx, caller, zone) })
}

/** @throws ApiError invalid_ttl, invalid_recordset_location, over_quota; bad_request it holds more records than
 *  its type may have */
export function putChangedRecordset(
  tx: Transaction,
  { caller, zone, minTtlSeconds, before }: RecordsetChange & { readonly before: Recordset },
  changes: RecordsetChanges,
): Recordset {
  requireLeastTtl(caller, changes.ttlSeconds, minTtlSeconds)
  const changed = changedRow(tx, before, { ...changes, ...contentsAfter(tx, before, changes) })
  requireSound(tx, zone, changed)
  const counts = { before: before.records.length, after: changed.records.length }
  if (!changed.isManaged) requireRoomForRecords(tx, zone, counts)
  return tx.put('recordsets', changed)
}

/** Deletes a recordset, an ALIAS together with the addresses that it is answered as: no crash leaves those behind, and the same
 *  change may give the name others. */
export function deleteRecordset(
  tx: Transaction,
  zone: Zone,
  { id, name, type }: Pick<Recordset, 'id' | 'name' | 'type'>,
): void {
  tx.delete('recordsets', id)
  if (type !== 'ALIAS' || isWrittenElsewhere(zone)) return
  for (const type of addressTypes) {
    const row = findRecordsetOf(tx, zone, { name, type })
    if (row !== undefined && isAliasAddress(row)) tx.delete('recordsets', row.id)
  }
}

/** Refuses changes of recordsets that the server writes. SOA and apex NS of a PRIMARY zone follow the zone and its
 *  pool, for all callers; the names of floating IPs are for callers that request to edit managed records. The
 *  recordsets of a SECONDARY are all its master's, and a caller that may write them at all (getWritableZone) may
 *  write these.
 *  @throws ApiError bad_request */
export function requireNotManaged(
  { caller, zone }: Pick<RecordsetChange, 'caller' | 'zone'>,
  { type, isManaged }: Recordset,
  done: 'updated' | 'deleted',
): void {
  requireNotSoa(type)
  if (!isManaged || isWrittenElsewhere(zone)) return
  if (!caller.mayEditManagedRecords) {
    throw new ApiError('bad_request', `Managed records may not be ${done}`)
  }
  if (type === 'NS') {
    throw new ApiError(
      'bad_request',
      `The NS recordset of a zone is its pool’s and may not be ${done}`,
    )
  }
}

function contentsAfter(
  tx: Transaction,
  before: Recordset,
  { records, recordMarks }: RecordsetChanges,
): Partial<Recordset> {
  if (records === undefined || recordMarks !== undefined) return {}
  return withRecords(before, records, tx.atMicros)
}

/** The SOA is written by the server with every change. */
function requireNotSoa(type: string): void {
  if (type === 'SOA') throw new ApiError('bad_request', 'SOA recordsets are managed by the server')
}

function requireNew(reader: StoreReader, zone: Zone, draft: RecordsetDraft): void {
  if (findRecordsetOf(reader, zone, draft) === undefined) return
  const { name, type } = draft
  throw new ApiError('duplicate_recordset', `Duplicate RecordSet: ${type} at ${quote(name)} exists`)
}

/** The share of the project that creates a recordset, where that is not the zone's own project. */
function shareOf(reader: StoreReader, caller: Caller, zone: Zone): Pick<Recordset, 'shareId'> {
  if (reachesProject(caller, zone.projectId)) return {}
  const share = findShare(reader, caller.projectId, zone)
  return share === undefined ? {} : { shareId: share.id }
}
