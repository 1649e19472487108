import { mkdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { origin } from '../load/zone.ts'
import { apiToken, host, type Place, type Recipe } from './running.ts'

// Other name servers with one thread or process each for answering, no logs, limits raised, and the settings that their
// manuals recommend for speed: minimal responses, as Knot and we give them, and long-lived caches for PowerDNS. Debian builds NSD without
// recvmmsg.

export type PeerName = 'nsd' | 'knot' | 'bind' | 'powerdns'

export const peerNames: readonly PeerName[] = ['nsd', 'knot', 'bind', 'powerdns']

/** A zone and the zone file it is in, or is kept in when it is fetched from another server of this machine. */
export type ZoneSource = {
  readonly name: string
  readonly file: string
  readonly primaryPort?: number
}

/** The peers that are also started as secondaries. */
export type SecondaryName = Exclude<PeerName, 'powerdns'>

/** How to start a peer that serves some zones. */
export function peerRecipe(name: PeerName, zones: readonly ZoneSource[]): (place: Place) => Recipe {
  return place => {
    mkdirSync(join(place.folder, 'run'))
    return recipes[name](place, zones)
  }
}

/** How to start a peer that fetches the zone of `load/zone.ts` from another server and keeps it in a file. */
export function secondaryRecipe(
  name: SecondaryName,
  primaryPort: number,
): (place: Place) => Recipe {
  return peerRecipe(name, [{ name: origin, file: 'zone', primaryPort }])
}

/** What a configuration says for each zone. */
function forEach(zones: readonly ZoneSource[], text: (zone: ZoneSource) => string): string {
  return zones.map(text).join('')
}

type PeerRecipe = (place: Place, zones: readonly ZoneSource[]) => Recipe

const recipes: Readonly<Record<PeerName, PeerRecipe>> = {
  nsd: ({ folder, port }, zones) => ({
    command: ['nsd', '-d', '-c', join(folder, 'nsd.conf')],
    files: {
      'nsd.conf': `
server:
  ip-address: ${host}@${port}
  server-count: 1
  reuseport: no
  tcp-count: 1000
  tcp-query-count: 0
  receive-buffer-size: 4194304
  rrl-ratelimit: 0
  rrl-whitelist-ratelimit: 0
  minimal-responses: yes
  username: ""
  zonesdir: "${folder}"
  database: ""
  pidfile: "${folder}/pid"
  xfrdfile: "${folder}/xfrd.state"
  xfrdir: "${folder}/run"
  zonelistfile: "${folder}/zone.list"
  zonefiles-write: 5
remote-control:
  control-enable: no
${forEach(zones, nsdZone)}`,
    },
  }),
  knot: ({ folder, port }, zones) => ({
    command: ['knotd', '-c', join(folder, 'knot.conf')],
    files: {
      'knot.conf': `
server:
    rundir: "${folder}/run"
    listen: ${host}@${port}
    udp-workers: 1
    tcp-workers: 1
    background-workers: 1
    tcp-max-clients: 1000
database:
    storage: "${folder}"
acl:
  - id: local
    address: ${host}
    action: transfer
remote:
${forEach(zones, knotRemote)}template:
  - id: default
    storage: "${folder}"
zone:
${forEach(zones, knotZone)}`,
    },
  }),
  bind: ({ folder, port, tls }, zones) => ({
    command: ['named', '-f', '-n', '1', '-c', join(folder, 'named.conf')],
    files: {
      'named.conf': `
${tls === undefined ? '' : `tls bench { cert-file "${tls.certificateFile}"; key-file "${tls.keyFile}"; };`}
options {
  directory "${folder}"; pid-file "${folder}/pid"; session-keyfile none; recursion no;
  listen-on port ${port} { ${host}; }; listen-on-v6 { none; };
  ${tls === undefined ? '' : `listen-on port ${tls.port} tls bench { ${host}; };`}
  notify no; minimal-responses yes; zone-statistics none; tcp-clients 1000;
};
logging { category default { null; }; };
controls { };
${forEach(zones, bindZone)}`,
    },
  }),
  powerdns: ({ folder, port }, zones) => ({
    command: ['pdns_server', `--config-dir=${folder}`],
    files: {
      'zones.conf': forEach(
        zones,
        ({ name, file }) => `zone "${name}" { type master; file "${file}"; };\n`,
      ),
      'pdns.conf': [
        'daemon=no',
        'guardian=no',
        'launch=bind',
        `bind-config=${folder}/zones.conf`,
        `local-address=${host}`,
        `local-port=${port}`,
        `socket-dir=${folder}/run`,
        'security-poll-suffix=',
        'loglevel=1',
        'receiver-threads=1',
        'distributor-threads=1',
        'cache-ttl=60',
        'query-cache-ttl=60',
        'negquery-cache-ttl=60',
        'max-tcp-connections=1000',
        'max-tcp-connections-per-client=0',
      ].join('\n'),
    },
  }),
}

function nsdZone({ name, file, primaryPort }: ZoneSource): string {
  const zone = `zone:\n  name: ${name}\n  zonefile: "${file}"\n`
  if (primaryPort === undefined) return `${zone}  provide-xfr: ${host} NOKEY\n`
  return `${zone}  request-xfr: AXFR ${host}@${primaryPort} NOKEY\n  allow-notify: ${host} NOKEY\n`
}

function knotRemote({ name, primaryPort }: ZoneSource): string {
  return primaryPort === undefined ? '' : `  - id: ${name}\n    address: ${host}@${primaryPort}\n`
}

function knotZone({ name, file, primaryPort }: ZoneSource): string {
  const role = primaryPort === undefined ? 'acl: local' : `master: ${name}`
  return `  - domain: ${name}\n    file: "${file}"\n    ${role}\n`
}

function bindZone({ name, file, primaryPort }: ZoneSource): string {
  const role =
    primaryPort === undefined
      ? 'type primary'
      : `type secondary; primaries port ${primaryPort} { ${host}; }`
  return `zone "${name}" { ${role}; file "${file}"; check-names ignore; };\n`
}

/** PowerDNS with its HTTP API over a database of its own, as its package sets it up. The API's port is the one above
 *  that of the name server. */
export function powerdnsApiRecipe({ folder, port }: Place): Recipe {
  const database = new DatabaseSync(join(folder, 'zones.sqlite3'))
  database.exec(readFileSync('/usr/share/doc/pdns-backend-sqlite3/schema.sqlite3.sql', 'utf8'))
  database.close()
  return {
    command: ['pdns_server', `--config-dir=${folder}`],
    files: {
      'pdns.conf': [
        'daemon=no',
        'guardian=no',
        'launch=gsqlite3',
        `gsqlite3-database=${folder}/zones.sqlite3`,
        `local-address=${host}`,
        `local-port=${port}`,
        `socket-dir=${folder}`,
        'security-poll-suffix=',
        'loglevel=1',
        'api=yes',
        `api-key=${apiToken}`,
        `webserver-address=${host}`,
        `webserver-port=${port + 1}`,
        `webserver-allow-from=${host}`,
        'webserver-loglevel=none',
      ].join('\n'),
    },
  }
}
