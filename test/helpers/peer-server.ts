import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import { join } from 'node:path'
import { startPeerProcess } from './peer-process.ts'

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

/** How long a peer has for a response, on a machine that does much besides. */
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
    recipe: ({ folder, port }) => {
      const apexes = zones.map(({ apex }) => apex)
      const files = Object.fromEntries(zones.map(({ text }, i) => [`${i}.zone`, text]))
      return {
        files: { ...files, 'peer.conf': configs[kind]({ folder, port, apexes }) },
        command: commands[kind](join(folder, 'peer.conf')),
      }
    },
    isReady: port => isAnswering(port, probe),
  })
  return {
    kind,
    port: peer.port,
    exchange: request => exchange(peer.port, request),
    close: () => peer.close(),
  }
}

const commands: Record<PeerKind, (config: string) => readonly string[]> = {
  knot: config => ['knotd', '-c', config],
  nsd: config => ['nsd', '-d', '-c', config],
  bind: config => ['named', '-g', '-c', config],
}

type ConfigInput = { folder: string; port: number; apexes: readonly string[] }

const configs: Record<PeerKind, (input: ConfigInput) => string> = {
  knot: ({ folder, port, apexes }) => `
server:
    rundir: "${folder}"
    listen: 127.0.0.1@${port}
    udp-workers: 1
    tcp-workers: 1
    background-workers: 1
database:
    storage: "${folder}"
zone:
${apexes.map((apex, i) => `  - domain: ${apex}\n    file: "${folder}/${i}.zone"`).join('\n')}
`,
  nsd: ({ folder, port, apexes }) => `
server:
    ip-address: 127.0.0.1@${port}
    username: ""
    chroot: ""
    zonesdir: "${folder}"
    pidfile: "${folder}/pid"
    zonelistfile: "${folder}/list"
    xfrdfile: "${folder}/xfrd"
    xfrdir: "${folder}"
    database: ""
    server-count: 1
    minimal-responses: yes
remote-control:
    control-enable: no
${apexes.map((apex, i) => `zone:\n    name: "${apex}"\n    zonefile: "${i}.zone"`).join('\n')}
`,
  bind: ({ folder, port, apexes }) => `
options {
    directory "${folder}";
    listen-on port ${port} { 127.0.0.1; };
    listen-on-v6 { none; };
    pid-file none;
    session-keyfile none;
    managed-keys-directory "${folder}";
    recursion no;
    notify no;
    minimal-responses no-auth;
    zero-no-soa-ttl no;
    allow-query { any; };
};
controls { };
${apexes.map((apex, i) => `zone "${apex}" { type primary; file "${i}.zone"; check-names ignore; check-integrity no; };`).join('\n')}
`,
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

/** Sends a request to 127.0.0.1 over UDP, again where nothing comes, and returns the response.
 *  @throws Error nobody listens, or nothing comes in `withinMs` */
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
