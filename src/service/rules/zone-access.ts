import { ApiError, refuseMissing, requireFound } from '../../errors.ts'
import { type Caller, reachesProject } from '../../identity/caller.ts'
import { requireAllowed } from '../../identity/policy.ts'
import type { Recordset } from '../../model/recordset.ts'
import type { Zone } from '../../model/zone.ts'
import type { ZoneShare } from '../../model/zone-share.ts'
import { keyOf } from '../../store/indexes.ts'
import type { StoreReader } from '../../store/store.ts'

// Checks the owner of a zone, its shares and its state. A zone that the caller neither owns nor shares is reported as
// not found, so that ids cannot be probed.

/** A zone that the caller owns or that is shared with it.
 *  @throws ApiError zone_not_found */
export function getZone(reader: StoreReader, caller: Caller, id: string): Zone {
  const zone = requireFound(reader.get('zones', id), 'zone_not_found')
  return isVisible(reader, caller, zone) ? zone : refuseMissing('zone_not_found')
}

/** As `getZone`, of the zones that the older API knows.
 *  @throws ApiError zone_not_found: also where it is a SECONDARY, or being deleted */
export function getPrimaryZone(reader: StoreReader, caller: Caller, id: string): Zone {
  const zone = getZone(reader, caller, id)
  return isPrimaryInUse(zone) ? zone : refuseMissing('zone_not_found')
}

/** Whether a zone is one that the older API knows. */
export function isPrimaryInUse({ type, isDeleting }: Zone): boolean {
  return type === 'PRIMARY' && !isDeleting
}

/** A zone that the caller owns: projects that it is shared with cannot do anything to the zone as a whole.
 *  @throws ApiError zone_not_found; forbidden it is another project's that shares it */
export function getOwnZone(reader: StoreReader, caller: Caller, id: string): Zone {
  const zone = getZone(reader, caller, id)
  if (reachesProject(caller, zone.projectId)) return zone
  throw new ApiError('forbidden', 'The zone is shared with this project and belongs to another')
}

/** As `getOwnZone`, for a change.
 *  @throws ApiError zone_not_found, forbidden; bad_request it is being deleted, or imported */
export function getChangeableZone(reader: StoreReader, caller: Caller, id: string): Zone {
  return requireChangeable(getOwnZone(reader, caller, id))
}

/** As `getZone`, for a change of its recordsets; those of a SECONDARY are its master's.
 *  @throws ApiError zone_not_found; bad_request it is being deleted, or was signed elsewhere; forbidden */
export function getWritableZone(reader: StoreReader, caller: Caller, id: string): Zone {
  const zone = requireNotPresigned(requireChangeable(getZone(reader, caller, id)))
  if (zone.type === 'SECONDARY') requireMayWriteSecondary(caller)
  return zone
}

/** Refuses changes of a zone that was signed elsewhere: its signatures would not cover them.
 *  @throws ApiError bad_request */
export function requireNotPresigned(zone: Zone): Zone {
  if (zone.isPresigned !== true) return zone
  throw new ApiError(
    'bad_request',
    'The zone was signed elsewhere, and its signatures would not cover the change: sign the changed zone there, and ' +
      'import its file with replace=true. A file without signatures makes it a zone that can be changed here',
  )
}

/** @throws ApiError forbidden */
function requireMayWriteSecondary(caller: Caller): void {
  if (caller.keepsSecondariesReadOnly) {
    const message =
      'The recordsets of a SECONDARY zone are read-only: they are its master’s, and each transfer replaces them'
    throw new ApiError('forbidden', message)
  }
  requireAllowed(caller, 'write_secondary_recordset')
}

/** @throws ApiError recordset_not_found: also when it is in another zone */
export function getRecordset(reader: StoreReader, zone: Zone, id: string): Recordset {
  const recordset = reader.get('recordsets', id)
  return recordset?.zoneId === zone.id ? recordset : refuseMissing('recordset_not_found')
}

/** As `getRecordset`, for a change: the zone's owner may change all recordsets, other projects those that they
 *  created.
 *  @throws ApiError recordset_not_found; forbidden it is not the caller's */
export function getWritableRecordset(
  reader: StoreReader,
  caller: Caller,
  { zone, id }: { readonly zone: Zone; readonly id: string },
): Recordset {
  const recordset = getRecordset(reader, zone, id)
  const isReached =
    reachesProject(caller, zone.projectId) ||
    reachesProject(caller, recordsetProject(reader, recordset, zone))
  if (isReached) return recordset
  throw new ApiError('forbidden', 'The recordset belongs to another project')
}

/** The project that a recordset belongs to. */
export function recordsetProject(
  reader: StoreReader,
  { shareId }: Recordset,
  { projectId }: Zone,
): string {
  if (shareId === undefined) return projectId
  return reader.get('zoneShares', shareId)?.targetProjectId ?? projectId
}

/** The share that gives a project access to a zone. */
export function findShare(
  reader: StoreReader,
  projectId: string,
  zone: Pick<Zone, 'id'>,
): ZoneShare | undefined {
  return reader.find('zoneShares', 'byZoneAndTarget', keyOf(zone.id, projectId))
}

/** Whether the caller owns a zone or has a share in it; abandoned zones have no owner. */
export function isVisible(reader: StoreReader, caller: Caller, zone: Zone): boolean {
  if (zone.isAbandoned) return false
  if (reachesProject(caller, zone.projectId)) return true
  return findShare(reader, caller.projectId, zone) !== undefined
}

function requireChangeable(zone: Zone): Zone {
  if (zone.isDeleting) throw new ApiError('bad_request', 'The zone is being deleted')
  if (zone.isImporting) throw new ApiError('bad_request', 'The zone is being imported')
  return zone
}
