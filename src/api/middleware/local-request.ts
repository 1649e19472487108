import type { IncomingMessage } from 'node:http'
import { blockListOf, isWithin } from '../../model/network.ts'

const loopback = blockListOf([
  { address: '127.0.0.0', bits: 8 },
  { address: '::1', bits: 128 },
])

/** Headers that a proxy adds for its client, and a browser for the page that makes the request. */
const foreignHeaders = ['forwarded', 'x-forwarded-for', 'x-real-ip', 'via', 'origin', 'referer']

/** Whether a request was made on this machine and not passed on for a remote client. A loopback peer is not enough: a proxy is
 *  one, and so is a browser that makes requests for a foreign page; the requested host gives such a browser away even if the
 *  page has its own name resolve to this machine. */
export function isLocal({ socket, headers }: IncomingMessage): boolean {
  return (
    isWithin(loopback, socket.remoteAddress ?? '') &&
    isLoopbackHost(headers.host ?? '') &&
    foreignHeaders.every(name => headers[name] === undefined)
  )
}

function isLoopbackHost(host: string): boolean {
  const name = host.replace(/:\d+$/, '').replace(/^\[(.*)\]$/, '$1')
  return name.toLowerCase() === 'localhost' || isWithin(loopback, name)
}
