import type { IncomingMessage } from 'node:http'
import { isIP } from 'node:net'
import { notesOf } from './request-notes.ts'

/** Notes where a request comes from, as the proxies say that are trusted.
 *  @param said what they say; where that is no address, the address of the connection counts */
export function notePeer(request: IncomingMessage, said: string | undefined): void {
  if (said !== undefined && isIP(said) > 0) notesOf(request).peer = said
}

/** Where a request comes from: failed logins are counted by it, and the log names it. */
export function peerOf(request: IncomingMessage): string {
  const address = notesOf(request).peer ?? request.socket.remoteAddress ?? ''
  // An IPv4 address is itself, whichever socket it came through.
  return address.replace(/^::ffff:(?=\d+\.)/i, '')
}
