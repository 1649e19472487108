import { join } from 'node:path'
import type { PeerName } from './peer-primary.ts'
import {
  type PeerPlace,
  type PeerProcess,
  type PeerRecipe,
  startPeerProcess,
} from './peer-process.ts'

// Other name servers as secondaries of one zone, which they ask for signed with a key.

export type SecondaryOf = {
  readonly name: PeerName
  readonly apex: string
  readonly primary: { readonly host: string; readonly port: number }
  /** Of HMAC-SHA256, in base64. */
  readonly key: { readonly name: string; readonly secret: string }
}

type Place = PeerPlace & SecondaryOf

const host = '127.0.0.1'

/** Starts a secondary that gives its zone to anybody at 127.0.0.1, and resolves once `isReady` says so. */
export function startSecondary(
  secondary: SecondaryOf,
  isReady: (port: number) => Promise<boolean>,
): Promise<PeerProcess> {
  const recipe = (place: PeerPlace) => recipes[secondary.name]({ ...place, ...secondary })
  return startPeerProcess({ name: secondary.name, recipe, isReady })
}

const recipes: Readonly<Record<PeerName, (place: Place) => PeerRecipe>> = {
  bind: ({ apex, folder, port, primary, key }) => ({
    command: ['named', '-g', '-c', join(folder, 'peer.conf')],
    files: {
      'peer.conf': `
      options {
        directory "${folder}"; pid-file "${folder}/pid"; session-keyfile none; recursion no; notify no;
        listen-on port ${port} { ${host}; }; listen-on-v6 { none; }; allow-transfer { any; };
        allow-notify { key "${key.name}"; }; serial-query-rate 1000;
      };
      controls { };
      key "${key.name}" { algorithm hmac-sha256; secret "${key.secret}"; };
      zone "${apex}" { type secondary; file "copy"; masterfile-format text;
        primaries { ${primary.host} port ${primary.port} key "${key.name}"; }; };`,
    },
  }),
  knot: ({ apex, folder, port, primary, key }) => ({
    command: ['knotd', '-c', join(folder, 'peer.conf')],
    files: {
      'peer.conf': `
server:
    rundir: "${folder}/run"
    listen: ${host}@${port}
database:
    storage: "${folder}"
key:
  - id: ${key.name}
    algorithm: hmac-sha256
    secret: ${key.secret}
remote:
  - id: primary
    address: ${primary.host}@${primary.port}
    key: ${key.name}
acl:
  - id: all
    address: ${host}
    action: transfer
  - id: primary
    key: ${key.name}
    action: notify
zone:
  - domain: ${apex}
    storage: "${folder}"
    master: primary
    acl: [all, primary]
`,
    },
  }),
  nsd: ({ apex, folder, port, primary, key }) => ({
    command: ['nsd', '-d', '-c', join(folder, 'peer.conf')],
    files: {
      'peer.conf': `
server:
  ip-address: ${host}@${port}
  username: ""
  zonesdir: "${folder}"
  database: ""
  pidfile: "${folder}/pid"
  xfrdfile: "${folder}/xfrd.state"
  xfrdir: "${folder}/run"
  zonelistfile: "${folder}/zone.list"
remote-control:
  control-enable: no
key:
  name: "${key.name}"
  algorithm: hmac-sha256
  secret: "${key.secret}"
zone:
  name: ${apex}
  zonefile: "copy"
  request-xfr: ${primary.host}@${primary.port} ${key.name}
  allow-notify: ${host} ${key.name}
  provide-xfr: ${host} NOKEY
`,
    },
  }),
  powerdns: ({ apex, folder, port, primary, key }) => ({
    command: [
      'sh',
      '-c',
      [
        `pdnsutil --config-dir=${folder} --config-name=peer create-bind-db ${folder}/keys.db`,
        `pdnsutil --config-dir=${folder} --config-name=peer import-tsig-key ${key.name} hmac-sha256 '${key.secret}'`,
        `pdnsutil --config-dir=${folder} --config-name=peer activate-tsig-key ${apex} ${key.name} slave`,
        `exec pdns_server --config-dir=${folder} --config-name=peer`,
      ].join('\n'),
    ],
    files: {
      'zones.conf': `zone "${apex}" { type slave; file "${folder}/copy"; masters { ${primary.host}:${primary.port}; }; };`,
      'pdns-peer.conf': [
        'daemon=no',
        'secondary=yes',
        'guardian=no',
        'launch=bind',
        `bind-config=${folder}/zones.conf`,
        `bind-dnssec-db=${folder}/keys.db`,
        'xfr-cycle-interval=1',
        'cache-ttl=0',
        'query-cache-ttl=0',
        'negquery-cache-ttl=0',
        `local-address=${host}`,
        `local-port=${port}`,
        'allow-axfr-ips=127.0.0.1',
        `socket-dir=${folder}/run`,
        'security-poll-suffix=',
      ].join('\n'),
    },
  }),
}
