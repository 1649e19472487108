import { connect, type Socket } from 'node:net'
import { connect as connectSecurely, createSecureContext } from 'node:tls'
import { queryFor } from '../../../test/helpers/ask.ts'
import { host, type RunningServer } from '../servers/running.ts'
import { origin } from './zone.ts'

/** No client may have all of a server's connections, so they come from several addresses. */
const addressCount = 50
/** So many at a time that a server's backlog takes them. */
const openingCount = 100
/** Servers close connections that are idle for ten seconds, and thousands of handshakes take longer. */
const askAgainMs = 4_000

export type Connections = { openCount(): number; close(): void }

/** Opens connections, over TLS where the server supports it, sends one query over each and waits for its answer. */
export async function openConnections(
  { port, tlsPort }: RunningServer,
  count: number,
): Promise<Connections> {
  const query = queryFor(`host1.${origin} A`)
  const request = Buffer.concat([Buffer.of(query.length >> 8, query.length & 0xff), query])
  const open = tlsPort === undefined ? openInTheClear(port) : openSecurely(tlsPort)
  const sockets: Socket[] = []
  const askingAgain = setInterval(() => {
    for (const socket of sockets) socket.write(request)
  }, askAgainMs)
  for (let opened = 0; opened < count; opened += openingCount) {
    const batch = Array.from({ length: Math.min(openingCount, count - opened) }, (_, i) =>
      openConnection(open(`127.0.1.${1 + ((opened + i) % addressCount)}`), request),
    )
    sockets.push(...(await Promise.all(batch)))
  }
  clearInterval(askingAgain)
  return {
    openCount: () => sockets.filter(socket => !socket.closed && !socket.readableEnded).length,
    close: () => {
      for (const socket of sockets) socket.destroy()
    },
  }
}

type Open = (localAddress: string) => Socket

function openInTheClear(port: number): Open {
  return localAddress => connect({ host, port, localAddress })
}

function openSecurely(port: number): Open {
  const secureContext = createSecureContext()
  const openBelow = openInTheClear(port)
  return localAddress =>
    connectSecurely({ socket: openBelow(localAddress), secureContext, rejectUnauthorized: false })
}

/** Resolves when the connection's first octets arrive, or when it has failed. */
function openConnection(socket: Socket, request: Buffer): Promise<Socket> {
  socket.write(request)
  return new Promise(resolve => {
    for (const event of ['data', 'end', 'error', 'close']) socket.once(event, () => resolve(socket))
  })
}
