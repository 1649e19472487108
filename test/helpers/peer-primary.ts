import { join } from 'node:path'
import type { Test } from 'tap'
import { type PeerPlace, type PeerRecipe, startPeerProcess } from './peer-process.ts'

// Other name servers as primaries of one zone.

export const peerNames = ['bind', 'knot', 'nsd', 'powerdns'] as const
export type PeerName = (typeof peerNames)[number]

/** The zone `example.` on a server of another make. */
export type PeerPrimary = { readonly host: string; readonly port: number }

const host = '127.0.0.1'

/** Starts a server and resolves once `isReady` says that it answers. */
export async function startPeer(
  t: Test,
  { name, zoneText }: { readonly name: PeerName; readonly zoneText: string },
  isReady: (peer: PeerPrimary) => Promise<boolean>,
): Promise<PeerPrimary> {
  const peer = await startPeerProcess({
    name,
    recipe: ({ folder, port }) => {
      const zoneFile = join(folder, 'example.zone')
      const { files, command } = recipes[name]({ folder, port, zoneFile })
      return { files: { ...files, 'example.zone': zoneText }, command }
    },
    isReady: port => isReady({ host, port }),
  })
  t.teardown(() => peer.close())
  return { host, port: peer.port }
}

type Place = PeerPlace & { readonly zoneFile: string }

const recipes: Readonly<Record<PeerName, (place: Place) => PeerRecipe>> = {
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
