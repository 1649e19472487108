import { type ChildProcess, spawn } from 'node:child_process'
import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import type { Test } from 'tap'

// Other name servers as primaries of one zone, each in a folder of its own with a configuration of its own.

export const peerNames = ['bind', 'knot', 'nsd', 'powerdns'] as const
export type PeerName = (typeof peerNames)[number]

/** The zone `example.` on a server of another make. */
export type PeerPrimary = { readonly host: string; readonly port: number }

type Place = { readonly folder: string; readonly port: number; readonly zoneFile: string }

/** What to write into which file, and what to start. */
type Recipe = {
  readonly files: Readonly<Record<string, string>>
  readonly command: readonly string[]
}

/** Starts a server and resolves once `isReady` says that it answers. */
export async function startPeer(
  t: Test,
  { name, zoneText }: { readonly name: PeerName; readonly zoneText: string },
  isReady: (peer: PeerPrimary) => Promise<boolean>,
): Promise<PeerPrimary> {
  const folder = mkdtempSync(join(tmpdir(), `zonewright-${name}-`))
  const port = await freePort()
  const zoneFile = join(folder, 'example.zone')
  const { files, command } = recipes[name]({ folder, port, zoneFile })
  writeFileSync(zoneFile, zoneText)
  for (const [file, text] of Object.entries(files)) writeFileSync(join(folder, file), text)
  mkdirSync(join(folder, 'run'))
  const [program = '', ...words] = command
  const output: string[] = []
  const child = spawn(program, words, { cwd: folder, stdio: ['ignore', 'pipe', 'pipe'] })
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', text => output.push(`${text}`))
  t.teardown(async () => {
    await stop(child)
    rmSync(folder, { recursive: true, force: true })
  })
  const peer = { host: '127.0.0.1', port }
  for (let tries = 0; tries < 500; tries += 1) {
    if (await isReady(peer)) return peer
    if (child.exitCode !== null) break
    await delay(20)
  }
  throw new Error(`${name} does not serve the zone:\n${output.join('').slice(-2000)}`)
}

const recipes: Readonly<Record<PeerName, (place: Place) => Recipe>> = {
  bind: ({ folder, port, zoneFile }) => ({
    command: ['named', '-g', '-c', join(folder, 'peer.conf')],
    files: {
      'peer.conf': `
      options {
        directory "${folder}"; pid-file "${folder}/pid"; session-keyfile none; recursion no;
        listen-on port ${port} { 127.0.0.1; }; listen-on-v6 { none; };
        allow-transfer { any; }; notify no;
      };
      controls { };
      zone "example." { type primary; file "${zoneFile}"; check-names ignore; };`,
    },
  }),
  knot: ({ folder, port, zoneFile }) => ({
    command: ['knotd', '-c', join(folder, 'peer.conf')],
    files: {
      'peer.conf': `
server:
    rundir: "${folder}/run"
    listen: 127.0.0.1@${port}
database:
    storage: "${folder}"
acl:
  - id: all
    address: 127.0.0.1
    action: transfer
zone:
  - domain: example.
    file: "${zoneFile}"
    acl: all
`,
    },
  }),
  nsd: ({ folder, port, zoneFile }) => ({
    command: ['nsd', '-d', '-c', join(folder, 'peer.conf')],
    files: {
      'peer.conf': `
server:
  ip-address: 127.0.0.1@${port}
  username: ""
  zonesdir: "${folder}"
  database: ""
  pidfile: "${folder}/pid"
  xfrdfile: "${folder}/xfrd.state"
  xfrdir: "${folder}/run"
  zonelistfile: "${folder}/zone.list"
remote-control:
  control-enable: no
zone:
  name: example.
  zonefile: "${zoneFile}"
  provide-xfr: 127.0.0.1 NOKEY
`,
    },
  }),
  powerdns: ({ folder, port, zoneFile }) => ({
    command: ['pdns_server', `--config-dir=${folder}`, '--config-name=peer'],
    files: {
      'zones.conf': `zone "example." { type master; file "${zoneFile}"; };`,
      'pdns-peer.conf': [
        'daemon=no',
        'guardian=no',
        'launch=bind',
        `bind-config=${folder}/zones.conf`,
        'local-address=127.0.0.1',
        `local-port=${port}`,
        'allow-axfr-ips=127.0.0.1',
        `socket-dir=${folder}/run`,
        'security-poll-suffix=',
      ].join('\n'),
    },
  }),
}

/** A port that nobody has now. Between this and its use somebody could take it, which fails the test. */
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
