import { execFile } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import t from 'tap'
import { parseName } from '../../src/dns/name.ts'
import { defaultPoolId } from '../../src/model/pool.ts'
import { AxfrClient } from '../../src/transport/outbound/axfr.ts'
import { Appliance } from '../helpers/appliance.ts'
import { startPeer } from '../helpers/peer-primary.ts'
import { type PeerPlace, startPeerProcess } from '../helpers/peer-process.ts'
import { peerNames } from '../helpers/peer-recipes.ts'
import { anywhereForAll } from '../helpers/reach.ts'
import { serverFolder } from '../helpers/server-folder.ts'
import { until } from '../helpers/until.ts'

// Catalog zones (RFC 9432): ours at BIND, Knot and PowerDNS, and theirs here.

const run = promisify(execFile)
const host = '127.0.0.1'
const secret = Buffer.alloc(32, 9).toString('base64')

const server = await Appliance.start({ dataDirectory: serverFolder(t) })
t.teardown(() => server.stop())
const primary = server.endpoint()
const pool = { scope: 'POOL', resource_id: defaultPoolId }
await server.json('POST', '/v2/tsigkeys', { name: 'k', secret, algorithm: 'hmac-sha256', ...pool })

type ZoneView = {
  readonly id: string
  readonly name: string
  readonly serial: number
  readonly status: string
  readonly masters: readonly string[]
}

const newZone = (name: string, fields: object = {}) =>
  server.json<ZoneView>('POST', '/v2/zones', { name, email: 'ops@example.com', ...fields })

/** The status of the answer to a question for a zone's SOA. */
async function statusAt(port: number, name: string): Promise<string | undefined> {
  const words = [`@${host}`, '-p', `${port}`, '+norecurse', name, 'SOA']
  const { stdout } = await run('dig', words).catch(() => ({ stdout: '' }))
  return /status: (\w+)/.exec(stdout)?.[1]
}

const consumers = {
  bind: ({ folder, port }: PeerPlace) => ({
    command: ['named', '-g', '-c', join(folder, 'peer.conf')],
    files: {
      'peer.conf': `
      key k { algorithm hmac-sha256; secret "${secret}"; };
      options {
        directory "${folder}"; pid-file none; session-keyfile none; recursion no; notify no;
        listen-on port ${port} { ${host}; }; listen-on-v6 { none; }; allow-notify { key k; };
        catalog-zones {
          zone "catalog.example" default-primaries { ${host} port ${primary.port} key k; } in-memory yes min-update-interval 0;
        };
      };
      controls { };
      zone "catalog.example" { type secondary; file "catalog"; primaries { ${host} port ${primary.port} key k; }; };`,
    },
  }),
  knot: ({ folder, port }: PeerPlace) => ({
    command: ['knotd', '-c', join(folder, 'peer.conf')],
    files: {
      'peer.conf': `
server:
    rundir: "${folder}/run"
    listen: ${host}@${port}
database:
    storage: "${folder}"
key:
  - id: k
    algorithm: hmac-sha256
    secret: ${secret}
remote:
  - id: primary
    address: ${host}@${primary.port}
    key: k
acl:
  - id: primary
    key: k
    action: notify
template:
  - id: default
    storage: "${folder}"
  - id: member
    storage: "${folder}"
    master: primary
    acl: primary
zone:
  - domain: catalog.example.
    master: primary
    acl: primary
    catalog-role: interpret
    catalog-template: member
`,
    },
  }),
  // From 4.7 on.
  powerdns({ folder, port }: PeerPlace) {
    const util = `pdnsutil --config-dir=${folder}`
    return {
      command: [
        'sh',
        '-ec',
        `sqlite3 ${folder}/zones.db < /usr/share/doc/pdns-backend-sqlite3/schema.sqlite3.sql
         ${util} import-tsig-key k hmac-sha256 '${secret}'
         ${util} create-secondary-zone catalog.example ${host}:${primary.port}
         ${util} activate-tsig-key catalog.example k secondary
         ${util} set-kind catalog.example consumer
         exec pdns_server --config-dir=${folder}`,
      ],
      files: {
        'pdns.conf': [
          'daemon=no',
          'guardian=no',
          'launch=gsqlite3',
          `gsqlite3-database=${folder}/zones.db`,
          `local-address=${host}`,
          `local-port=${port}`,
          `socket-dir=${folder}/run`,
          'security-poll-suffix=',
          'secondary=yes',
          'xfr-cycle-interval=1',
          'cache-ttl=0',
          'negquery-cache-ttl=0',
          'query-cache-ttl=0',
          'zone-cache-refresh-interval=0',
        ].join('\n'),
      },
    }
  },
}

t.test('the zones of our pool, by its catalog', async t => {
  const { id } = await newZone('catalog.example.', { attributes: { catalog: 'producer' } })
  const listed = () =>
    server.json<{ recordsets: { records: string[] }[] }>(
      'GET',
      `/v2/zones/${id}/recordsets?type=PTR`,
    )
  const attributes = { allow_transfer: 'key:k' }
  await server.json('PATCH', `/v2/pools/${defaultPoolId}`, { attributes })
  for (const [name, recipe] of Object.entries(consumers)) {
    t.test(`${name} makes them, and lets go of them`, async t => {
      // PowerDNS has the catalog's key for the catalog alone.
      const allowed = name === 'powerdns' ? { allow_transfer: `key:k,${host}` } : attributes
      await server.json('PATCH', `/v2/pools/${defaultPoolId}`, { attributes: allowed })
      const one = await newZone(`one.${name}.test.`)
      await until(listed, ({ recordsets }) =>
        recordsets.some(({ records }) => records.includes(one.name)),
      )
      const isReady = async (port: number) => (await statusAt(port, one.name)) === 'NOERROR'
      const peer = await startPeerProcess({ name, recipe, isReady })
      t.teardown(() => peer.close())
      const alsoNotify = { ...allowed, also_notify: `${host}:${peer.port} key:k` }
      await server.json('PATCH', `/v2/pools/${defaultPoolId}`, { attributes: alsoNotify })
      const two = await newZone(`two.${name}.test.`)
      await until(
        () => statusAt(peer.port, two.name),
        status => status === 'NOERROR',
      )
      await server.request('DELETE', `/v2/zones/${one.id}`)
      await until(
        () => statusAt(peer.port, one.name),
        status => status === 'REFUSED',
      )
      t.equal(await statusAt(peer.port, two.name), 'NOERROR')
    })
  }
  t.test('strangers are answered its SOA, and nothing that is in it', async t => {
    await server.json('PATCH', `/v2/pools/${defaultPoolId}`, { attributes })
    t.equal(await statusAt(primary.port, 'catalog.example.'), 'NOERROR')
    t.equal(await statusAt(primary.port, 'version.catalog.example.'), 'REFUSED')
    const version = ['version.catalog.example.', 'TXT', '+short']
    const at = [`@${host}`, '-p', `${primary.port}`]
    const { stdout } = await run('dig', [...at, '-y', `hmac-sha256:k:${secret}`, ...version])
    t.equal(stdout.trim(), '"2"')
    const { stdout: refused } = await run('dig', [...at, ...version])
    t.equal(refused.trim(), '')
  })
})

const catalogText = (serial: number, members: readonly string[]) =>
  [
    '$ORIGIN theirs.example.',
    `@ 0 IN SOA invalid. invalid. ${serial} 3600 600 86400 0`,
    '@ 0 IN NS invalid.',
    'version 0 IN TXT "2"',
    ...members.map(name => `${name}.zones 0 IN PTR ${name}.theirs.test.`),
    '',
  ].join('\n')

const membersHere = async () => {
  const { zones } = await server.json<{ zones: ZoneView[] }>('GET', '/v2/zones?name=*.theirs.test.')
  return zones.map(({ name }) => name).toSorted()
}

const client = new AxfrClient({ randomWord: () => 4711, reaches: anywhereForAll })

for (const name of peerNames) {
  t.test(`a catalog of ${name} makes zones here, and deletes them`, async t => {
    const apex = 'theirs.example.'
    const zoneText = catalogText(1, ['a', 'b'])
    const peer = await startPeer(
      t,
      { name, apex, zoneText, secondaryPort: primary.port },
      async master => {
        const request = { zone: parseName(apex), master, namedBy: 'operator' as const }
        const { kind } = await client.askSerial(request, new AbortController().signal)
        return kind === 'serial'
      },
    )
    const { id } = await server.json<ZoneView>('POST', '/v2/zones', {
      name: apex,
      type: 'SECONDARY',
      masters: [`${peer.host}:${peer.port}`],
      attributes: { catalog: 'consumer' },
    })
    const holds = (...wanted: readonly string[]) =>
      until(membersHere, found => found.join() === wanted.map(l => `${l}.theirs.test.`).join())
    await holds('a', 'b')
    await peer.change(catalogText(2, ['b', 'c']))
    await holds('b', 'c')
    await peer.change(catalogText(3, []))
    await holds()
    await server.request('DELETE', `/v2/zones/${id}`)
    t.pass('as listed')
  })
}

t.test('the zones of a Knot that generates its catalog are here', async t => {
  const members = ['x.knot.example.', 'y.knot.example.']
  const conf = ({ folder, port }: PeerPlace, zones: readonly string[]) => `
server:
    rundir: "${folder}/run"
    listen: ${host}@${port}
database:
    storage: "${folder}"
remote:
  - id: secondary
    address: ${host}@${primary.port}
acl:
  - id: all
    address: ${host}
    action: transfer
template:
  - id: default
    storage: "${folder}"
    acl: all
    notify: secondary
zone:
  - domain: generated.example.
    catalog-role: generate
${zones
  .map(
    zone => `  - domain: ${zone}
    file: "${zone}zone"
    catalog-role: member
    catalog-zone: generated.example.
    catalog-group: some-group
`,
  )
  .join('')}`
  const zoneText = `@ 300 IN SOA ns host 7 3600 600 86400 60\n@ 300 IN NS ns\nns 300 IN A 192.0.2.1\n`
  const peer = await startPeerProcess({
    name: 'knot',
    recipe: place => ({
      command: ['knotd', '-c', join(place.folder, 'peer.conf')],
      files: {
        'peer.conf': conf(place, members.slice(0, 1)),
        ...Object.fromEntries(members.map(zone => [`${zone}zone`, zoneText])),
      },
    }),
    isReady: async port => (await statusAt(port, members[0] ?? '')) === 'NOERROR',
  })
  t.teardown(() => peer.close())
  await server.json<ZoneView>('POST', '/v2/zones', {
    name: 'generated.example.',
    type: 'SECONDARY',
    masters: [`${host}:${peer.port}`],
    attributes: { catalog: 'consumer' },
  })
  const isHere = (zone: string | undefined) =>
    until(
      () => statusAt(primary.port, zone ?? ''),
      status => status === 'NOERROR',
    )
  await isHere(members[0])
  writeFileSync(join(peer.folder, 'peer.conf'), conf(peer, members))
  await run('knotc', ['-c', join(peer.folder, 'peer.conf'), 'reload'])
  await isHere(members[1])
  type View = ZoneView & { readonly attributes: Readonly<Record<string, string>> }
  const { zones } = await server.json<{ zones: View[] }>('GET', '/v2/zones?name=y.knot.example.')
  t.match(zones, [{ type: 'SECONDARY', attributes: { catalog_group: 'some-group' } }])
})
