import type { IncomingMessage } from 'node:http'
import { BlockList, isIP } from 'node:net'

const loopback = new BlockList()
loopback.addSubnet('127.0.0.0', 8, 'ipv4')
loopback.addAddress('::1', 'ipv6')

/** What a proxy adds for whom it speaks, and a browser for the page it speaks for. */
const foreignHeaders = ['forwarded', 'x-forwarded-for', 'x-real-ip', 'via', 'origin', 'referer']

/** Whether a request was made on this machine and not passed on for somebody elsewhere. A loopback peer is not
 *  enough: a proxy is one, and so is a browser that a foreign page tells what to ask; the address that this one
 *  asks for tells it off even where the page has had its own name point here. */
export function isLocal({ socket, headers }: IncomingMessage): boolean {
  return (
    isLoopbackAddress(socket.remoteAddress ?? '') &&
    isLoopbackHost(headers.host ?? '') &&
    foreignHeaders.every(name => headers[name] === undefined)
  )
}

function isLoopbackHost(host: string): boolean {
  const name = host.replace(/:\d+$/, '').replace(/^\[(.*)\]$/, '$1')
  return name.toLowerCase() === 'localhost' || isLoopbackAddress(name)
}

/** An IPv4 address may come in its IPv6 form, which BlockList sees through. */
function isLoopbackAddress(address: string): boolean {
  const family = isIP(address)
  return family !== 0 && loopback.check(address, family === 4 ? 'ipv4' : 'ipv6')
}
