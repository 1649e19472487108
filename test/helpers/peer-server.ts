import { type ChildProcess, spawn } from 'node:child_process'
import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'

// Other name servers as a second opinion on whole answers. They must be installed; each runs in the
// foreground in a folder of its own, on a free port of 127.0.0.1; `close` ends it and removes the folder.

export const peerKinds = ['knot', 'nsd', 'bind'] as const
export type PeerKind = (typeof peerKinds)[number]

/** A zone as a peer loads it. */
export type PeerZone = { readonly apex: string; readonly text: string }

export type Peer = {
  readonly kind: PeerKind
  /** Sends one request over UDP and returns the response. */
  exchange(request: Uint8Array): Promise<Uint8Array>
  close(): Promise<void>
}

const startAttempts = 100
const responseTimeoutMs = 5000

/** Starts a peer with these zones and waits until it answers `probe`. */
export async function startPeer(
  kind: PeerKind,
  { zones, probe }: { zones: readonly PeerZone[]; probe: Uint8Array },
): Promise<Peer> {
  const port = await freePort()
  // Knot binds a socket in it, whose path may have 107 characters; a folder of the test would be longer.
  const folder = mkdtempSync(join(tmpdir(), `${kind}-`))
  zones.forEach(({ text }, i) => {
    writeFileSync(join(folder, `${i}.zone`), text)
  })
  const config = join(folder, 'peer.conf')
  writeFileSync(config, configs[kind]({ folder, port, apexes: zones.map(({ apex }) => apex) }))
  const [command, ...args] = commands[kind](config)
  const child = spawn(command, args, { stdio: 'ignore', cwd: folder })
  const peer: Peer = {
    kind,
    exchange: request => exchange(port, request),
    close: async () => {
      await stop(child)
      rmSync(folder, { recursive: true })
    },
  }
  await untilAnswering(peer, child, probe)
  return peer
}

const commands: Record<PeerKind, (config: string) => [string, ...string[]]> = {
  knot: config => ['knotd', '-c', config],
  nsd: config => ['nsd', '-d', '-c', config],
  bind: config => ['named', '-f', '-c', config],
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

async function untilAnswering(peer: Peer, child: ChildProcess, probe: Uint8Array): Promise<void> {
  for (let attempt = 0; attempt < startAttempts && child.exitCode === null; attempt += 1) {
    try {
      const response = await peer.exchange(probe)
      if (((response[3] ?? 15) & 15) === 0) return
    } catch {
      // Not listening yet: the datagram comes back as refused.
    }
    await delay(100)
  }
  await peer.close()
  throw new Error(`${peer.kind} does not answer`)
}

async function exchange(port: number, request: Uint8Array): Promise<Uint8Array> {
  const socket = createSocket('udp4')
  try {
    socket.connect(port, '127.0.0.1')
    await once(socket, 'connect')
    const signal = AbortSignal.timeout(responseTimeoutMs)
    const answered = once(socket, 'message', { signal })
    socket.send(request)
    const [octets] = await answered
    return octets as Uint8Array
  } finally {
    socket.close()
  }
}

async function freePort(): Promise<number> {
  const socket = createSocket('udp4')
  socket.bind(0, '127.0.0.1')
  await once(socket, 'listening')
  const { port } = socket.address()
  socket.close()
  return port
}

async function stop(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  child.kill('SIGTERM')
  await once(child, 'exit')
}
