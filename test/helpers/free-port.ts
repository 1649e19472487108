import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { createServer } from 'node:net'

// Ports for servers of other makes, which have to be told one before they start. Between the look and the start
// somebody else may take it, so whoever starts such a server is ready to do so again on another.

const host = '127.0.0.1'
const lowestPort = 10_000
const highestPort = 65_535
const maxLooks = 1000

/** A port that is free on 127.0.0.1 for UDP and for TCP, and that the kernel gives to nobody by itself: outgoing
 *  connections and listeners on port 0 of whatever runs beside this have ports of the ephemeral range.
 *  @throws Error there is none */
export async function freePort(): Promise<number> {
  const { first, last } = ephemeralRange()
  for (let look = 0; look < maxLooks; look += 1) {
    const port = lowestPort + Math.floor(Math.random() * (highestPort - lowestPort + 1))
    if (port >= first && port <= last) continue
    if ((await isFreeForUdp(port)) && (await isFreeForTcp(port))) return port
  }
  throw new Error('no free port')
}

type PortRange = { readonly first: number; readonly last: number }

/** Without Linux's own word, what IANA sets aside (RFC 6335 section 6). */
function ephemeralRange(): PortRange {
  try {
    const text = readFileSync('/proc/sys/net/ipv4/ip_local_port_range', 'utf8')
    const [first = 0, last = 0] = text.trim().split(/\s+/).map(Number)
    return { first, last }
  } catch {
    return { first: 49_152, last: 65_535 }
  }
}

async function isFreeForUdp(port: number): Promise<boolean> {
  const socket = createSocket('udp4')
  try {
    socket.bind(port, host)
    await once(socket, 'listening')
    return true
  } catch {
    return false
  } finally {
    socket.close()
  }
}

async function isFreeForTcp(port: number): Promise<boolean> {
  const server = createServer()
  try {
    server.listen(port, host)
    await once(server, 'listening')
  } catch {
    return false
  }
  server.close()
  await once(server, 'close')
  return true
}
