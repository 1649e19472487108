import { join } from 'node:path'
import type { PeerPlace, PeerRecipe } from './peer-process.ts'

// Name servers of other makes, as primaries of zones or as secondaries. They must be installed.

export const peerNames = ['bind', 'knot', 'nsd', 'powerdns'] as const
export type PeerName = (typeof peerNames)[number]

export type PeerSetup = {
  /** With the text of a zone file; without it, its primary has the zone. */
  readonly zones: readonly { readonly apex: string; readonly text?: string }[]
  /** Where NOTIFY goes on 127.0.0.1; nowhere if left out. */
  readonly notifiedPort?: number | undefined
  /** Of whom it is a secondary. */
  readonly primary?: { readonly host: string; readonly port: number; readonly key: PeerKey }
}

/** Of HMAC-SHA256, in base64. */
export type PeerKey = { readonly name: string; readonly secret: string }

/** How to start a server that gives its zones to anybody at 127.0.0.1. */
export function peerRecipe(name: PeerName, setup: PeerSetup): (place: PeerPlace) => PeerRecipe {
  return place => {
    const { files, command } = recipes[name](place, setup)
    const texts = setup.zones.flatMap(({ text }, i) =>
      text === undefined ? [] : [[zoneFile(i), text] as const],
    )
    return { files: { ...files, ...Object.fromEntries(texts) }, command }
  }
}

/** The name of the file of a zone. */
export function zoneFile(i = 0): string {
  return `${i}.zone`
}

const host = '127.0.0.1'

type Recipe = (place: PeerPlace, setup: PeerSetup) => PeerRecipe

/** What a configuration says of each zone. */
function zonesOf({ zones }: PeerSetup, text: (apex: string, file: string) => string): string {
  return zones.map(({ apex }, i) => text(apex, zoneFile(i))).join('\n')
}

const bind: Recipe = ({ folder, port, otherPort }, setup) => {
  const { notifiedPort, primary } = setup
  const notify =
    notifiedPort === undefined
      ? 'notify no;'
      : `notify-delay 0; notify explicit; also-notify { ${host} port ${notifiedPort}; };`
  return {
    command: ['named', '-g', '-c', join(folder, 'peer.conf')],
    files: {
      'key.conf': 'key control { algorithm hmac-sha256; secret "Y29udHJvbA=="; };',
      'peer.conf': `
options {
  directory "${folder}"; pid-file none; session-keyfile none; managed-keys-directory "${folder}"; recursion no;
  listen-on port ${port} { ${host}; }; listen-on-v6 { none; };
  allow-query { any; }; allow-transfer { any; }; ${notify}
  ${primary === undefined ? '' : `allow-notify { key "${primary.key.name}"; };`}
  minimal-responses no-auth; zero-no-soa-ttl no; serial-query-rate 1000;
};
include "${join(folder, 'key.conf')}";
controls { inet ${host} port ${otherPort} allow { ${host}; } keys { control; }; };
${
  primary === undefined
    ? zonesOf(
        setup,
        (apex, file) => `zone "${apex}" { type primary; file "${file}"; check-names ignore;
  check-integrity no; ixfr-from-differences yes; };`,
      )
    : `key "${primary.key.name}" { algorithm hmac-sha256; secret "${primary.key.secret}"; };
${zonesOf(
  setup,
  (apex, file) => `zone "${apex}" { type secondary; file "${file}"; masterfile-format text;
  primaries { ${primary.host} port ${primary.port} key "${primary.key.name}"; }; };`,
)}`
}`,
    },
  }
}

const knot: Recipe = ({ folder, port }, setup) => {
  const { notifiedPort, primary } = setup
  const remotes =
    primary === undefined
      ? `
remote:
  - id: secondary
    address: ${host}@${notifiedPort ?? port}
acl:
  - id: all
    address: ${host}
    action: transfer
`
      : `
key:
  - id: ${primary.key.name}
    algorithm: hmac-sha256
    secret: ${primary.key.secret}
remote:
  - id: primary
    address: ${primary.host}@${primary.port}
    key: ${primary.key.name}
acl:
  - id: all
    address: ${host}
    action: transfer
  - id: primary
    key: ${primary.key.name}
    action: notify
`
  return {
    command: ['knotd', '-c', join(folder, 'peer.conf')],
    files: {
      'peer.conf': `
server:
    rundir: "${folder}/run"
    listen: ${host}@${port}
    udp-workers: 1
    tcp-workers: 1
    background-workers: 1
database:
    storage: "${folder}"
${remotes}
zone:
${zonesOf(setup, (apex, file) =>
  primary === undefined
    ? `  - domain: ${apex}
    file: "${folder}/${file}"
    zonefile-load: difference
    zonefile-sync: -1
    acl: all
    ${notifiedPort === undefined ? '' : 'notify: secondary'}`
    : `  - domain: ${apex}
    storage: "${folder}"
    master: primary
    acl: [all, primary]`,
)}
`,
    },
  }
}

const nsd: Recipe = ({ folder, port }, setup) => {
  const { notifiedPort, primary } = setup
  const notify = notifiedPort === undefined ? '' : `notify: ${host}@${notifiedPort} NOKEY`
  const role =
    primary === undefined
      ? `store-ixfr: yes
  create-ixfr: yes
  provide-xfr: ${host} NOKEY
  ${notify}`
      : `request-xfr: ${primary.host}@${primary.port} ${primary.key.name}
  allow-notify: ${host} ${primary.key.name}
  provide-xfr: ${host} NOKEY`
  const key =
    primary === undefined
      ? ''
      : `key:
  name: "${primary.key.name}"
  algorithm: hmac-sha256
  secret: "${primary.key.secret}"`
  return {
    command: ['nsd', '-d', '-c', join(folder, 'peer.conf')],
    files: {
      'peer.conf': `
server:
  ip-address: ${host}@${port}
  username: ""
  chroot: ""
  zonesdir: "${folder}"
  database: ""
  pidfile: "${folder}/pid"
  xfrdfile: "${folder}/xfrd.state"
  xfrdir: "${folder}/run"
  zonelistfile: "${folder}/zone.list"
  server-count: 1
  minimal-responses: yes
remote-control:
  control-enable: yes
  control-interface: "${folder}/run/control"
${key}
${zonesOf(
  setup,
  (apex, file) => `zone:
  name: ${apex}
  zonefile: "${file}"
  ${role}`,
)}
`,
    },
  }
}

const powerdns: Recipe = ({ folder, port }, setup) => {
  const { primary } = setup
  const configuration = `--config-dir=${folder} --config-name=peer`
  const start = `exec pdns_server ${configuration}`
  const keys = (apex: string, { name, secret }: PeerKey) =>
    [
      `pdnsutil ${configuration} create-bind-db ${folder}/keys.db`,
      `pdnsutil ${configuration} import-tsig-key ${name} hmac-sha256 '${secret}'`,
      `pdnsutil ${configuration} activate-tsig-key ${apex} ${name} slave`,
    ].join('\n')
  return {
    command: [
      'sh',
      '-c',
      primary === undefined
        ? start
        : `${zonesOf(setup, apex => keys(apex, primary.key))}\n${start}`,
    ],
    files: {
      'zones.conf': zonesOf(setup, (apex, file) =>
        primary === undefined
          ? `zone "${apex}" { type master; file "${folder}/${file}"; };`
          : `zone "${apex}" { type slave; file "${folder}/${file}"; masters { ${primary.host}:${primary.port}; }; };`,
      ),
      'pdns-peer.conf': [
        'daemon=no',
        'guardian=no',
        'launch=bind',
        `bind-config=${folder}/zones.conf`,
        `local-address=${host}`,
        `local-port=${port}`,
        `allow-axfr-ips=${host}`,
        `socket-dir=${folder}/run`,
        'security-poll-suffix=',
        ...(primary === undefined
          ? ['primary=yes']
          : [
              'secondary=yes',
              `bind-dnssec-db=${folder}/keys.db`,
              'xfr-cycle-interval=1',
              'cache-ttl=0',
              'query-cache-ttl=0',
              'negquery-cache-ttl=0',
            ]),
      ].join('\n'),
    },
  }
}

const recipes: Readonly<Record<PeerName, Recipe>> = { bind, knot, nsd, powerdns }
