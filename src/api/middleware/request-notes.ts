import { randomUUID } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import type { Principal } from '../../identity/principal.ts'

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
