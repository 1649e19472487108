import type { IncomingMessage } from 'node:http'
import type { Principal } from '../../identity/principal.ts'

// What is found out about a request on its way is kept with it. A WeakMap would do as well, but the collector of garbage
// looks through all of one each time.

/** What is known of a request beside what it says. */
export type RequestNotes = {
  /** Its name in responses and in the log. */
  id?: string
  /** Where it comes from, as the proxies say that are trusted. */
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
