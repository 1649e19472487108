import { randomInt } from 'node:crypto'
import { ApiError, requireFound } from '../../errors.ts'
import { type Caller, isAdmin, reachesProject } from '../../identity/caller.ts'
import { immutableError, requireValid } from '../../model/field-rules.ts'
import { changedRow, newStamp } from '../../model/stamped.ts'
import type { Zone } from '../../model/zone.ts'
import {
  newTransferKey,
  type ZoneTransferRequest,
  type ZoneTransferRequestDraft,
  type ZoneTransferRequestPatch,
} from '../../model/zone-transfer-request.ts'
import { everything } from '../../store/indexes.ts'
import type { Store, StoreReader, Transaction } from '../../store/store.ts'
import { groupListing, type Page, type PageRequest, pageOf } from '../listing/listing.ts'
import { getChangeableZone } from '../rules/zone-access.ts'

/** A request as a caller sees it. */
export type SeenTransferRequest = {
  readonly request: ZoneTransferRequest
  readonly zone: Zone
  /** Whether the caller may see all of it, above all the key. */
  readonly isOwn: boolean
}

/** Offers of zones to other projects. */
export class ZoneTransferRequests {
  readonly #store: Store

  constructor(store: Store) {
    this.#store = store
  }

  /** @throws ApiError zone_not_found, forbidden, bad_request, duplicate_zone_transfer_request */
  create(
    caller: Caller,
    zoneId: string,
    draft: ZoneTransferRequestDraft,
  ): Promise<SeenTransferRequest> {
    return this.#store.commit(tx => {
      const zone = getChangeableZone(tx, caller, zoneId)
      if (tx.find('zoneTransferRequests', 'byOfferedZone', zone.id) !== undefined) {
        const message = 'Duplicate Zone Transfer Request: the zone is offered already'
        throw new ApiError('duplicate_zone_transfer_request', message)
      }
      makeRoomForRequest(tx, zone.id)
      const request: ZoneTransferRequest = {
        ...newStamp(tx),
        ...draft,
        zoneId: zone.id,
        projectId: zone.projectId,
        key: newTransferKey(randomInt),
        status: 'ACTIVE',
      }
      tx.put('zoneTransferRequests', request)
      return { request, zone, isOwn: true }
    })
  }

  /** A request without a target is for any caller that knows its id. Administrators see all requests.
   *  @throws ApiError zone_transfer_request_not_found; forbidden it is for another project */
  get(caller: Caller, id: string): SeenTransferRequest {
    const getRequest = isAdmin(caller) ? getAnyTransferRequest : getTransferRequest
    return getRequest(this.#store, caller, id)
  }

  /** Lists the offers of the caller's project, and those made to it alone.
   *  @throws ApiError marker_not_found */
  list(caller: Caller, request: PageRequest<ZoneTransferRequest>): Page<ZoneTransferRequest> {
    const { hasAllProjects, projectId } = caller
    const group = hasAllProjects
      ? ({ index: 'all', key: everything } as const)
      : ({ index: 'byViewer', key: projectId } as const)
    return pageOf(groupListing(this.#store, 'zoneTransferRequests', group), request)
  }

  /** A listed request with its zone; undefined when the zone is gone. */
  seen(caller: Caller, request: ZoneTransferRequest): SeenTransferRequest | undefined {
    return seenBy(this.#store, caller, request)
  }

  /** @throws ApiError zone_transfer_request_not_found, forbidden, invalid_object */
  update(
    caller: Caller,
    id: string,
    patch: ZoneTransferRequestPatch,
  ): Promise<SeenTransferRequest> {
    return this.#store.commit(tx => {
      const seen = getOwnTransferRequest(tx, caller, id)
      requireValid('zone_transfer_request', patchErrors(seen.request, patch))
      const { description = seen.request.description } = patch
      const request = tx.put('zoneTransferRequests', changedRow(tx, seen.request, { description }))
      return { ...seen, request }
    })
  }

  /** @throws ApiError zone_transfer_request_not_found, forbidden */
  delete(caller: Caller, id: string): Promise<void> {
    return this.#store.commit(tx => {
      getOwnTransferRequest(tx, caller, id)
      tx.delete('zoneTransferRequests', id)
    })
  }
}

/** How many requests of a zone are kept: the newest. */
export const maxRequestsPerZone = 100

/** Removes the oldest requests of a zone that are too many when one is added; none of them is active. */
function makeRoomForRequest(tx: Transaction, zoneId: string): void {
  const requests = [...tx.list('zoneTransferRequests', 'byZone', zoneId)]
  const excess = Math.max(0, requests.length + 1 - maxRequestsPerZone)
  for (const { id } of requests.slice(0, excess)) tx.delete('zoneTransferRequests', id)
}

/** A request that the caller's project made or may accept.
 *  @throws ApiError zone_transfer_request_not_found; forbidden it is for another project */
export function getTransferRequest(
  reader: StoreReader,
  caller: Caller,
  id: string,
): SeenTransferRequest {
  const seen = getAnyTransferRequest(reader, caller, id)
  const { targetProjectId } = seen.request
  if (seen.isOwn || targetProjectId === null || targetProjectId === caller.projectId) return seen
  throw new ApiError('forbidden', 'The zone is offered to another project')
}

/** @throws ApiError zone_transfer_request_not_found */
function getAnyTransferRequest(
  reader: StoreReader,
  caller: Caller,
  id: string,
): SeenTransferRequest {
  const request = reader.get('zoneTransferRequests', id)
  const seen = request && seenBy(reader, caller, request)
  return requireFound(seen, 'zone_transfer_request_not_found')
}

/** @throws ApiError zone_transfer_request_not_found; forbidden another project made it */
function getOwnTransferRequest(
  reader: StoreReader,
  caller: Caller,
  id: string,
): SeenTransferRequest {
  const seen = getTransferRequest(reader, caller, id)
  if (seen.isOwn) return seen
  throw new ApiError('forbidden', 'The zone is offered by another project')
}

function seenBy(
  reader: StoreReader,
  caller: Caller,
  request: ZoneTransferRequest,
): SeenTransferRequest | undefined {
  const zone = reader.get('zones', request.zoneId)
  return zone && { request, zone, isOwn: reachesProject(caller, request.projectId) }
}

function patchErrors(request: ZoneTransferRequest, patch: ZoneTransferRequestPatch) {
  const { zoneId, targetProjectId } = request
  return [
    immutableError('zone_id', { sent: patch.zoneId, stored: zoneId }),
    immutableError('target_project_id', { sent: patch.targetProjectId, stored: targetProjectId }),
  ]
}
