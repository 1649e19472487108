import { type Caller, reachesProject } from '../../identity/caller.ts'
import type { Collections } from '../../model/collections.ts'
import { everything } from '../../store/indexes.ts'
import type { StoreReader } from '../../store/store.ts'
import type { Listing } from './listing.ts'

/** The collections of tasks that a project has asked for. */
export type TaskCollection = 'zoneExports' | 'zoneImports' | 'zoneTransferAccepts'

/** Finds a task of the caller. */
export function findTask<C extends TaskCollection>(
  reader: StoreReader,
  caller: Caller,
  { collection, id }: { readonly collection: C; readonly id: string },
): Collections[C] | undefined {
  const task = reader.get(collection, id)
  return task !== undefined && reachesProject(caller, task.projectId) ? task : undefined
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
  return {
    walk: options => reader.list(collection, group.index, group.key, options),
    count: () => reader.count(collection, group.index, group.key),
    find: id => findTask(reader, caller, { collection, id }),
  }
}
