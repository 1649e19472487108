import { ApiError } from '../../errors.ts'
import { isAllowed, requireAllowed } from '../policy.ts'
import { type Principal, roleNamesOf } from '../principal.ts'

// Access to the directory: administrators may see and change all of it, users what is their own. Others are refused before
// any lookup, so that they cannot learn what exists.

/** Whether the principal administers the identity service. */
export function isAdministrator(principal: Principal): boolean {
  return isAllowed({ roles: roleNamesOf(principal) }, 'manage_identity')
}

/** @throws ApiError forbidden: the principal does not administer the identity service */
export function requireAdministrator(principal: Principal): void {
  requireAllowed({ roles: roleNamesOf(principal) }, 'manage_identity')
}

/** @param userId the user concerned; undefined: all users
 *  @throws ApiError forbidden: it is about another user, and the principal is no administrator */
export function requireSelfOrAdministrator(principal: Principal, userId: string | undefined): void {
  if (principal.user.id !== userId) requireAdministrator(principal)
}

/** @throws ApiError forbidden: logged in with an application credential that may not handle others */
export function requireUnrestricted({ credential }: Principal): void {
  if (credential === undefined || credential.isUnrestricted) return
  throw new ApiError('forbidden', 'A restricted application credential may not handle others')
}
