import { createHash, timingSafeEqual } from 'node:crypto'
import { ApiError } from '../../errors.ts'
import type { Caller } from '../../identity/caller.ts'
import { changedRow, newStamp } from '../../model/stamped.ts'
import type { Zone } from '../../model/zone.ts'
import type { ZoneTransferAccept } from '../../model/zone-transfer-accept.ts'
import type { ZoneTransferRequest } from '../../model/zone-transfer-request.ts'
import type { Store, Transaction } from '../../store/store.ts'
import { Tasks } from '../listing/tasks.ts'
import { requireRoomForSignedZone, requireRoomForZone } from '../rules/quotas.ts'
import { findShare } from '../rules/zone-access.ts'
import { getTransferRequest } from './zone-transfer-requests.ts'

/** The fields of a new acceptance. */
export type ZoneTransferAcceptDraft = {
  readonly zoneTransferRequestId: string
  readonly key: string
}

/** Acceptances of offered zones: each is a zone that has changed owners. */
export class ZoneTransferAccepts extends Tasks<'zoneTransferAccepts'> {
  constructor(store: Store) {
    super(store, 'zoneTransferAccepts')
  }

  /** Makes the caller's project the owner of the zone. Recordsets belong to the zone, so only the zone's row
   *  changes.
   *  @throws ApiError zone_transfer_request_not_found, forbidden, invalid_zone_transfer_request, invalid_key,
   *  bad_request, over_quota */
  create(caller: Caller, draft: ZoneTransferAcceptDraft): Promise<ZoneTransferAccept> {
    return this.store.commit(tx => {
      const { request, zone } = getTransferRequest(tx, caller, draft.zoneTransferRequestId)
      requireUsable(request, draft.key)
      if (zone.isDeleting) throw new ApiError('bad_request', 'The zone is being deleted')
      // A project that accepts its own offer has the zone already.
      if (zone.projectId !== caller.projectId) {
        requireRoomForZone(tx, caller.projectId)
        if (zone.dnssec !== undefined) requireRoomForSignedZone(tx, caller.projectId)
      }
      handOver(tx, zone, caller.projectId)
      tx.put('zoneTransferRequests', changedRow(tx, request, { status: 'COMPLETE' }))
      return this.add(tx, {
        ...newStamp(tx),
        zoneTransferRequestId: request.id,
        zoneId: zone.id,
        projectId: caller.projectId,
      })
    })
  }
}

/** @throws ApiError invalid_zone_transfer_request it was accepted before; invalid_key */
function requireUsable(request: ZoneTransferRequest, key: string): void {
  if (request.status !== 'ACTIVE') {
    const message = 'The zone transfer request has been used'
    throw new ApiError('invalid_zone_transfer_request', message)
  }
  // Hashes have the same length, and comparing them does not reveal where the keys begin to differ.
  if (timingSafeEqual(digestOf(key), digestOf(request.key))) return
  throw new ApiError('invalid_key', 'Key does not match stored key for request')
}

function digestOf(key: string): Buffer {
  return createHash('sha256').update(key).digest()
}

function handOver(tx: Transaction, zone: Zone, projectId: string): void {
  // Drops the former owner's rules for updates.
  const { updateRules: _, ...rest } = zone
  tx.put('zones', changedRow<Zone>(tx, rest, { projectId }))
  // An owner has no share in its own zone; the recordsets it created through the share become the zone's.
  const share = findShare(tx, projectId, zone)
  if (share !== undefined) tx.delete('zoneShares', share.id)
}
