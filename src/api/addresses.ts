import type { IncomingMessage } from 'node:http'

// A name, IPv4 or bracketed IPv6 address, and a port: no other content of a Host header may get into links.
const hostPattern = /^(?:[a-z0-9._-]+|\[[0-9a-f:.]+\])(?::\d{1,5})?$/i

/** The server's address for this client, without a trailing slash: the configured one, or the one in the Host header. */
export function publicUrlOf(request: IncomingMessage, configured: string | undefined): string {
  if (configured !== undefined) return configured.replace(/\/+$/, '')
  const host = request.headers.host ?? ''
  return `http://${hostPattern.test(host) ? host : localHostOf(request)}`
}

function localHostOf({ socket }: IncomingMessage): string {
  const address = socket.localAddress ?? 'localhost'
  return `${address.includes(':') ? `[${address}]` : address}:${socket.localPort}`
}
