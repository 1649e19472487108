import { execFile } from 'node:child_process'
import { randomInt } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import t from 'tap'
import { Appliance, adminToken } from '../helpers/appliance.ts'
import { startPeerProcess } from '../helpers/peer-process.ts'
import { until } from '../helpers/until.ts'

// Zonemaster, with which registries look at a domain before they delegate it, finds nothing wrong with a zone that is signed here.
// It asks at port 53 only, so this server and NSD, which has the root and the zone above, get addresses of their own.

const runProgram = promisify(execFile)
const apex = 'example.test.'
const network = `127.${randomInt(1, 255)}.${randomInt(1, 255)}`
const addresses = { root: `${network}.1`, ns1: `${network}.2`, ns2: `${network}.3` }

/** What is wrong with name servers of one machine, and the timers that the specification sets. */
const expected = [
  'EXPIRE_MINIMUM_VALUE_LOWER',
  'NAMESERVER_IP_PRIVATE_NETWORK',
  'NAMESERVER_IP_WITHOUT_REVERSE',
  'NO_IPV6_NS_CHILD',
  'NO_IPV6_NS_DEL',
  'REFRESH_MINIMUM_VALUE_LOWER',
  'RETRY_MINIMUM_VALUE_LOWER',
]

const mayListen = process.getuid?.() === 0
const skip = mayListen ? false : 'port 53 is root’s'

t.test('Zonemaster finds nothing wrong with a signed zone', { skip }, async t => {
  const folder = t.testdir({})
  const server = await Appliance.start({
    dataDirectory: join(folder, 'data'),
    environment: {
      ZONEWRIGHT_ADMIN_TOKEN: adminToken,
      ZONEWRIGHT_DNS_LISTEN: `${addresses.ns1}:53,${addresses.ns2}:53`,
      ZONEWRIGHT_NAMESERVERS: `ns1.${apex},ns2.${apex}`,
    },
  })
  t.teardown(() => server.kill())
  await server.json('POST', '/v2/zones', { name: apex, email: `hostmaster@${apex.slice(0, -1)}` })
  for (const recordset of [
    { name: 'ns1', type: 'A', records: [addresses.ns1] },
    { name: 'ns2', type: 'A', records: [addresses.ns2] },
    { name: '@', type: 'MX', records: [`10 ns1.${apex}`] },
  ])
    await server.json('POST', `/v2/zones/${apex}/recordsets`, recordset)
  for (const policy of ['default', 'nsec3']) {
    const path = `/v2/zones/${apex}/dnssec`
    await server.json('PUT', path, { policy_id: policy })
    const ds = await until<readonly string[]>(
      async () => {
        const { status, ds } = await server.json<{ status: string; ds: string[] }>('GET', path)
        return status === 'SIGNED' ? ds : []
      },
      found => found.length > 0,
    )
    const parents = await startParents(ds)
    try {
      t.strictSame(await zonemaster(folder), expected, policy)
    } finally {
      await parents.close()
    }
  }
})

/** The servers of the root and of `test.`. */
function startParents(ds: readonly string[]) {
  const soa = 'SOA root.test. ops.test. 1 3600 600 86400 300'
  const nameServer = `root.test. 300 A ${addresses.root}`
  const zones = {
    '.': [`. 300 ${soa}`, '. 300 NS root.test.', 'test. 300 NS root.test.', nameServer],
    test: [
      `test. 300 ${soa}`,
      'test. 300 NS root.test.',
      nameServer,
      ...(['ns1', 'ns2'] as const).flatMap(name => [
        `${apex} 300 NS ${name}.${apex}`,
        `${name}.${apex} 300 A ${addresses[name]}`,
      ]),
      ...ds.map(text => `${apex} 300 DS ${text}`),
    ],
  }
  return startPeerProcess({
    name: 'nsd',
    recipe: ({ folder }) => ({
      command: ['nsd', '-d', '-c', join(folder, 'nsd.conf')],
      files: {
        ...Object.fromEntries(
          Object.entries(zones).map(([name, lines]) => [`${name}zone`, `${lines.join('\n')}\n`]),
        ),
        'nsd.conf': `
server:
  ip-address: ${addresses.root}
  username: ""
  chroot: ""
  zonesdir: "${folder}"
  database: ""
  pidfile: "${folder}/pid"
  xfrdfile: "${folder}/xfrd.state"
  zonelistfile: "${folder}/zone.list"
remote-control:
  control-enable: no
${Object.keys(zones)
  .map(name => `zone:\n  name: ${name}\n  zonefile: "${name}zone"`)
  .join('\n')}
`,
      },
    }),
    isReady: async () => {
      const words = [`@${addresses.root}`, 'test.', 'SOA', '+short', '+tries=1']
      const { stdout } = await runProgram('dig', words).catch(() => ({ stdout: '' }))
      return stdout.startsWith('root.test.')
    },
  })
}

/** The tags of what is found. */
async function zonemaster(folder: string): Promise<readonly string[]> {
  const hints = join(folder, 'hints')
  writeFileSync(hints, `. 300 NS root.test.\nroot.test. 300 A ${addresses.root}\n`)
  const words = [
    '--hints',
    hints,
    '--no-ipv6',
    '--no-progress',
    '--level',
    'NOTICE',
    '--json',
    apex,
  ]
  const { stdout } = await runProgram('zonemaster-cli', words)
  const entries = JSON.parse(stdout) as readonly { readonly tag: string }[]
  return [...new Set(entries.map(({ tag }) => tag))].sort()
}
