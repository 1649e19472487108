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
  /** The primary of a secondary. */
  readonly primary?: { readonly host: string; readonly port: number }
  /** The key that a secondary signs its requests with; a primary transfers its zones to clients with the key, and to `reader`. */
  readonly key?: PeerKey | undefined
}

/** Of HMAC-SHA256, in base64. */
export type PeerKey = { readonly name: string; readonly secret: string }

/** The address that may read zones without a key. */
export const reader = '127.0.0.2'

/** How to start a server. Without a key, and as a secondary, it transfers its zones to any client at 127.0.0.1. */
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
  const { notifiedPort, primary, key } = setup
  const signed = key === undefined ? '' : `key "${key.name}"`
  const isOpen = primary !== undefined || key === undefined
  const notify =
    notifiedPort === undefined
      ? 'notify no;'
      : `notify-delay 0; notify explicit; also-notify { ${host} port ${notifiedPort} ${signed}; };`
  return {
    command: ['named', '-g', '-c', join(folder, 'peer.conf')],
    files: {
      'key.conf': 'key control { algorithm hmac-sha256; secret "Y29udHJvbA=="; };',
      'peer.conf': `
options {
  directory "${folder}"; pid-file none; session-keyfile none; managed-keys-directory "${folder}"; recursion no;
  listen-on port ${port} { ${host}; }; listen-on-v6 { none; };
  allow-query { any; }; allow-transfer { ${isOpen ? 'any' : `${signed}; ${reader}`}; }; ${notify}
  ${primary === undefined ? '' : `allow-notify { ${signed}; };`}
  minimal-responses no-auth; zero-no-soa-ttl no; serial-query-rate 1000;
};
include "${join(folder, 'key.conf')}";
controls { inet ${host} port ${otherPort} allow { ${host}; } keys { control; }; };
${key === undefined ? '' : `${signed} { algorithm hmac-sha256; secret "${key.secret}"; };`}
${zonesOf(setup, (apex, file) =>
  primary === undefined
    ? `zone "${apex}" { type primary; file "${file}"; check-names ignore;
  check-integrity no; ixfr-from-differences yes; };`
    : `zone "${apex}" { type secondary; file "${file}"; masterfile-format text;
  primaries { ${primary.host} port ${primary.port} ${signed}; }; };`,
)}`,
    },
  }
}

const knot: Recipe = ({ folder, port }, setup) => {
  const { notifiedPort, primary, key } = setup
  const isOpen = primary !== undefined || key === undefined
  const remotes = `
${key === undefined ? '' : `key:\n  - id: ${key.name}\n    algorithm: hmac-sha256\n    secret: ${key.secret}`}
remote:
  - id: other
    address: ${primary === undefined ? `${host}@${notifiedPort ?? port}` : `${primary.host}@${primary.port}`}
    ${key === undefined ? '' : `key: ${key.name}`}
acl:
  - id: readers
    address: ${isOpen ? host : reader}
    action: transfer
  - id: other
    ${key === undefined ? `address: ${host}` : `key: ${key.name}`}
    action: [transfer, notify]
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
    acl: [readers, other]
    ${notifiedPort === undefined ? '' : 'notify: other'}`
    : `  - domain: ${apex}
    storage: "${folder}"
    master: other
    acl: [readers, other]`,
)}
`,
    },
  }
}

const nsd: Recipe = ({ folder, port }, setup) => {
  const { notifiedPort, primary, key } = setup
  const signed = key?.name ?? 'NOKEY'
  const role =
    primary === undefined
      ? `store-ixfr: yes
  create-ixfr: yes
  provide-xfr: ${host} ${signed}
  ${key === undefined ? '' : `provide-xfr: ${reader} NOKEY`}
  ${notifiedPort === undefined ? '' : `notify: ${host}@${notifiedPort} ${signed}`}`
      : `request-xfr: ${primary.host}@${primary.port} ${signed}
  allow-notify: ${host} ${signed}
  provide-xfr: ${host} NOKEY`
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
${key === undefined ? '' : `key:\n  name: "${key.name}"\n  algorithm: hmac-sha256\n  secret: "${key.secret}"`}
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

const powerdns: Recipe = (place, setup) =>
  setup.primary === undefined
    ? powerdnsPrimary(place, setup)
    : powerdnsSecondary(place, { ...setup, primary: setup.primary })

const powerdnsWords = ({ folder }: PeerPlace) => `--config-dir=${folder} --config-name=peer`

function powerdnsPrimary(place: PeerPlace, setup: PeerSetup): PeerRecipe {
  const { folder } = place
  const { key } = setup
  const words = powerdnsWords(place)
  const keyCommands =
    key === undefined
      ? ''
      : `pdnsutil ${words} create-bind-db ${folder}/keys.db
pdnsutil ${words} import-tsig-key ${key.name} hmac-sha256 '${key.secret}'
${zonesOf(setup, apex => `pdnsutil ${words} activate-tsig-key ${apex} ${key.name} primary`)}`
  return {
    command: ['sh', '-c', `${keyCommands}\nexec pdns_server ${words}`],
    files: {
      'zones.conf': zonesOf(
        setup,
        (apex, file) => `zone "${apex}" { type master; file "${folder}/${file}"; };`,
      ),
      'pdns-peer.conf': [
        ...powerdnsLines(place),
        'launch=bind',
        `bind-config=${folder}/zones.conf`,
        `allow-axfr-ips=${key === undefined ? host : reader}`,
        'primary=yes',
        ...(key === undefined ? [] : [`bind-dnssec-db=${folder}/keys.db`]),
      ].join('\n'),
    },
  }
}

/** A secondary that asks for differences, which it takes into a database only. */
function powerdnsSecondary(
  place: PeerPlace,
  setup: PeerSetup & Required<Pick<PeerSetup, 'primary'>>,
): PeerRecipe {
  const { primary, key } = setup
  const { folder } = place
  const util = `pdnsutil ${powerdnsWords(place)}`
  const keyCommand =
    key === undefined ? '' : `${util} import-tsig-key ${key.name} hmac-sha256 '${key.secret}'`
  const zoneCommands = (apex: string) => `
${util} create-secondary-zone ${apex} ${primary.host}:${primary.port}
${key === undefined ? '' : `${util} activate-tsig-key ${apex} ${key.name} secondary`}
${util} set-meta ${apex} IXFR 1`
  return {
    command: [
      'sh',
      '-ec',
      `sqlite3 ${folder}/zones.db < /usr/share/doc/pdns-backend-sqlite3/schema.sqlite3.sql
${keyCommand}
${zonesOf(setup, zoneCommands)}
exec pdns_server ${powerdnsWords(place)}`,
    ],
    files: {
      'pdns-peer.conf': [
        ...powerdnsLines(place),
        'launch=gsqlite3',
        `gsqlite3-database=${folder}/zones.db`,
        `allow-axfr-ips=${host}`,
        'secondary=yes',
        'xfr-cycle-interval=1',
        'cache-ttl=0',
        'query-cache-ttl=0',
        'negquery-cache-ttl=0',
      ].join('\n'),
    },
  }
}

const powerdnsLines = ({ folder, port }: PeerPlace): readonly string[] => [
  'daemon=no',
  'guardian=no',
  `local-address=${host}`,
  `local-port=${port}`,
  `socket-dir=${folder}/run`,
  'security-poll-suffix=',
]

const recipes: Readonly<Record<PeerName, Recipe>> = { bind, knot, nsd, powerdns }
