import { ApiError, refuseMissing } from '../../errors.ts'
import { type Caller, reachesProject } from '../../identity/caller.ts'
import { quote } from '../../model/quote.ts'
import { newStamp } from '../../model/stamped.ts'
import type { Zone } from '../../model/zone.ts'
import type { ZoneShare } from '../../model/zone-share.ts'
import type { Store, StoreReader } from '../../store/store.ts'
import {
  groupListing,
  type Page,
  type PageRequest,
  pageOf,
  rowListing,
} from '../listing/listing.ts'
import { requireProject } from '../rules/quotas.ts'
import { findShare, getChangeableZone, getOwnZone, getZone } from '../rules/zone-access.ts'

/** A share and its zone. */
export type ShareOfZone = { readonly share: ZoneShare; readonly zone: Zone }

type ZoneSharesOptions = {
  readonly store: Store
  /** Whether all projects are in the store; otherwise another identity service has them. */
  readonly knowsProjects: boolean
}

/** Per zone: another identity service may accept any number of projects, and each share is a row in memory. */
export const maxSharesPerZone = 1000

/** The projects that a zone is shared with. Their rights there are in `zone-access.ts`. */
export class ZoneShares {
  readonly #store: Store
  readonly #knowsProjects: boolean

  constructor({ store, knowsProjects }: ZoneSharesOptions) {
    this.#store = store
    this.#knowsProjects = knowsProjects
  }

  /** @throws ApiError zone_not_found, forbidden, bad_request, invalid_project, duplicate_shared_zone, over_quota */
  create(caller: Caller, zoneId: string, targetProjectId: string): Promise<ShareOfZone> {
    return this.#store.commit(tx => {
      const zone = getChangeableZone(tx, caller, zoneId)
      if (targetProjectId === zone.projectId) {
        throw new ApiError('bad_request', 'A zone cannot be shared with the project that owns it')
      }
      if (this.#knowsProjects) requireProject(tx, targetProjectId)
      if (findShare(tx, targetProjectId, zone) !== undefined) {
        const message = `Duplicate Shared Zone: ${quote(targetProjectId)} has part in it`
        throw new ApiError('duplicate_shared_zone', message)
      }
      if (tx.count('zoneShares', 'byZone', zone.id) >= maxSharesPerZone)
        throw new ApiError('over_quota', `A zone has at most ${maxSharesPerZone} shares`)
      const share = tx.put('zoneShares', { ...newStamp(tx), zoneId: zone.id, targetProjectId })
      return { share, zone }
    })
  }

  /** The zone whose shares the caller asks for.
   *  @throws ApiError zone_not_found */
  zoneOf(caller: Caller, zoneId: string): Zone {
    return getZone(this.#store, caller, zoneId)
  }

  /** Lists the shares of a zone from `zoneOf`: all for its owner, only their own for other projects.
   *  @throws ApiError marker_not_found */
  list(caller: Caller, zone: Zone, request: PageRequest<ZoneShare>): Page<ZoneShare> {
    const own = findShare(this.#store, caller.projectId, zone)
    if (!reachesProject(caller, zone.projectId) && own !== undefined) {
      return pageOf(rowListing([own]), request)
    }
    const group = { index: 'byZone', key: zone.id } as const
    return pageOf(groupListing(this.#store, 'zoneShares', group), request)
  }

  /** @throws ApiError zone_not_found, shared_zone_not_found */
  get(caller: Caller, zoneId: string, id: string): ShareOfZone {
    const zone = getZone(this.#store, caller, zoneId)
    const share = getShare(this.#store, zone, id)
    const isSeen = [zone.projectId, share.targetProjectId].some(projectId =>
      reachesProject(caller, projectId),
    )
    if (!isSeen) refuseMissing('shared_zone_not_found')
    return { share, zone }
  }

  /** @throws ApiError zone_not_found, forbidden, shared_zone_not_found, shared_zone_has_recordsets */
  delete(caller: Caller, zoneId: string, id: string): Promise<void> {
    return this.#store.commit(tx => {
      const share = getShare(tx, getOwnZone(tx, caller, zoneId), id)
      if (tx.count('recordsets', 'byShare', id) > 0) {
        const message = `${quote(share.targetProjectId)} still has recordsets in the zone`
        throw new ApiError('shared_zone_has_recordsets', message)
      }
      tx.delete('zoneShares', id)
    })
  }
}

function getShare(reader: StoreReader, zone: Zone, id: string): ZoneShare {
  const share = reader.get('zoneShares', id)
  return share?.zoneId === zone.id ? share : refuseMissing('shared_zone_not_found')
}
