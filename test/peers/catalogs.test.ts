import { execFile } from 'node:child_process'
import { existsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import t from 'tap'
import { parseName } from '../../src/dns/name.ts'
import { defaultPoolId } from '../../src/model/pool.ts'
import { AxfrClient } from '../../src/transport/outbound/axfr.ts'
import { Appliance } from '../helpers/appliance.ts'
import { digZone } from '../helpers/dig-zone.ts'
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

async function startServer(): Promise<Appliance> {
  const server = await Appliance.start({ dataDirectory: serverFolder(t) })
  t.teardown(() => server.stop())
  await server.liftQuotas()
  const key = { name: 'k', secret, algorithm: 'hmac-sha256' }
  await server.json('POST', '/v2/tsigkeys', { ...key, scope: 'POOL', resource_id: defaultPoolId })
  return server
}

const server = await startServer()
/** The server that some zones move to. */
const next = await startServer()
const primary = server.endpoint()

type ZoneView = {
  readonly id: string
  readonly name: string
  readonly serial: number
  readonly status: string
  readonly masters: readonly string[]
}

const newZone = (name: string, fields: object = {}, at = server) =>
  at.json<ZoneView>('POST', '/v2/zones', { name, email: 'ops@example.com', ...fields })

/** The status of the answer to a question for a zone's SOA. */
async function statusAt(port: number, name: string): Promise<string | undefined> {
  const words = [`@${host}`, '-p', `${port}`, '+norecurse', name, 'SOA']
  const { stdout } = await run('dig', words).catch(() => ({ stdout: '' }))
  return /status: (\w+)/.exec(stdout)?.[1]
}

/** What a consumer takes its zones from: the catalog of each of these servers. */
const producers = [
  { catalog: 'catalog.example.', ...primary },
  { catalog: 'next.example.', ...next.endpoint() },
] as const

/** The TTL of a zone's SOA. */
async function ttlAt(port: number, name: string): Promise<number> {
  const words = [`@${host}`, '-p', `${port}`, '+norecurse', '+noall', '+answer', name, 'SOA']
  const { stdout } = await run('dig', words)
  return Number(stdout.split(/\s+/)[1])
}

/** Whether a consumer has a zone in the group `open`: Knot transfers such zones to anybody, PowerDNS has it in its database. */
async function isInGroup({ folder, port }: PeerPlace, name: string): Promise<boolean> {
  if (existsSync(join(folder, 'zones.db'))) {
    const query = `select options from domains where name = '${name.slice(0, -1)}'`
    const { stdout } = await run('sqlite3', [join(folder, 'zones.db'), query])
    return stdout.includes('"group": ["open"]')
  }
  return (await digZone({ host, port }, name)).includes(' soa ')
}

const consumers = {
  bind: ({ folder, port }: PeerPlace) => {
    const zones = producers.map(({ catalog, port }) => ({
      catalog,
      primaries: `{ ${host} port ${port} key k; }`,
    }))
    const listed = zones.map(
      ({ catalog, primaries }) =>
        `zone "${catalog}" default-primaries ${primaries} in-memory yes min-update-interval 0;`,
    )
    const transferred = zones.map(
      ({ catalog, primaries }) =>
        `zone "${catalog}" { type secondary; file "${catalog}"; primaries ${primaries}; };`,
    )
    return {
      command: ['named', '-g', '-c', join(folder, 'peer.conf')],
      files: {
        'peer.conf': `
        key k { algorithm hmac-sha256; secret "${secret}"; };
        options {
          directory "${folder}"; pid-file none; session-keyfile none; recursion no; notify no;
          listen-on port ${port} { ${host}; }; listen-on-v6 { none; }; allow-notify { key k; };
          catalog-zones { ${listed.join(' ')} };
        };
        controls { };
        ${transferred.join('\n')}`,
      },
    }
  },
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
  - id: reader
    address: ${host}
    action: transfer
template:
  - id: default
    storage: "${folder}"
  - id: member
    storage: "${folder}"
    master: primary
    acl: primary
  - id: open
    storage: "${folder}"
    master: primary
    acl: [primary, reader]
zone:
  - domain: catalog.example.
    master: primary
    acl: primary
    catalog-role: interpret
    catalog-template: [member, open]
`,
    },
  }),
  powerdns: (place: PeerPlace) => {
    const util = `pdnsutil --config-dir=${place.folder}`
    return powerdns(place, 'secondary', [
      `${util} import-tsig-key k hmac-sha256 '${secret}'`,
      ...producers.flatMap(({ catalog, port }) => [
        `${util} create-secondary-zone ${catalog} ${host}:${port}`,
        `${util} activate-tsig-key ${catalog} k secondary`,
        `${util} set-kind ${catalog} consumer`,
      ]),
    ])
  },
}

/** PowerDNS on an empty database, with the changes made to it before the start. It supports catalogs from 4.7 on. */
function powerdns(
  { folder, port }: PeerPlace,
  role: 'primary' | 'secondary',
  commands: readonly string[],
) {
  return {
    command: [
      'sh',
      '-ec',
      [
        `sqlite3 ${folder}/zones.db < /usr/share/doc/pdns-backend-sqlite3/schema.sqlite3.sql`,
        ...commands,
        `exec pdns_server --config-dir=${folder}`,
      ].join('\n'),
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
        `${role}=yes`,
        `also-notify=${role === 'primary' ? `${host}:${primary.port}` : ''}`,
        'xfr-cycle-interval=1',
        'cache-ttl=0',
        'negquery-cache-ttl=0',
        'query-cache-ttl=0',
        'zone-cache-refresh-interval=0',
      ].join('\n'),
    },
  }
}

t.test('the zones of our pool, by its catalog', async t => {
  const { id } = await newZone('catalog.example.', { attributes: { catalog: 'producer' } })
  await newZone('next.example.', { attributes: { catalog: 'producer' } }, next)
  const listed = () =>
    server.json<{ recordsets: { records: string[] }[] }>(
      'GET',
      `/v2/zones/${id}/recordsets?type=PTR`,
    )
  const attributes = { allow_transfer: 'key:k' }
  await server.json('PATCH', `/v2/pools/${defaultPoolId}`, { attributes })
  for (const [name, recipe] of Object.entries(consumers)) {
    t.test(`${name} makes them, moves them, and lets go of them`, async t => {
      // PowerDNS has the catalog's key for the catalog alone.
      const allowed = name === 'powerdns' ? { allow_transfer: `key:k,${host}` } : attributes
      for (const one of [server, next])
        await one.json('PATCH', `/v2/pools/${defaultPoolId}`, { attributes: allowed })
      const one = await newZone(`one.${name}.test.`)
      await until(listed, ({ recordsets }) =>
        recordsets.some(({ records }) => records.includes(one.name)),
      )
      const isReady = async (port: number) => (await statusAt(port, one.name)) === 'NOERROR'
      const peer = await startPeerProcess({ name, recipe, isReady })
      t.teardown(() => peer.close())
      const alsoNotify = { ...allowed, also_notify: `${host}:${peer.port} key:k` }
      for (const one of [server, next])
        await one.json('PATCH', `/v2/pools/${defaultPoolId}`, { attributes: alsoNotify })
      // At times SQLite refuses PowerDNS a lock, and PowerDNS then ignores a catalog until its next change.
      let asked = 0
      const comes = <T>(ask: () => Promise<T>, isWanted: (found: T) => boolean) =>
        until(async () => {
          asked += 1
          if (name === 'powerdns' && asked % 100 === 0) {
            for (const one of [server, next]) await newZone(`again${asked}.example.`, {}, one)
          }
          return ask()
        }, isWanted)
      const becomes = (zone: ZoneView, wanted: string) =>
        comes(
          () => statusAt(peer.port, zone.name),
          status => status === wanted,
        )
      const two = await newZone(`two.${name}.test.`)
      await becomes(two, 'NOERROR')

      // BIND ignores the group.
      if (name !== 'bind') {
        const open = { attributes: { catalog_group: 'open' } }
        const grouped = await newZone(`grouped.${name}.test.`, open)
        await becomes(grouped, 'NOERROR')
        await comes(
          () => isInGroup(peer, grouped.name),
          isIn => isIn,
        )
        t.notOk(await isInGroup(peer, two.name))
      }

      // Knot does not support changes of ownership.
      if (name !== 'knot') {
        const [moved, kept] = [
          await newZone(`moved.${name}.test.`, { ttl: 111 }),
          await newZone(`kept.${name}.test.`, { ttl: 111 }),
        ]
        const coo = { attributes: { catalog_coo: 'next.example.' } }
        await server.json('PATCH', `/v2/zones/${moved.id}`, coo)
        await becomes(await newZone(`three.${name}.test.`), 'NOERROR')
        for (const zone of [moved, kept]) await newZone(zone.name, { ttl: 222 }, next)
        await becomes(await newZone(`mark.${name}.test.`, {}, next), 'NOERROR')
        await comes(
          () => ttlAt(peer.port, moved.name),
          ttl => ttl === 222,
        )
        t.equal(await ttlAt(peer.port, kept.name), 111, 'the first catalog has it')
        await server.json('DELETE', `/v2/zones/${moved.id}`)
        await server.json('DELETE', `/v2/zones/${one.id}`)
        await becomes(one, 'REFUSED')
        t.equal(await ttlAt(peer.port, moved.name), 222, 'the second catalog has it')
      } else {
        await server.json('DELETE', `/v2/zones/${one.id}`)
        await becomes(one, 'REFUSED')
      }
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

t.test(
  'the zones of a PowerDNS that produces its catalog are here, until another has them',
  async t => {
    const [stays, moves, late] = ['stays', 'moves', 'late'].map(name => `${name}.pdns.example.`)
    const util = (folder: string) => `pdnsutil --config-dir=${folder}`
    const listing = (folder: string, zone = '') =>
      `${util(folder)} set-catalog ${zone} produced.example`
    const commandsFor = (folder: string, zone = '') => [
      `${util(folder)} create-zone ${zone} ns.example.net`,
      `${util(folder)} set-kind ${zone} primary`,
    ]
    const peer = await startPeerProcess({
      name: 'powerdns',
      recipe: place =>
        powerdns(place, 'primary', [
          `${util(place.folder)} create-zone produced.example`,
          `${util(place.folder)} set-kind produced.example producer`,
          ...[stays, moves, late].flatMap(zone => commandsFor(place.folder, zone)),
          ...[stays, moves].map(zone => listing(place.folder, zone)),
          `${util(place.folder)} set-option ${stays} producer group some-group`,
        ]),
      isReady: async port => (await statusAt(port, moves ?? '')) === 'NOERROR',
    })
    t.teardown(() => peer.close())
    const becomes = (zone: string | undefined, wanted: string) =>
      until(
        () => statusAt(primary.port, zone ?? ''),
        status => status === wanted,
      )
    const { id } = await newZone('produced.example.', {
      type: 'SECONDARY',
      email: undefined,
      masters: [`${host}:${peer.port}`],
      attributes: { catalog: 'consumer' },
    })
    await becomes(stays, 'NOERROR')
    await becomes(moves, 'NOERROR')
    const viewOf = async (zone = '') => {
      const path = `/v2/zones?name=${zone}`
      const { zones } = await server.json<{ zones: { attributes: object }[] }>('GET', path)
      return zones[0]
    }
    t.match(await viewOf(stays), { attributes: { catalog_group: 'some-group' } })
    const change = (command: string) => run('sh', ['-c', command])
    await change(listing(peer.folder, late))
    await becomes(late, 'NOERROR')
    await change(`${util(peer.folder)} set-catalog ${late} ''`)
    await becomes(late, 'REFUSED')

    const { port: nextPort } = next.endpoint()
    const attributes = { allow_transfer: `${host}`, also_notify: `${host}:${primary.port}` }
    await next.json('PATCH', `/v2/pools/${defaultPoolId}`, { attributes })
    await newZone('next.example.', {
      type: 'SECONDARY',
      email: undefined,
      masters: [`${host}:${nextPort}`],
      attributes: { catalog: 'consumer' },
    })
    await change(`${util(peer.folder)} set-option ${moves} producer coo next.example`)
    const copied = `/v2/zones/${id}/recordsets?type=PTR`
    await until(
      async () => JSON.stringify(await server.json('GET', copied)),
      recordsets => recordsets.includes('"name":"coo.'),
    )
    await newZone(moves ?? '', {}, next)
    await becomes((await newZone('mark.pdns.example.', {}, next)).name, 'NOERROR')
    await until(
      () => viewOf(moves),
      view => JSON.stringify(view).includes(`${host}:${nextPort}`),
    )
    await change(`${util(peer.folder)} set-catalog ${moves} ''`)
    await change(`${util(peer.folder)} set-catalog ${stays} ''`)
    await becomes(stays, 'REFUSED')
    t.equal(await statusAt(primary.port, moves ?? ''), 'NOERROR')
  },
)
