import { execFile } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import type { Test } from 'tap'
import { type PeerPlace, type PeerRecipe, startPeerProcess } from './peer-process.ts'

// Other name servers as primaries of one zone.

export const peerNames = ['bind', 'knot', 'nsd', 'powerdns'] as const
export type PeerName = (typeof peerNames)[number]

/** A zone on a server of another make. */
export type PeerPrimary = { readonly host: string; readonly port: number }

/** One that can be told that its zone is another now, and notifies its secondary of it. */
export type NotifyingPeer = PeerPrimary & {
  /** Resolves when it has been told. Its secondary may hear of it later. */
  change(zoneText: string): Promise<void>
}

const host = '127.0.0.1'
const run = promisify(execFile)

/** Starts a server and resolves once `isReady` says that it answers.
 *  @param secondaryPort where on 127.0.0.1 a secondary waits for NOTIFY; nowhere if left out */
export async function startPeer(
  t: Test,
  { name, apex = 'example.', zoneText, secondaryPort }: PeerZone,
  isReady: (peer: PeerPrimary) => Promise<boolean>,
): Promise<NotifyingPeer> {
  const peer = await startPeerProcess({
    name,
    recipe: place => {
      const zoneFile = join(place.folder, zoneFileName)
      const { files, command } = recipes[name]({ ...place, apex, zoneFile, secondaryPort })
      return { files: { ...files, [zoneFileName]: zoneText }, command }
    },
    isReady: port => isReady({ host, port }),
  })
  t.teardown(() => peer.close())
  const { folder, port, otherPort } = peer
  return {
    host,
    port,
    async change(newText) {
      writeFileSync(join(folder, zoneFileName), newText)
      const calls = changes[name]({ apex, folder, otherPort, secondaryPort })
      for (const [program, ...words] of calls) await run(program, words)
    },
  }
}

export type PeerZone = {
  readonly name: PeerName
  /** `example.` if left out. */
  readonly apex?: string
  readonly zoneText: string
  readonly secondaryPort?: number
}

const zoneFileName = 'peer.zone'

type Control = {
  readonly apex: string
  readonly folder: string
  readonly otherPort: number
  readonly secondaryPort: number | undefined
}

type Place = PeerPlace & Control & { readonly zoneFile: string }

type Call = readonly [program: string, ...words: string[]]

/** How their people have them read a zone's file again; all but PowerDNS then notify at once by themselves. */
const changes: Readonly<Record<PeerName, (control: Control) => readonly Call[]>> = {
  bind: ({ apex, folder, otherPort }) => {
    const rndc = ['rndc', '-s', host, '-p', `${otherPort}`, '-k', join(folder, 'key.conf')] as const
    return [[...rndc, 'reload', apex]]
  },
  knot: ({ apex, folder }) => [
    ['knotc', '-c', join(folder, 'peer.conf'), '-b', 'zone-reload', apex],
  ],
  nsd: ({ apex, folder }) => [['nsd-control', '-c', join(folder, 'peer.conf'), 'reload', apex]],
  powerdns: ({ apex, folder, secondaryPort }) => {
    const control = ['pdns_control', `--config-dir=${folder}`, '--config-name=peer'] as const
    return [
      [...control, 'bind-reload-now', apex],
      [...control, 'notify-host', apex, `${host}:${secondaryPort}`],
    ]
  },
}

const recipes: Readonly<Record<PeerName, (place: Place) => PeerRecipe>> = {
  bind: ({ apex, folder, port, otherPort, zoneFile, secondaryPort }) => ({
    command: ['named', '-g', '-c', join(folder, 'peer.conf')],
    files: {
      'peer.conf': `
      options {
        directory "${folder}"; pid-file "${folder}/pid"; session-keyfile none; recursion no;
        listen-on port ${port} { 127.0.0.1; }; listen-on-v6 { none; };
        allow-transfer { any; };
        ${secondaryPort === undefined ? 'notify no;' : `notify-delay 0; notify explicit; also-notify { ${host} port ${secondaryPort}; };`}
      };
      include "${join(folder, 'key.conf')}";
      controls { inet ${host} port ${otherPort} allow { ${host}; } keys { control; }; };
      zone "${apex}" { type primary; file "${zoneFile}"; check-names ignore;
        ixfr-from-differences yes; };`,
      'key.conf': 'key control { algorithm hmac-sha256; secret "Y29udHJvbA=="; };',
    },
  }),
  knot: ({ apex, folder, port, zoneFile, secondaryPort }) => ({
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
remote:
  - id: secondary
    address: ${host}@${secondaryPort ?? port}
zone:
  - domain: ${apex}
    file: "${zoneFile}"
    zonefile-load: difference
    zonefile-sync: -1
    acl: all
    ${secondaryPort === undefined ? '' : 'notify: secondary'}
`,
    },
  }),
  nsd: ({ apex, folder, port, zoneFile, secondaryPort }) => ({
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
  control-enable: yes
  control-interface: "${folder}/run/control"
zone:
  name: ${apex}
  zonefile: "${zoneFile}"
  store-ixfr: yes
  create-ixfr: yes
  provide-xfr: 127.0.0.1 NOKEY
  ${secondaryPort === undefined ? '' : `notify: ${host}@${secondaryPort} NOKEY`}
`,
    },
  }),
  powerdns: ({ apex, folder, port, zoneFile }) => ({
    command: ['pdns_server', `--config-dir=${folder}`, '--config-name=peer'],
    files: {
      'zones.conf': `zone "${apex}" { type master; file "${zoneFile}"; };`,
      'pdns-peer.conf': [
        'daemon=no',
        'primary=yes',
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
