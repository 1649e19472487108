import { refuseMissing } from '../../errors.ts'
import type { Caller } from '../../identity/caller.ts'
import type { Recordset } from '../../model/recordset.ts'
import type { RecordsetDraft, RecordsetPatch } from '../../model/recordset-draft.ts'
import type { RowVersion } from '../../model/stamped.ts'
import type { Zone } from '../../model/zone.ts'
import { type ResourceState, recordsetState, type TargetReport } from '../../model/zone-state.ts'
import { keyOf } from '../../store/indexes.ts'
import type { Store, StoreReader } from '../../store/store.ts'
import { groupListing, type Page, type PageRequest, pageInSlices } from '../listing/listing.ts'
import { rowPages } from '../listing/row-pages.ts'
import { requireVersion } from '../rules/row-versions.ts'
import type { Targets } from '../rules/targets.ts'
import {
  getRecordset,
  getWritableRecordset,
  getWritableZone,
  getZone,
  isVisible,
  recordsetProject,
} from '../rules/zone-access.ts'
import { advanceZone } from '../rules/zone-rows.ts'
import { pageAcrossZones } from './recordset-listing.ts'
import {
  checkedDraft,
  checkedPatch,
  deleteRecordset,
  putChangedRecordset,
  putNewRecordset,
  requireNotManaged,
} from './recordset-rows.ts'

type RecordsetsOptions = {
  readonly store: Store
  readonly targets: Targets
  /** The minimum TTL; none when not given. */
  readonly minTtlSeconds?: number
}

/** A recordset and the zone it is in. */
export type RecordsetOfZone = {
  readonly recordset: Recordset
  readonly zone: Zone
  /** The project it belongs to: the zone's, or one that the zone is shared with. */
  readonly projectId: string
}

/** The zone and id of a recordset. */
export type RecordsetKey = { readonly zoneId: string; readonly id: string }

/** Returns the state of a recordset at the zone's targets. */
type StateReader = (found: Pick<RecordsetOfZone, 'recordset' | 'zone'>) => ResourceState

/** The recordsets of zones. */
export class Recordsets {
  readonly #options: RecordsetsOptions

  constructor(options: RecordsetsOptions) {
    this.#options = options
  }

  /** @throws ApiError invalid_object, zone_not_found, bad_request, forbidden, over_quota, invalid_ttl,
   *  invalid_recordset_location, duplicate_recordset */
  async create(caller: Caller, zoneId: string, given: RecordsetDraft): Promise<RecordsetOfZone> {
    const draft = checkedDraft(caller, given)
    return this.#options.store.commit(tx => {
      const zone = getWritableZone(tx, caller, zoneId)
      const { minTtlSeconds } = this.#options
      const recordset = putNewRecordset(tx, { caller, zone, minTtlSeconds }, draft)
      return withZone(tx, advanceZone(tx, zone), recordset)
    })
  }

  /** @throws ApiError zone_not_found, recordset_not_found */
  get(caller: Caller, { zoneId, id }: RecordsetKey): RecordsetOfZone {
    const { store } = this.#options
    const zone = getZone(store, caller, zoneId)
    return withZone(store, zone, getRecordset(store, zone, id))
  }

  /** The zone whose recordsets the caller asks for.
   *  @throws ApiError zone_not_found */
  zoneOf(caller: Caller, zoneId: string): Zone {
    return getZone(this.#options.store, caller, zoneId)
  }

  /** A listed recordset with its zone and project; undefined when the zone is gone. */
  found(recordset: Recordset): RecordsetOfZone | undefined {
    const { store } = this.#options
    const zone = store.get('zones', recordset.zoneId)
    return zone && withZone(store, zone, recordset)
  }

  /** Finds a recordset in any zone that the caller may see.
   *  @throws ApiError recordset_not_found */
  find(caller: Caller, id: string): RecordsetOfZone {
    const { store } = this.#options
    const recordset = store.get('recordsets', id)
    const zone = recordset && store.get('zones', recordset.zoneId)
    if (recordset !== undefined && zone !== undefined && isVisible(store, caller, zone)) {
      return withZone(store, zone, recordset)
    }
    return refuseMissing('recordset_not_found')
  }

  /** All recordsets of a zone from `zoneOf` or `Zones.get`, in pages, each read on demand. */
  pages({ id }: Zone): Iterable<readonly Recordset[]> {
    return rowPages(this.#options.store, 'recordsets', { index: 'byZone', key: id })
  }

  /** Lists the caller's recordsets in all zones: those of its own zones, and its own in zones shared with it.
   *  @throws ApiError marker_not_found */
  listAll(
    caller: Caller,
    request: PageRequest<Recordset> & { readonly name: string | undefined },
  ): Promise<Page<Recordset>> {
    return pageAcrossZones(this.#options.store, caller, request)
  }

  /** Lists the recordsets of a zone from `zoneOf`; with `name`, only those of exactly this owner.
   *  @throws ApiError marker_not_found */
  async list(
    { id: zoneId }: Zone,
    { name, ...request }: PageRequest<Recordset> & { readonly name: string | undefined },
  ): Promise<Page<Recordset>> {
    const { store } = this.#options
    const inZone = groupListing(store, 'recordsets', { index: 'byZone', key: zoneId })
    if (name === undefined) return pageInSlices(inZone, request)
    const byOwner = { index: 'byOwner', key: keyOf(zoneId, name.toLowerCase()) } as const
    const ofOwner = groupListing(store, 'recordsets', byOwner)
    return pageInSlices({ ...ofOwner, find: inZone.find }, request)
  }

  /** @throws ApiError zone_not_found, recordset_not_found; bad_request the server keeps it itself */
  requireChangeable(caller: Caller, key: RecordsetKey): void {
    const { zone, recordset } = this.get(caller, key)
    requireNotManaged({ caller, zone }, recordset, 'updated')
  }

  /** @param expected the versions it may have; any when not given
   *  @throws ApiError zone_not_found, recordset_not_found, bad_request, forbidden, precondition_failed,
   *  invalid_object, invalid_ttl, invalid_recordset_location, over_quota */
  async update(
    caller: Caller,
    { zoneId, id }: RecordsetKey,
    patch: RecordsetPatch,
    expected?: readonly RowVersion[],
  ): Promise<RecordsetOfZone> {
    return this.#options.store.commit(tx => {
      const zone = getWritableZone(tx, caller, zoneId)
      const before = getWritableRecordset(tx, caller, { zone, id })
      requireNotManaged({ caller, zone }, before, 'updated')
      requireVersion(before, expected)
      const { minTtlSeconds } = this.#options
      const change = { caller, zone, minTtlSeconds, before }
      const changed = putChangedRecordset(tx, change, checkedPatch(before, patch))
      return withZone(tx, advanceZone(tx, zone), changed)
    })
  }

  /** Returns the recordset as it was.
   *  @param expected the versions it may have; any when not given
   *  @throws ApiError zone_not_found, recordset_not_found, bad_request, forbidden, precondition_failed */
  async delete(
    caller: Caller,
    { zoneId, id }: RecordsetKey,
    expected?: readonly RowVersion[],
  ): Promise<RecordsetOfZone> {
    return this.#options.store.commit(tx => {
      const zone = getWritableZone(tx, caller, zoneId)
      const recordset = getWritableRecordset(tx, caller, { zone, id })
      requireNotManaged({ caller, zone }, recordset, 'deleted')
      requireVersion(recordset, expected)
      deleteRecordset(tx, zone, recordset)
      return withZone(tx, advanceZone(tx, zone), recordset)
    })
  }

  /** The state of a recordset at the zone's targets. */
  stateOf(found: Parameters<StateReader>[0]): ResourceState {
    return this.newStateReader()(found)
  }

  /** Returns a reader for the states of many recordsets, which queries the targets once for each zone. */
  newStateReader(): StateReader {
    const { targets } = this.#options
    const reportsByZone = new Map<Zone, readonly TargetReport[]>()
    return ({ recordset, zone }) => {
      const reports = reportsByZone.get(zone) ?? targets.reportsOf(zone)
      reportsByZone.set(zone, reports)
      return recordsetState(zone, reports, targets.problemOf(recordset))
    }
  }
}

function withZone(reader: StoreReader, zone: Zone, recordset: Recordset): RecordsetOfZone {
  return { recordset, zone, projectId: recordsetProject(reader, recordset, zone) }
}
