import type { IncomingMessage } from 'node:http'
import { isIP } from 'node:net'
import express from 'express'
import { notesOf } from './request-notes.ts'

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
