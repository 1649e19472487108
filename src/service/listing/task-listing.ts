import { type Missing, refuseMissing, requireFound } from '../../errors.ts'
import { type Caller, reachesProject } from '../../identity/caller.ts'
import type { Collections } from '../../model/collections.ts'
import { everything } from '../../store/indexes.ts'
import type { Store, StoreReader, Transaction } from '../../store/store.ts'
import { groupListing, type Listing } from './listing.ts'

/** The collections of tasks that a project has asked for. */
type TaskCollection = 'zoneExports' | 'zoneImports' | 'zoneTransferAccepts'

/** How many tasks of a kind a project has: the newest. Each is a row in memory, and nothing else bounds them. */
export const maxTasksPerProject = 1000

/** The most removed with one new task: a store of earlier versions may have any number. */
const maxRemovedAtOnce = 10

/** Removes the oldest tasks of a project that are too many when one is added. The limits of what is under way are lower, so
 *  these are finished. */
export function makeRoomForTask(
  tx: Transaction,
  collection: TaskCollection,
  projectId: string,
): void {
  const excess = tx.count(collection, 'byProject', projectId) + 1 - maxTasksPerProject
  if (excess <= 0) return
  const removed: string[] = []
  for (const { id } of tx.list(collection, 'byProject', projectId)) {
    removed.push(id)
    if (removed.length === Math.min(excess, maxRemovedAtOnce)) break
  }
  for (const id of removed) tx.delete(collection, id)
}

const missing = {
  zoneExports: 'zone_export_not_found',
  zoneImports: 'zone_import_not_found',
  zoneTransferAccepts: 'zone_transfer_accept_not_found',
} as const satisfies Record<TaskCollection, Missing>

/** A task of the caller.
 *  @throws ApiError the collection's not-found type */
export function getTask<C extends TaskCollection>(
  reader: StoreReader,
  caller: Caller,
  { collection, id }: { readonly collection: C; readonly id: string },
): Collections[C] {
  const task = requireFound(reader.get(collection, id), missing[collection])
  return reachesProject(caller, task.projectId) ? task : refuseMissing(missing[collection])
}

/** @throws ApiError the collection's not-found type */
export function deleteTask(
  store: Store,
  caller: Caller,
  key: { readonly collection: TaskCollection; readonly id: string },
): Promise<void> {
  return store.commit(tx => tx.delete(key.collection, getTask(tx, caller, key).id))
}

/** The caller's tasks. */
export function tasksOf<C extends TaskCollection>(
  reader: StoreReader,
  caller: Caller,
  collection: C,
): Listing<Collections[C]> {
  const group = caller.hasAllProjects
    ? ({ index: 'all', key: everything } as const)
    : ({ index: 'byProject', key: caller.projectId } as const)
  return groupListing<TaskCollection>(reader, collection, group) as Listing<Collections[C]>
}
