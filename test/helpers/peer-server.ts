import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import { startPeerProcess } from './peer-process.ts'
import { peerRecipe } from './peer-recipes.ts'

// Other name servers as a second opinion on whole answers. They must be installed.

export const peerKinds = ['knot', 'nsd', 'bind'] as const
export type PeerKind = (typeof peerKinds)[number]

/** A zone as a peer loads it. */
export type PeerZone = { readonly apex: string; readonly text: string }

export type Peer = {
  readonly kind: PeerKind
  readonly port: number
  /** Sends one request over UDP and returns the response. */
  exchange(request: Uint8Array): Promise<Uint8Array>
  close(): Promise<void>
}

/** The time limit for a peer's response, on a busy machine. */
const patienceMs = 60_000
/** A busy machine loses datagrams. */
const resendMs = 2_000

/** Starts a peer with these zones and waits until it answers `probe`. */
export async function startPeer(
  kind: PeerKind,
  { zones, probe }: { zones: readonly PeerZone[]; probe: Uint8Array },
): Promise<Peer> {
  const peer = await startPeerProcess({
    name: kind,
    recipe: peerRecipe(kind, { zones }),
    isReady: port => isAnswering(port, probe),
  })
  return {
    kind,
    port: peer.port,
    exchange: request => exchange(peer.port, request),
    close: () => peer.close(),
  }
}

async function isAnswering(port: number, probe: Uint8Array): Promise<boolean> {
  try {
    const response = await exchange(port, probe)
    return ((response[3] ?? 15) & 15) === 0
  } catch {
    // Not listening yet: the datagram comes back as refused.
    return false
  }
}

/** Sends a request to 127.0.0.1 over UDP, repeats it if no response arrives, and returns the response.
 *  @throws Error no server listens, or no response arrives within `withinMs` */
export async function exchange(
  port: number,
  request: Uint8Array,
  withinMs = patienceMs,
): Promise<Uint8Array> {
  const socket = createSocket('udp4')
  socket.connect(port, '127.0.0.1')
  await once(socket, 'connect')
  const resending = setInterval(() => socket.send(request), resendMs)
  try {
    const answered = once(socket, 'message', { signal: AbortSignal.timeout(withinMs) })
    socket.send(request)
    const [octets] = await answered
    return octets as Uint8Array
  } finally {
    clearInterval(resending)
    socket.close()
  }
}
