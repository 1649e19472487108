import { ApiError } from '../errors.ts'
import type { Caller } from './caller.ts'
import { requireAllowed } from './policy.ts'
import { type Principal, roleNamesOf } from './principal.ts'

/** The powers that a request asks for beyond its credentials. */
export type Wishes = {
  /** Act as this project; whether it exists is not checked. */
  readonly sudoProjectId?: string | undefined
  readonly hasAllProjects: boolean
  readonly mayEditManagedRecords: boolean
  /** Have a zone's deletion also remove the data of its targets. Every deletion does so here, so only the right to ask for it is
   *  checked. */
  readonly wantsHardDelete: boolean
  readonly wantsDeleteShares: boolean
}

/** Returns the caller of a request, for its principal.
 *  @throws ApiError missing_project_id: no project to act for; forbidden: a wish beyond its roles */
export function callerFor(principal: Principal, wishes: Wishes): Caller {
  const { user, scope } = principal
  const { sudoProjectId, wantsHardDelete, ...powers } = wishes
  if (scope === undefined)
    throw new ApiError('missing_project_id', 'The credentials are not for a project')
  const roles = roleNamesOf(principal)
  if (sudoProjectId !== undefined) requireAllowed({ roles }, 'use_sudo')
  if (powers.hasAllProjects) requireAllowed({ roles }, 'all_tenants')
  if (powers.mayEditManagedRecords) requireAllowed({ roles }, 'edit_managed_records')
  if (wantsHardDelete) requireAllowed({ roles }, 'hard_delete')
  return {
    userId: user.id,
    userName: user.name,
    projectId: sudoProjectId ?? scope.project.id,
    roles,
    ...powers,
  }
}
