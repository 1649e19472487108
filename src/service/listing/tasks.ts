import { type Missing, refuseMissing, requireFound } from '../../errors.ts'
import { type Caller, reachesProject } from '../../identity/caller.ts'
import type { Collections } from '../../model/collections.ts'
import { everything } from '../../store/indexes.ts'
import type { Store, StoreReader, Transaction } from '../../store/store.ts'
import { groupListing, type Listing, type Page, type PageRequest, pageOf } from './listing.ts'

/** The collections of tasks that a project has asked for. */
type TaskCollection = 'zoneExports' | 'zoneImports' | 'zoneTransferAccepts'

/** How many tasks of a kind a project has: the newest. Each is a row in memory, and nothing else bounds them. */
export const maxTasksPerProject = 1000

/** The most removed with one new task: a store of earlier versions may have any number. */
const maxRemovedAtOnce = 10

const missing = {
  zoneExports: 'zone_export_not_found',
  zoneImports: 'zone_import_not_found',
  zoneTransferAccepts: 'zone_transfer_accept_not_found',
} as const satisfies Record<TaskCollection, Missing>

/** The tasks of one kind. A project sees its own, and a caller that asks for all projects all of them. */
export class Tasks<C extends TaskCollection> {
  protected readonly store: Store
  readonly #collection: C

  constructor(store: Store, collection: C) {
    this.store = store
    this.#collection = collection
  }

  /** @throws ApiError the collection's not-found type */
  get(caller: Caller, id: string): Collections[C] {
    return this.#get(this.store, caller, id)
  }

  /** @throws ApiError marker_not_found */
  list(caller: Caller, request: PageRequest<Collections[C]>): Page<Collections[C]> {
    const group = caller.hasAllProjects
      ? ({ index: 'all', key: everything } as const)
      : ({ index: 'byProject', key: caller.projectId } as const)
    const listing = groupListing<TaskCollection>(this.store, this.#collection, group)
    return pageOf(listing as Listing<Collections[C]>, request)
  }

  /** Deletes the row; what is under way continues.
   *  @throws ApiError the collection's not-found type */
  delete(caller: Caller, id: string): Promise<void> {
    return this.store.commit(tx => tx.delete(this.#collection, this.#get(tx, caller, id).id))
  }

  /** Adds a task in place of the oldest of its project where these are too many. */
  protected add(tx: Transaction, row: Collections[C]): Collections[C] {
    makeRoom(tx, this.#collection, row.projectId)
    return tx.put(this.#collection, row)
  }

  #get(reader: StoreReader, caller: Caller, id: string): Collections[C] {
    const type = missing[this.#collection]
    const task = requireFound(reader.get(this.#collection, id), type)
    return reachesProject(caller, task.projectId) ? task : refuseMissing(type)
  }
}

/** The limits of what is under way are lower, so what is removed is finished. */
function makeRoom(tx: Transaction, collection: TaskCollection, projectId: string): void {
  const excess = tx.count(collection, 'byProject', projectId) + 1 - maxTasksPerProject
  if (excess <= 0) return
  const removed: string[] = []
  for (const { id } of tx.list(collection, 'byProject', projectId)) {
    removed.push(id)
    if (removed.length === Math.min(excess, maxRemovedAtOnce)) break
  }
  for (const id of removed) tx.delete(collection, id)
}
