import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { createServer } from 'node:net'

// Ports for other name servers, which need one in their configuration. Between the lookup and the start another
// process may take the port, so the caller must be prepared to start the server again on another one.

const host = '127.0.0.1'
const lowestPort = 10_000
const highestPort = 65_535
const maxLooks = 1000

/** A port that is free on 127.0.0.1 for UDP and for TCP, and that the kernel does not assign automatically: outgoing
 *  connections, and listeners on port 0, of other processes get ports of the ephemeral range.
 *  @throws Error no such port is free */
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

/** The range that Linux reports; otherwise, the one that IANA sets aside (RFC 6335 section 6). */
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
