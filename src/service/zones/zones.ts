import type { TransferReason } from '../../cluster/cluster.ts'
import { ApiError, refuseMissing, requireFound } from '../../errors.ts'
import { type Caller, reachesProject } from '../../identity/caller.ts'
import { isAllowed, requireAllowed } from '../../identity/policy.ts'
import type { ChangeSet } from '../../model/change-set.ts'
import { requireValid } from '../../model/field-rules.ts'
import { defaultTtlSeconds } from '../../model/limits.ts'
import { masterErrors, parseMaster, refusedMaster } from '../../model/masters.ts'
import type { NamedBy, OutboundAddresses } from '../../model/outbound-address.ts'
import {
  defaultPoolId,
  nsRecordsInOrder,
  type Pool,
  type StoredNsRecord,
} from '../../model/pool.ts'
import { quote } from '../../model/quote.ts'
import { dueAtOnce } from '../../model/refresh.ts'
import { changedRow, type RowVersion } from '../../model/stamped.ts'
import { isComplete, newTransferState, type Status, type Zone } from '../../model/zone.ts'
import {
  changedAttributes,
  type ZoneDraft,
  type ZonePatch,
  zoneDraftErrors,
  zoneFieldErrors,
  zonePatchErrors,
} from '../../model/zone-draft.ts'
import { type Audience, type ResourceState, zoneState } from '../../model/zone-state.ts'
import { everything } from '../../store/indexes.ts'
import type { Store, StoreReader, Transaction } from '../../store/store.ts'
import type { ChangeSets } from '../changes/change-sets.ts'
import {
  type Listing,
  type Page,
  type PageRequest,
  pageInSlices,
  requireMarker,
} from '../listing/listing.ts'
import { pagesOf } from '../listing/row-pages.ts'
import { requireMayBeCatalog, requireMayGroup } from '../rules/catalog-rules.ts'
import { continuedSerial } from '../rules/last-serials.ts'
import { requireLeastTtl } from '../rules/least-ttl.ts'
import { requireRoomForZone } from '../rules/quotas.ts'
import { requireVersion } from '../rules/row-versions.ts'
import type { Targets, ZoneAnswers } from '../rules/targets.ts'
import {
  getChangeableZone,
  getOwnZone,
  getPrimaryZone,
  getZone,
  isPrimaryInUse,
  requireNotPresigned,
} from '../rules/zone-access.ts'
import { requireAllowedName } from '../rules/zone-name-rules.ts'
import {
  advanceZone,
  type GivenSoa,
  putDeleting,
  putNewZone,
  rewriteApex,
  withdrawAbandoned,
} from '../rules/zone-rows.ts'
import {
  requireDelegation,
  requireMovable,
  requireNewInPool,
  requireNoChildren,
  requireOwnNameSpace,
} from '../rules/zone-tree.ts'
import { zonesOf, zonesOfName } from './zone-listing.ts'
import { promoteZone } from './zone-promotion.ts'
import { deleteBelongings, type ZoneRemoval } from './zone-removal.ts'

type ZonesOptions = {
  readonly store: Store
  readonly targets: Targets
  readonly removal: ZoneRemoval
  readonly changeSets: Pick<ChangeSets, 'writeIn'>
  /** The minimum TTL; none when not given. */
  readonly minTtlSeconds?: number
  /** The addresses that masters may have. */
  readonly outboundAddresses: Pick<OutboundAddresses, 'problemOfHost'>
  readonly answersOf: (zone: Zone) => ZoneAnswers
  /** Called with each SECONDARY zone that gets masters, once that is durable, and with each whose owner requests a
   *  transfer, so that it is transferred at once and not in the next round. */
  readonly onTransferWanted: (zone: Zone, reason?: TransferReason) => void
  /** Called when a removal in the background fails; it is retried later. */
  readonly onRemovalFailed: (zone: Zone, error: unknown) => void
}

/** Zones: who may have which, and the operations on them. */
export class Zones {
  readonly #options: ZonesOptions

  constructor(options: ZonesOptions) {
    this.#options = options
  }

  /** Creates a zone, with its first recordsets in the same commit.
   *  @throws ApiError see `createIn`; and as `ChangeSets.apply` */
  async create(
    caller: Caller,
    draft: ZoneDraft,
    recordsets: ChangeSet['create'] = [],
  ): Promise<Zone> {
    const { store, changeSets } = this.#options
    const createEmpty = (tx: Transaction): Zone => this.createIn(tx, caller, draft)
    const zone = await (recordsets.length === 0
      ? store.commit(createEmpty)
      : store.commitInSteps(function* (tx) {
          const { id: zoneId } = createEmpty(tx)
          const set = { create: recordsets, replace: [], delete: [] }
          return (yield* changeSets.writeIn(tx, { caller, zoneId, set })).zone
        }))
    this.transferIfWanted(zone)
    return zone
  }

  /** Requests the transfer of a new zone if it has masters. Call it once the zone is durable. */
  transferIfWanted(zone: Zone): void {
    if (zone.masters.length > 0) this.#options.onTransferWanted(zone)
  }

  /** Creates a zone as part of a transaction. The checks come in Designate's order, so a client gets the same first
   *  reason.
   *  @throws ApiError invalid_object, over_quota, invalid_zone_name, invalid_ttl, duplicate_zone, illegal_child,
   *  illegal_parent, no_valid_pool_found, no_servers_configured, forbidden */
  createIn(
    tx: Transaction,
    caller: Caller,
    {
      soa,
      isPresigned,
      ...draft
    }: ZoneDraft & { readonly soa?: GivenSoa; readonly isPresigned?: boolean },
  ): Zone {
    requireValid('zone', zoneDraftErrors(draft))
    const { projectId } = caller
    const namedBy = this.#requireReachable(caller, draft.masters)
    const pool = this.#requireRoom(tx, caller, {
      ...draft,
      projectId,
      poolOf: () => choosePool(tx, caller, draft),
    })
    const hasTrustedMasters = namedBy === 'operator'
    return putNewZone(tx, draft, { projectId, pool, soa, hasTrustedMasters, isPresigned })
  }

  /** Restores the row of a deleted zone as part of a transaction, under the same rules, in its former pool or, where
   *  that is gone, in the default pool. The caller restores its recordsets.
   *  @throws ApiError as `createIn` */
  restoreIn(tx: Transaction, caller: Caller, deleted: Zone): Zone {
    if (deleted.hasTrustedMasters !== true) this.#requireReachable(caller, deleted.masters)
    const pool = this.#requireRoom(tx, caller, {
      ...deleted,
      poolOf: () => poolOr(tx, deleted.poolId, defaultPoolId),
    })
    withdrawAbandoned(tx, deleted.name, pool)
    // Neither is restored here: catalogs create their members themselves, and signing needs keys.
    const { member: _, dnssec: __, ...own } = deleted
    const isWhole = isComplete(deleted)
    const zone = changedRow<Zone>(tx, own, {
      poolId: pool.id,
      serial: continuedSerial(tx, own, pool),
      isDeleting: false,
      ...(!isWhole && { transferredAt: null }),
      ...(own.type === 'SECONDARY' && {
        transfer: isWhole ? dueAtOnce(own.transfer, tx.atMicros) : newTransferState(tx.atMicros),
      }),
    })
    return tx.put('zones', zone)
  }

  /** Requires that the project may have a zone of this name; returns the pool for it. */
  #requireRoom(
    tx: Transaction,
    caller: Caller,
    wanted: Pick<Zone, 'name' | 'type' | 'ttlSeconds' | 'attributes' | 'projectId'> & {
      readonly poolOf: () => Pool
    },
  ): Pool {
    const { name, ttlSeconds, attributes, projectId } = wanted
    requireRoomForZone(tx, projectId)
    requireAllowedName(tx, caller, wanted)
    requireLeastTtl(caller, ttlSeconds, this.#options.minTtlSeconds)
    requireOwnNameSpace(tx, name, projectId)
    const pool = wanted.poolOf()
    requireNewInPool(tx, name, pool)
    requireDelegation(tx, name, pool)
    requireMayBeCatalog(tx, caller, { attributes, pool })
    return pool
  }

  /** @throws ApiError zone_not_found */
  get(caller: Caller, id: string): Zone {
    return getZone(this.#options.store, caller, id)
  }

  /** The id of the zone of this name that the caller owns or has a share in.
   *  @throws ApiError zone_not_found; bad_request there are several, in different pools */
  idOf(caller: Caller, name: string): string {
    const found = zonesOfName(this.#options.store, caller, name).walk({})
    const [zone, ...others] = found
    const { id } = requireFound(zone, 'zone_not_found')
    if (others.length === 0) return id
    const message = `There are ${others.length + 1} zones ${quote(name)}: say which one by its id`
    throw new ApiError('bad_request', message)
  }

  /** As `get`, for clients that see PRIMARY zones only, and none that is being deleted.
   *  @throws ApiError zone_not_found */
  getPrimary(caller: Caller, id: string): Zone {
    return getPrimaryZone(this.#options.store, caller, id)
  }

  /** Lists the caller's zones and those shared with it, which are not counted; with `name`, only zones of this name.
   *  @throws ApiError marker_not_found */
  async list(
    caller: Caller,
    { name, ...request }: PageRequest<Zone> & { readonly name: string | undefined },
  ): Promise<Page<Zone>> {
    return pageInSlices(this.#listingOf(caller, name), request)
  }

  /** Walks the zones of `list` in pages, each read on demand.
   *  @param marker the id of the zone to begin after
   *  @throws ApiError marker_not_found */
  *pages(
    caller: Caller,
    { name, marker }: { readonly name?: string | undefined; readonly marker?: string | undefined },
  ): Generator<readonly Zone[], undefined> {
    const listing = this.#listingOf(caller, name)
    const after = marker === undefined ? undefined : requireMarker(listing, marker)
    yield* pagesOf(listing.walk, { after })
  }

  /** As `pages`, of the zones that `getPrimary` finds. */
  *primaryPages(caller: Caller, marker: string | undefined): Generator<readonly Zone[], undefined> {
    for (const page of this.pages(caller, { marker })) yield page.filter(isPrimaryInUse)
  }

  #listingOf(caller: Caller, name: string | undefined): Listing<Zone> {
    const { store } = this.#options
    return name === undefined ? zonesOf(store, caller) : zonesOfName(store, caller, name)
  }

  /** @param given a patch, or what makes it of the zone as it is when it is changed
   *  @param expected the versions it may have; any when not given
   *  @throws ApiError zone_not_found, forbidden, bad_request, precondition_failed, invalid_object, invalid_ttl */
  async update(
    caller: Caller,
    id: string,
    given: ZonePatch | ((zone: Zone) => ZonePatch),
    expected?: readonly RowVersion[],
  ): Promise<Zone> {
    const { zone, patch } = await this.#options.store.commit(tx => {
      const before = getChangeableZone(tx, caller, id)
      requireVersion(before, expected)
      const patch = typeof given === 'function' ? given(before) : given
      if (patch.email !== undefined || patch.ttlSeconds !== undefined) requireNotPresigned(before)
      requireValid('zone', zonePatchErrors(before, patch))
      requireMayGroup(caller, before.attributes, changedAttributes(before, patch))
      const changes = {
        ...changesOf(before, patch, tx.atMicros),
        ...this.#mastersTrust(caller, before, patch),
      }
      requireValid('zone', zoneFieldErrors({ ...before, ...changes }))
      requireLeastTtl(caller, patch.ttlSeconds, this.#options.minTtlSeconds)
      return { zone: advanceZone(tx, before, changes), patch }
    })
    if (zone.masters.length > 0 && patch.masters !== undefined) this.#options.onTransferWanted(zone)
    return zone
  }

  /** Withdraws the zone from its targets and then removes it; the removal of a large zone continues after this has
   *  resolved. Deleting it again is accepted. Returns the zone as it was accepted for deletion.
   *  @param expected the versions it may have; any when not given
   *  @throws ApiError zone_not_found, forbidden, precondition_failed, zone_has_sub_zone, zone_is_shared */
  async delete(caller: Caller, id: string, expected?: readonly RowVersion[]): Promise<Zone> {
    const zone = await this.#options.store.commit(tx => {
      const before = getOwnZone(tx, caller, id)
      requireVersion(before, expected)
      return markForRemoval(tx, caller, before)
    })
    await this.#settleRemoval(zone, this.#options.removal.remove(zone))
    return zone
  }

  /** Abandons the zone without notice to its targets: it is gone from everywhere else, and its last content stays
   *  served (`abandoned-zones.ts`). A zone of which nothing is served, or that is being deleted already, is removed.
   *  @throws ApiError zone_not_found, zone_has_sub_zone; bad_request its content is being written */
  async abandon(caller: Caller, id: string): Promise<void> {
    const zone = await this.#options.store.commit(tx => abandonZone(tx, caller, id))
    if (zone.isDeleting) await this.#settleRemoval(zone, this.#options.removal.abandon(zone))
  }

  /** Gives a zone the next serial, so that servers with a copy of it transfer it again.
   *  @throws ApiError zone_not_found: also where it is a SECONDARY, or being deleted; forbidden; bad_request it
   *  is being imported */
  touch(caller: Caller, id: string): Promise<Zone> {
    return this.#options.store.commit(tx => {
      getPrimaryZone(tx, caller, id)
      return advanceZone(tx, requireNotPresigned(getChangeableZone(tx, caller, id)))
    })
  }

  /** Requests a query of a SECONDARY zone's masters now.
   *  @param reason `whole`: their zone replaces the copy even if its serial is not newer
   *  @throws ApiError zone_not_found, forbidden; bad_request it is no SECONDARY, has no masters, or is being deleted */
  refresh(caller: Caller, id: string, reason: TransferReason = 'wanted'): void {
    const zone = getChangeableZone(this.#options.store, caller, id)
    if (zone.type !== 'SECONDARY') {
      throw new ApiError('bad_request', "Can't XFR a non Secondary zone.")
    }
    if (zone.masters.length === 0) throw new ApiError('bad_request', 'The zone has no masters yet')
    this.#options.onTransferWanted(zone, reason)
  }

  /** Makes a SECONDARY zone a PRIMARY with the same content.
   *  @throws ApiError see `promoteZone` */
  promote(caller: Caller, id: string): Promise<Zone> {
    return promoteZone(this.#options.store, caller, id)
  }

  /** Moves a zone to another pool: the given one, or any other that could take it.
   *  @param expected the versions it may have; any when not given
   *  @throws ApiError zone_not_found, duplicate_zone, illegal_child, no_valid_pool_found, no_servers_configured, precondition_failed;
   *  bad_request there is no such pool, the zone is in it already or is being deleted, or it is a catalog and the pool has one */
  movePool(
    caller: Caller,
    id: string,
    poolId: string | undefined,
    expected?: readonly RowVersion[],
  ): Promise<Zone> {
    return this.#options.store.commit(tx => {
      const zone = getChangeableZone(tx, caller, id)
      requireVersion(zone, expected)
      const pool = poolId === undefined ? otherPool(tx, zone) : getTargetPool(tx, zone, poolId)
      requireMovable(tx, zone, pool)
      requireDelegation(tx, zone.name, pool)
      requireMayBeCatalog(tx, caller, { attributes: zone.attributes, pool })
      withdrawAbandoned(tx, zone.name, pool)
      const serial = continuedSerial(tx, zone, pool)
      return rewriteApex(tx, { ...zone, serial }, { poolId: pool.id })
    })
  }

  /** The counts of the answering threads for a zone.
   *  @throws ApiError zone_not_found, forbidden */
  answersOf(caller: Caller, id: string): ZoneAnswers {
    const { store, answersOf } = this.#options
    return answersOf(getOwnZone(store, caller, id))
  }

  /** As in Designate, projects that a zone is shared with get zone_not_found.
   *  @throws ApiError zone_not_found */
  nameservers(caller: Caller, id: string): readonly StoredNsRecord[] {
    const { poolId, projectId } = this.get(caller, id)
    if (!reachesProject(caller, projectId)) refuseMissing('zone_not_found')
    const pool = this.#options.store.get('pools', poolId)
    return pool === undefined ? [] : nsRecordsInOrder(pool)
  }

  /** The state of a zone at its targets, as its project or the operator sees it. */
  stateOf(zone: Zone, audience?: Audience): ResourceState {
    const { targets } = this.#options
    return zoneState(zone, targets.reportsOf(zone), audience)
  }

  /** The status of `stateOf` by which lists are sorted and filtered. */
  statusOf(zone: Zone): Status {
    return zoneState(zone, this.#options.targets.reportsOf(zone)).status
  }

  /** Whether a zone is shared with other projects. */
  isShared({ id }: Zone): boolean {
    return this.#options.store.count('zoneShares', 'byZone', id) > 0
  }

  /** Masters that a patch repeats unchanged keep their trust. */
  #mastersTrust(caller: Caller, zone: Zone, { masters }: ZonePatch): Partial<Zone> {
    const isChange = masters !== undefined && masters.join() !== zone.masters.join()
    if (!isChange && !(masters && mayUseAnyMasters(caller))) return {}
    requireValid('zone', masterErrors(masters))
    return { hasTrustedMasters: this.#requireReachable(caller, masters) === 'operator' }
  }

  /** Checks masters against the addresses that this server may contact. The addresses of host names are checked on
   *  connecting, and reported in the same words as any other connection error.
   *  @throws ApiError invalid_object */
  #requireReachable(caller: Caller, masters: readonly string[]): NamedBy {
    if (mayUseAnyMasters(caller)) return 'operator'
    const { outboundAddresses } = this.#options
    const isRefused = (master: string): boolean => {
      const { host } = parseMaster(master) ?? {}
      return host !== undefined && outboundAddresses.problemOfHost('project', host) !== undefined
    }
    requireValid(
      'zone',
      masters.map((master, i) => (isRefused(master) ? refusedMaster(i, master) : undefined)),
    )
    return 'project'
  }

  async #settleRemoval(zone: Zone, removal: Promise<void>): Promise<void> {
    // Waits for a short removal: the name is free again when the response comes.
    if (this.#options.removal.isShort(zone)) await removal
    else removal.catch((error: unknown) => this.#options.onRemovalFailed(zone, error))
  }
}

function mayUseAnyMasters(caller: Caller): boolean {
  return isAllowed(caller, 'use_any_masters')
}

/** @throws ApiError forbidden, no_valid_pool_found */
function choosePool(reader: StoreReader, caller: Caller, { attributes }: ZoneDraft): Pool {
  if (attributes.pool_id !== undefined) requireAllowed(caller, 'zone_create_forced_pool')
  return poolOr(reader, attributes.pool_id ?? defaultPoolId)
}

/** The first of these pools that exists.
 *  @throws ApiError no_valid_pool_found */
function poolOr(reader: StoreReader, ...ids: readonly string[]): Pool {
  for (const id of ids) {
    const pool = reader.get('pools', id)
    if (pool !== undefined) return pool
  }
  throw new ApiError('no_valid_pool_found', 'There is no such pool')
}

/** @throws ApiError bad_request */
function getTargetPool(reader: StoreReader, zone: Zone, poolId: string): Pool {
  const pool = reader.get('pools', poolId)
  if (pool === undefined) throw new ApiError('bad_request', 'There is no such pool')
  if (pool.id === zone.poolId) throw new ApiError('bad_request', 'The zone is in this pool already')
  return pool
}

/** @throws ApiError no_valid_pool_found */
function otherPool(reader: StoreReader, zone: Zone): Pool {
  for (const pool of reader.list('pools', 'all', everything)) {
    if (pool.id !== zone.poolId && pool.nsRecords.length > 0) return pool
  }
  throw new ApiError('no_valid_pool_found', 'There is no other pool that could take the zone')
}

function changesOf(zone: Zone, patch: ZonePatch, atMicros: number): Partial<Zone> {
  const isPrimary = zone.type === 'PRIMARY'
  const { email = zone.email, description = zone.description, masters = zone.masters } = patch
  const { ttlSeconds = zone.ttlSeconds } = patch
  return {
    email,
    description,
    masters,
    attributes: changedAttributes(zone, patch),
    ttlSeconds: isPrimary ? (ttlSeconds ?? defaultTtlSeconds) : ttlSeconds,
    ...(patch.masters !== undefined &&
      !isPrimary && { transfer: dueAtOnce(zone.transfer, atMicros) }),
  }
}

function markForRemoval(tx: Transaction, caller: Caller, zone: Zone): Zone {
  if (zone.isDeleting) return zone
  if (!caller.mayLeaveSubzones) requireNoChildren(tx, zone)
  if (!caller.wantsDeleteShares) requireNotShared(tx, zone)
  for (const share of [...tx.list('zoneShares', 'byZone', zone.id)])
    tx.delete('zoneShares', share.id)
  return putDeleting(tx, zone)
}

function abandonZone(tx: Transaction, caller: Caller, id: string): Zone {
  const zone = getOwnZone(tx, caller, id)
  if (zone.isDeleting) return zone
  requireWhole(zone)
  requireNoChildren(tx, zone)
  deleteBelongings(tx, zone)
  if (!isComplete(zone)) return putDeleting(tx, zone)
  return tx.put('zones', changedRow(tx, zone, { isAbandoned: true }))
}

/** While a copy or a file is being written, the stored recordsets are not those that are served, and could not be
 *  served again after a restart.
 *  @throws ApiError bad_request */
function requireWhole(zone: Zone): void {
  const isReplacing = zone.transferredAt !== null && zone.transfer?.isReplacing === true
  if (!isReplacing && zone.isImporting !== true) return
  const message = 'The content of the zone is being written: abandon it when that is done'
  throw new ApiError('bad_request', message)
}

/** @throws ApiError zone_is_shared */
function requireNotShared(reader: StoreReader, zone: Zone): void {
  if (reader.count('zoneShares', 'byZone', zone.id) === 0) return
  const message = 'The zone is shared with other projects: remove the shares first'
  throw new ApiError('zone_is_shared', message)
}
