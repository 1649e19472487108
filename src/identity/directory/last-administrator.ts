import { ApiError } from '../../errors.ts'
import { adminName } from '../../model/identity.ts'
import type { StoreReader } from '../../store/store.ts'
import { enabledDomainOf } from '../accounts.ts'

/** Runs a change that may take rights away, and refuses it if no administrator would be left to restore them.
 *  @throws ApiError conflict */
export function keepingAnAdministrator<T>(tx: StoreReader, change: () => T): T {
  const hadOne = hasAdministrator(tx)
  const result = change()
  if (hadOne && !hasAdministrator(tx))
    throw new ApiError('conflict', 'This would leave no user with the role admin who can log in')
  return result
}

/** Whether somebody can log in as an administrator. O(assignments of the role that are of no use). */
function hasAdministrator(store: StoreReader): boolean {
  const role = store.find('roles', 'byName', adminName)
  if (role === undefined) return false
  for (const { userId, projectId } of store.list('roleAssignments', 'byRole', role.id)) {
    const rows = [store.get('users', userId), store.get('projects', projectId)]
    if (rows.every(row => row !== undefined && enabledDomainOf(store, row) !== undefined))
      return true
  }
  return false
}
