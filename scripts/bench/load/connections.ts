import { connect, type Socket } from 'node:net'
import { queryFor } from '../../../test/helpers/ask.ts'
import type { RunningServer } from '../servers/running.ts'
import { origin } from './zone.ts'

/** No client may have all of a server's connections, so they come from several addresses. */
const addressCount = 50
/** So many at a time that a server's backlog takes them. */
const openingCount = 100

/** Opens connections, asks one query over each and waits for its answer. */
export async function openConnections(
  { port }: RunningServer,
  count: number,
): Promise<{ openCount(): number; close(): void }> {
  const query = queryFor(`host1.${origin} A`)
  const request = Buffer.concat([Buffer.of(query.length >> 8, query.length & 0xff), query])
  const sockets: Socket[] = []
  for (let opened = 0; opened < count; opened += openingCount) {
    const batch = Array.from({ length: Math.min(openingCount, count - opened) }, (_, i) => {
      const localAddress = `127.0.1.${1 + ((opened + i) % addressCount)}`
      return openConnection({ port, localAddress }, request)
    })
    sockets.push(...(await Promise.all(batch)))
  }
  return {
    openCount: () => sockets.filter(socket => !socket.closed && !socket.readableEnded).length,
    close: () => {
      for (const socket of sockets) socket.destroy()
    },
  }
}

/** Resolves when the connection's first octets are here, or when it has failed. */
function openConnection(
  { port, localAddress }: { readonly port: number; readonly localAddress: string },
  request: Buffer,
): Promise<Socket> {
  return new Promise(resolve => {
    const socket = connect({ host: '127.0.0.1', port, localAddress }, () => socket.write(request))
    for (const event of ['data', 'end', 'error', 'close']) socket.once(event, () => resolve(socket))
  })
}
