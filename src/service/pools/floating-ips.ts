import { ApiError } from '../../errors.ts'
import { type Caller, reachesProject } from '../../identity/caller.ts'
import { definedOf } from '../../model/changes.ts'
import { requireValid } from '../../model/field-rules.ts'
import {
  addressError,
  type FloatingIp,
  type FloatingIpDraft,
  managedProjectId,
  type PtrPatch,
  ptrNameError,
  reverseNamesOf,
} from '../../model/floating-ip.ts'
import { defaultPoolId } from '../../model/pool.ts'
import { quote } from '../../model/quote.ts'
import type { Recordset } from '../../model/recordset.ts'
import { managedEmail } from '../../model/soa.ts'
import { newStamp } from '../../model/stamped.ts'
import type { Zone } from '../../model/zone.ts'
import { type ResourceState, recordsetState } from '../../model/zone-state.ts'
import { everything, keyOf } from '../../store/indexes.ts'
import type { Store, StoreReader, Transaction } from '../../store/store.ts'
import { findRecordsetOf } from '../rules/find-recordset.ts'
import { requireLeastTtl } from '../rules/least-ttl.ts'
import type { Targets } from '../rules/targets.ts'
import { advanceZone, putManaged, putNewZone } from '../rules/zone-rows.ts'
import { requireNewInPool, requireOwnNameSpace } from '../rules/zone-tree.ts'

/** An address and the name it has. */
export type NamedAddress = {
  readonly floatingIp: FloatingIp
  readonly ptr: Recordset | undefined
  /** Whether the name is served; undefined where there is none. */
  readonly state: ResourceState | undefined
}

/** Identifies an address: an id is only valid in its region. */
export type FloatingIpKey = { readonly region: string; readonly id: string }

type FloatingIpsOptions = {
  readonly store: Store
  readonly targets: Targets
  /** The least TTL allowed; any if not set. */
  readonly minTtlSeconds?: number
}

/** Addresses that are lent to projects, and their names. Administrators assign an address to a project; the project gives it
 *  a name, in a /24 reverse zone of the default pool that is created when it is first needed. */
export class FloatingIps {
  readonly #options: FloatingIpsOptions

  constructor(options: FloatingIpsOptions) {
    this.#options = options
  }

  /** Lends an address to a project.
   *  @throws ApiError invalid_object, duplicate_floatingip */
  async register(draft: FloatingIpDraft): Promise<NamedAddress> {
    requireValid('floatingip', [addressError(draft.address)])
    return this.#options.store.commit(tx => {
      if (tx.find('floatingIps', 'byAddress', draft.address) !== undefined) {
        const message = `Duplicate FloatingIP: ${quote(draft.address)} is lent already`
        throw new ApiError('duplicate_floatingip', message)
      }
      const floatingIp = tx.put('floatingIps', { ...newStamp(tx), ...draft })
      return this.#named(tx, floatingIp)
    })
  }

  /** Takes an address back and removes its name.
   *  @throws ApiError not_found */
  release(key: FloatingIpKey): Promise<void> {
    return this.#options.store.commit(tx => {
      const floatingIp = tx.get('floatingIps', key.id)
      if (floatingIp?.region !== key.region) throw notFound(key)
      removePtr(tx, floatingIp)
      tx.delete('floatingIps', key.id)
    })
  }

  /** All addresses of the caller's project. */
  list({ hasAllProjects, projectId }: Caller): readonly NamedAddress[] {
    const { store } = this.#options
    const rows = hasAllProjects
      ? store.list('floatingIps', 'all', everything)
      : store.list('floatingIps', 'byProject', projectId)
    return [...rows].map(row => this.#named(store, row))
  }

  /** @throws ApiError not_found */
  get(caller: Caller, key: FloatingIpKey): NamedAddress {
    const { store } = this.#options
    return this.#named(store, getOwn(store, caller, key))
  }

  /** Sets the name of an address, replacing any present one.
   *  @throws ApiError not_found, invalid_object, invalid_ttl; duplicate_zone, illegal_child, illegal_parent its reverse zone is
   *  another project's; bad_request that zone is being deleted */
  async setPtr(caller: Caller, key: FloatingIpKey, patch: PtrPatch): Promise<NamedAddress> {
    requireValid('floatingip', [ptrNameError(patch.name)])
    const { store, minTtlSeconds } = this.#options
    const named = await store.commit(tx => {
      const floatingIp = getOwn(tx, caller, key)
      requireLeastTtl(caller, patch.ttlSeconds, minTtlSeconds)
      const zone = findReverseZone(tx, floatingIp) ?? putReverseZone(tx, floatingIp)
      if (zone.isDeleting) throw new ApiError('bad_request', 'The reverse zone is being deleted')
      const { name, ...fields } = patch
      const owner = reverseNamesOf(floatingIp.address).owner
      putManaged(tx, zone, { ...definedOf(fields), name: owner, type: 'PTR', records: [name] })
      advanceZone(tx, zone)
      return floatingIp
    })
    // Only now do the targets serve it.
    return this.#named(store, named)
  }

  /** Removes the name of an address, if it has one.
   *  @throws ApiError not_found */
  unsetPtr(caller: Caller, key: FloatingIpKey): Promise<void> {
    return this.#options.store.commit(tx => removePtr(tx, getOwn(tx, caller, key)))
  }

  #named(reader: StoreReader, floatingIp: FloatingIp): NamedAddress {
    const { targets } = this.#options
    const zone = findReverseZone(reader, floatingIp)
    const ptr = zone && findPtr(reader, zone, floatingIp)
    const state =
      zone && ptr && recordsetState(zone, targets.reportsOf(zone), targets.problemOf(ptr))
    return { floatingIp, ptr, state }
  }
}

function getOwn(reader: StoreReader, caller: Caller, key: FloatingIpKey): FloatingIp {
  const row = reader.get('floatingIps', key.id)
  if (row?.region === key.region && reachesProject(caller, row.projectId)) return row
  throw notFound(key)
}

function notFound({ region, id }: FloatingIpKey): ApiError {
  return new ApiError('not_found', `There is no floating IP ${quote(`${region}:${id}`)}`)
}

function findReverseZone(reader: StoreReader, { address }: FloatingIp): Zone | undefined {
  const name = reverseNamesOf(address).zone
  const zone = reader.find('zones', 'byName', keyOf(defaultPoolId, name))
  return zone?.projectId === managedProjectId ? zone : undefined
}

/** @throws ApiError duplicate_zone, illegal_child, illegal_parent, no_valid_pool_found */
function putReverseZone(tx: Transaction, { address }: FloatingIp): Zone {
  const name = reverseNamesOf(address).zone
  requireOwnNameSpace(tx, name, managedProjectId)
  const pool = tx.get('pools', defaultPoolId)
  if (pool === undefined) throw new ApiError('no_valid_pool_found', 'There is no default pool')
  requireNewInPool(tx, name, pool)
  const content = { name, email: managedEmail, ttlSeconds: null, description: null }
  const draft = { ...content, type: 'PRIMARY', masters: [], attributes: {} } as const
  return putNewZone(tx, draft, { projectId: managedProjectId, pool })
}

function findPtr(reader: StoreReader, zone: Zone, { address }: FloatingIp): Recordset | undefined {
  const name = reverseNamesOf(address).owner
  return findRecordsetOf(reader, zone, { name, type: 'PTR' })
}

function removePtr(tx: Transaction, floatingIp: FloatingIp): void {
  const zone = findReverseZone(tx, floatingIp)
  const ptr = zone && findPtr(tx, zone, floatingIp)
  if (zone === undefined || ptr === undefined) return
  tx.delete('recordsets', ptr.id)
  advanceZone(tx, zone)
}
