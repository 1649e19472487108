import { randomUUID } from 'node:crypto'
import { ApiError, requireFound } from '../../errors.ts'
import { definedOf } from '../../model/changes.ts'
import { requireValid } from '../../model/field-rules.ts'
import { defaultNsRecords, defaultPoolId, type Pool } from '../../model/pool.ts'
import { listenAddressesOf } from '../../model/pool-attributes.ts'
import {
  type NsRecordDraft,
  type PoolDraft,
  type PoolPatch,
  poolErrors,
} from '../../model/pool-draft.ts'
import { quote } from '../../model/quote.ts'
import { changedRow, newStamp } from '../../model/stamped.ts'
import { Mutex } from '../../mutex.ts'
import { everything } from '../../store/indexes.ts'
import type { Store, StoreReader, Transaction } from '../../store/store.ts'
import { inTurns } from '../../time-slice.ts'
import { groupListing, type Page, type PageRequest, pageOf } from '../listing/listing.ts'
import type { PoolServers } from '../targets/pool-servers.ts'
import { servedZonePages } from '../zones/abandoned-zones.ts'
import type { ApexRewrites } from '../zones/apex-rewrites.ts'
import { changedNsRecords, ensureNsRecordIds } from './ns-records.ts'

type PoolsOptions = {
  readonly store: Store
  readonly servers: PoolServers
  readonly rewrites: ApexRewrites
  /** Called when a rewrite in the background fails; it is retried later. */
  readonly onRewriteFailed: (pool: Pool, error: unknown) => void
}

/** Pools: which servers answer which zones. A pool's listeners are opened before its row is written and closed after, so that
 *  a row never names a listener that is not open. */
export class Pools {
  readonly #options: PoolsOptions
  /** One change at a time: listeners cannot be part of a transaction. */
  readonly #changes = new Mutex()

  constructor(options: PoolsOptions) {
    this.#options = options
  }

  /** @throws ApiError invalid_object, duplicate_pool; bad_request a listener cannot be had */
  create(draft: PoolDraft): Promise<Pool> {
    requireValid('pool', poolErrors(draft))
    return this.#changes.run(async () => {
      const { store } = this.#options
      const id = randomUUID()
      requireNewName(store, draft.name)
      return this.#withListeners({ id, attributes: draft.attributes }, () =>
        store.commit(tx => {
          requireNewName(tx, draft.name)
          const nsRecords = changedNsRecords(tx, [], draft.nsRecords)
          return tx.put('pools', { ...newStamp(tx), id, ...draft, nsRecords })
        }),
      )
    })
  }

  /** @throws ApiError pool_not_found */
  get(id: string): Pool {
    return getPool(this.#options.store, id)
  }

  /** Lists all pools.
   *  @throws ApiError marker_not_found */
  list(request: PageRequest<Pool>): Page<Pool> {
    const all = { index: 'all', key: everything } as const
    return pageOf(groupListing(this.#options.store, 'pools', all), request)
  }

  /** Changed name servers are written into every zone of the pool; for a pool of many zones that continues after this has
   *  resolved.
   *  @throws ApiError pool_not_found, invalid_object, duplicate_pool, last_server_delete_not_allowed;
   *  bad_request a listener cannot be had */
  update(id: string, patch: PoolPatch): Promise<Pool> {
    return this.change(id, () => patch)
  }

  /** As `update`, with the patch computed from the pool as it is when the change gets its turn.
   *  @throws ApiError as `update`, and what `patchFor` throws */
  async change(id: string, patchFor: (pool: Pool) => PoolPatch): Promise<Pool> {
    const pool = await this.#changes.run(async () => {
      const { store } = this.#options
      const before = getPool(store, id)
      const patch = patchFor(before)
      const { attributes } = patchedPool(before, patch)
      await requireRoomWithOthers(store, before, attributes)
      const change = () => store.commit(tx => changePool(tx, id, patch))
      return this.#withListeners({ id, attributes }, change)
    })
    if (pool.isRewritePending) await this.#rewrite(pool)
    return pool
  }

  /** Gives the default pool the name servers of the settings, in their order, unless the same were applied before: later
   *  changes through the API then stay. Returns the present pool. */
  async configure(nameServers: readonly string[]): Promise<Pool> {
    const pool = this.get(defaultPoolId)
    const isApplied = pool.configuredNameServers?.join() === nameServers.join()
    if (nameServers.length === 0 || isApplied) return pool
    const nsRecords = nameServers.map((hostname, i) => ({ hostname, priority: i + 1 }))
    return this.update(defaultPoolId, { nsRecords, configuredNameServers: nameServers })
  }

  /** @throws ApiError pool_not_found; invalid_operation it has zones, or is the default pool */
  delete(id: string): Promise<void> {
    return this.#changes.run(async () => {
      const { store, servers } = this.#options
      await store.commit(tx => {
        requireDeletable(tx, getPool(tx, id))
        tx.delete('pools', id)
      })
      await servers.remove(id)
    })
  }

  async #rewrite(pool: Pool): Promise<void> {
    const { rewrites, onRewriteFailed } = this.#options
    const rewrite = rewrites.rewrite(pool.id)
    // A rewrite that fits in one chunk is complete before the response.
    if (rewrites.isShort(pool.id)) await rewrite
    else rewrite.catch((error: unknown) => onRewriteFailed(pool, error))
  }

  async #withListeners(
    pool: Pick<Pool, 'id' | 'attributes'>,
    commit: () => Promise<Pool>,
  ): Promise<Pool> {
    const { store, servers } = this.#options
    const change = await servers.prepare(pool.id, listenAddressesOf(pool))
    if (change.kind === 'refused') throw new ApiError('bad_request', change.reason)
    try {
      const stored = await commit()
      await change.keep()
      return stored
    } catch (error) {
      await change.undo()
      throw error
    } finally {
      const stored = store.get('pools', pool.id)
      servers.follow(pool.id, stored && listenAddressesOf(stored))
    }
  }
}

/** Creates the default pool where there is none yet, at the first start. Migrates pools of earlier versions. */
export async function ensureDefaultPool(store: Store): Promise<void> {
  await ensureNsRecordIds(store)
  if (store.get('pools', defaultPoolId) !== undefined) return
  await store.commit(tx => {
    // Another node may have created it meanwhile.
    if (tx.get('pools', defaultPoolId) !== undefined) return
    tx.put('pools', {
      ...newStamp(tx),
      id: defaultPoolId,
      projectId: null,
      name: 'default',
      description: 'Default Pool',
      provisioner: null,
      attributes: {},
      nsRecords: changedNsRecords(tx, [], defaultNsRecords),
    })
  })
}

function getPool(reader: StoreReader, id: string): Pool {
  return requireFound(reader.get('pools', id), 'pool_not_found')
}

/** A pool that gives up its listeners joins the pools behind the default ones, where no two zones may have the same name.
 *  @throws ApiError invalid_operation */
async function requireRoomWithOthers(
  store: Store,
  pool: Pool,
  attributes: Pool['attributes'],
): Promise<void> {
  const isJoining =
    listenAddressesOf(pool).length > 0 && listenAddressesOf({ attributes }).length === 0
  if (!isJoining) return
  for await (const page of inTurns(servedZonePages(store, pool.id))) {
    for (const { name } of page) {
      if (countNamesakes(store, name.toLowerCase()) === 1) continue
      const message = `Another pool has a zone ${quote(name)} too: one of them must go first`
      throw new ApiError('invalid_operation', message)
    }
  }
}

function countNamesakes(reader: StoreReader, lowerName: string): number {
  const managedCount = reader.count('zones', 'byLowerName', lowerName)
  return managedCount + reader.count('zones', 'abandonedByLowerName', lowerName)
}

/** @throws ApiError invalid_object, last_server_delete_not_allowed */
function patchedPool(pool: Pool, patch: PoolPatch): PatchedPool {
  const patched = { ...pool, ...definedOf(patch) }
  // Unchanged attributes were accepted under the rules of their time.
  const changed = Object.entries(patched.attributes).filter(
    ([name, value]) => pool.attributes[name] !== value,
  )
  requireValid('pool', poolErrors({ ...patched, attributes: Object.fromEntries(changed) }))
  if (patched.nsRecords.length === 0 && pool.nsRecords.length > 0) {
    const message = 'A pool keeps at least one name server'
    throw new ApiError('last_server_delete_not_allowed', message)
  }
  return patched
}

/** A pool whose name servers are not yet in their stored form. */
type PatchedPool = Omit<Pool, 'nsRecords'> & { readonly nsRecords: readonly NsRecordDraft[] }

function changePool(tx: Transaction, id: string, patch: PoolPatch): Pool {
  const before = getPool(tx, id)
  const patched = patchedPool(before, patch)
  if (patched.name !== before.name) requireNewName(tx, patched.name)
  const nsRecords = changedNsRecords(tx, before.nsRecords, patched.nsRecords)
  const hasOtherServers = JSON.stringify(nsRecords) !== JSON.stringify(before.nsRecords)
  const pool = changedRow<Pool>(
    tx,
    { ...patched, nsRecords },
    hasOtherServers ? { isRewritePending: true } : {},
  )
  return tx.put('pools', pool)
}

/** @throws ApiError duplicate_pool */
function requireNewName(reader: StoreReader, name: string): void {
  if (reader.find('pools', 'byName', name) === undefined) return
  throw new ApiError('duplicate_pool', `Duplicate Pool: ${quote(name)} exists`)
}

/** @throws ApiError invalid_operation */
function requireDeletable(reader: StoreReader, { id }: Pool): void {
  if (id === defaultPoolId) {
    throw new ApiError('invalid_operation', 'The default pool cannot be deleted')
  }
  if (reader.count('zones', 'byPool', id) > 0) {
    throw new ApiError('invalid_operation', 'The pool has zones')
  }
  if (reader.count('zones', 'abandonedByPool', id) > 0) {
    const message = 'The pool still answers abandoned zones: withdraw them first'
    throw new ApiError('invalid_operation', message)
  }
}
