import type { IncomingMessage } from 'node:http'
import type { Actor } from '../../actor.ts'
import type { Principal } from '../../identity/principal.ts'
import type { Dialect } from '../dialect.ts'
import { peerOf } from './peer.ts'
import { notesOf, requestIdOf } from './request-notes.ts'

/** Notes the principal of a request.
 *  @param projectId the project it is for, if not the principal's own */
export function notePrincipal(
  request: IncomingMessage,
  principal: Principal,
  projectId = principal.scope?.project.id,
): void {
  Object.assign(notesOf(request), { principal, projectId })
}

/** The actor of a request, as far as known. */
export function actorOf(request: IncomingMessage, { road }: Pick<Dialect, 'road'>): Actor {
  const { principal, projectId } = notesOf(request)
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
  const { principal, projectId } = notesOf(request)
  return principal && { user: principal.user.name, project: projectId }
}
