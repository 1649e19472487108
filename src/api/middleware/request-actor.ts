import type { IncomingMessage } from 'node:http'
import type { Actor } from '../../actor.ts'
import type { Principal } from '../../identity/principal.ts'
import type { Dialect } from '../dialect.ts'
import { peerOf } from './peer.ts'
import { requestIdOf } from './request-id.ts'

const principals = new WeakMap<IncomingMessage, { principal: Principal; projectId?: string }>()

/** Notes who makes a request.
 *  @param projectId the project it is for, where that is not the principal's own */
export function notePrincipal(
  request: IncomingMessage,
  principal: Principal,
  projectId = principal.scope?.project.id,
): void {
  principals.set(request, { principal, ...(projectId !== undefined && { projectId }) })
}

/** Who makes a request, as far as it is known by then. */
export function actorOf(request: IncomingMessage, { road }: Pick<Dialect, 'road'>): Actor {
  const { principal, projectId } = principals.get(request) ?? {}
  const { user, credential } = principal ?? {}
  return {
    road,
    ...(user && { user: { id: user.id, name: user.name } }),
    ...(projectId !== undefined && { projectId }),
    ...(credential && { credential: { id: credential.id, name: credential.name } }),
    requestId: requestIdOf(request),
    address: peerOf(request),
  }
}

/** The user and the project of a request, for the log. */
export function principalFields(request: IncomingMessage): object | undefined {
  const known = principals.get(request)
  return known && { user: known.principal.user.name, project: known.projectId }
}
