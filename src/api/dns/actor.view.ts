import type { Actor } from '../../actor.ts'
import { type Caller, isAdmin } from '../../identity/caller.ts'

/** The actor of a change, as the API shows it: null where none was recorded. Addresses of other projects' clients are shown only
 *  to the operator.
 *  @param caller undefined: the operator */
export function actorView(actor: Actor | undefined, caller?: Caller): object | null {
  if (actor === undefined) return null
  const { road, user, projectId, credential, key, job, requestId, address } = actor
  const seesAddress =
    caller === undefined || isAdmin(caller) || caller.projectId === projectId || road === 'transfer'
  return {
    road,
    user_id: user?.id ?? null,
    user_name: user?.name ?? null,
    project_id: projectId ?? null,
    ...(credential && { application_credential: credential }),
    ...(key !== undefined && { tsig_key: key }),
    ...(job !== undefined && { job }),
    request_id: requestId ?? null,
    address: (seesAddress ? address : undefined) ?? null,
  }
}
