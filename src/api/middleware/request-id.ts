import { randomUUID } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import { notesOf } from './request-notes.ts'

/** Gives each request an id, in the response, in the log and in error bodies. An id that the client sent is only logged, never
 *  adopted. */
export function giveId(request: IncomingMessage): void {
  notesOf(request).id = `req-${randomUUID()}`
}

/** The name given to a request. */
export function requestIdOf(request: IncomingMessage): string {
  return notesOf(request).id ?? ''
}
