import { randomUUID } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import { isIP } from 'node:net'
import express from 'express'
import type { Actor } from '../../actor.ts'
import type { Principal } from '../../identity/principal.ts'
import type { Dialect } from '../dialect.ts'

// Facts found out about a request during its handling are stored on it. A WeakMap would work too, but the garbage collector
// scans all of one each time.

/** Facts about a request beyond its own content. */
export type RequestNotes = {
  /** Its name in responses and in the log. */
  id?: string
  /** Its origin, as given by trusted proxies. */
  peer?: string
  principal?: Principal
  /** The project it is for. */
  projectId?: string | undefined
}

const notesKey = Symbol('notes')

/** The notes of a request, to be read and added to. */
export function notesOf(request: IncomingMessage): RequestNotes {
  const noted = request as { [notesKey]?: RequestNotes }
  noted[notesKey] ??= {}
  return noted[notesKey]
}

/** Gives each request an id, in the response, in the log and in error bodies. An id that the client sent is only logged, never
 *  adopted. */
export function giveId(request: IncomingMessage): void {
  notesOf(request).id = `req-${randomUUID()}`
}

/** The name given to a request. */
export function requestIdOf(request: IncomingMessage): string {
  return notesOf(request).id ?? ''
}

/** Finds the origin of requests: the nearest address in `X-Forwarded-For` that is not a trusted proxy's. */
export function originFinder(
  trustedProxies: readonly string[],
): (request: IncomingMessage) => string | undefined {
  const app = express()
  app.set('trust proxy', [...trustedProxies])
  return ({ socket, headers }) => Reflect.get(app.request, 'ip', { app, socket, headers })
}

/** Tells whether an address is a trusted proxy's. */
export function proxyFinder(trustedProxies: readonly string[]): (address: string) => boolean {
  const app = express()
  app.set('trust proxy', [...trustedProxies])
  const isTrusted = app.get('trust proxy fn') as (address: string, hop: number) => boolean
  return address => isIP(address) > 0 && isTrusted(address, 0)
}

/** Notes the origin of a request, as given by trusted proxies.
 *  @param said the address that they give, if any; if it is no address, that of the connection counts */
export function notePeer(request: IncomingMessage, said: string | undefined): void {
  const isSaid = said !== undefined && isIP(said) > 0
  notesOf(request).peer = isSaid ? inOneForm(said) : addressOf(request)
}

/** The address that a request comes from: failed logins are counted by it, and the log names it. */
export function peerOf(request: IncomingMessage): string {
  return notesOf(request).peer ?? addressOf(request)
}

function addressOf({ socket }: IncomingMessage): string {
  return inOneForm(socket.remoteAddress ?? '')
}

/** An IPv4 address has one form, whichever socket it came through. */
function inOneForm(address: string): string {
  return address.replace(/^::ffff:(?=\d+\.)/i, '')
}

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
