import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { connect } from 'node:net'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import t from 'tap'
import { types } from '../../src/dns/codes.ts'
import { formatRdata } from '../../src/dns/rdata/index.ts'
import { defaultPoolId } from '../../src/model/pool.ts'
import { Appliance } from '../helpers/appliance.ts'
import { startPeerProcess } from '../helpers/peer-process.ts'
import { queryUdp } from '../helpers/query.ts'
import { serverFolder } from '../helpers/server-folder.ts'
import { until } from '../helpers/until.ts'

// Kea's DHCP-DDNS server writes the names of leases into zones of ours, as its DHCP servers ask it to: signed, and with
// the prerequisites and the DHCID of RFC 4703.

const host = '127.0.0.1'
const key = { name: 'kea.', secret: Buffer.alloc(32, 5).toString('base64') }
const forward = 'dhcp.example.'
const reverse = '2.0.192.in-addr.arpa.'
const laptop = `laptop.${forward}`

const server = await Appliance.start({ dataDirectory: serverFolder(t) })
t.teardown(() => server.stop())
const pool = { scope: 'POOL', resource_id: defaultPoolId }
await server.json('POST', '/v2/tsigkeys', { ...key, algorithm: 'hmac-sha256', ...pool })
for (const [name, types] of [
  [forward, ['A', 'DHCID']],
  [reverse, ['PTR', 'DHCID']],
] as const) {
  const zone = { name, email: 'ops@example.com' }
  const { id } = await server.json<{ id: string }>('POST', '/v2/zones', zone)
  const rules = [{ key: key.name, match: 'zone', types }]
  await server.json('PUT', `/v2/zones/${id}/update_policy`, { rules })
}

const { port: primaryPort } = server.endpoint()
const domainsOf = (name: string) => {
  const servers = [{ 'ip-address': host, port: primaryPort }]
  return { 'ddns-domains': [{ name, 'key-name': key.name, 'dns-servers': servers }] }
}
const kea = await startPeerProcess({
  name: 'kea',
  recipe: ({ folder, port }) => ({
    command: [
      ...['env', `KEA_PIDFILE_DIR=${folder}`, `KEA_LOCKFILE_DIR=${folder}`],
      ...['kea-dhcp-ddns', '-c', join(folder, 'kea.json')],
    ],
    files: {
      'kea.json': JSON.stringify({
        DhcpDdns: {
          'ip-address': host,
          port,
          'dns-server-timeout': 60_000,
          'control-socket': { 'socket-type': 'unix', 'socket-name': join(folder, 'control') },
          'tsig-keys': [{ ...key, algorithm: 'HMAC-SHA256' }],
          'forward-ddns': domainsOf(forward),
          'reverse-ddns': domainsOf(reverse),
          loggers: [
            { name: 'kea-dhcp-ddns', severity: 'INFO', output_options: [{ output: 'stdout' }] },
          ],
        },
      }),
    },
  }),
  async isReady(port) {
    const hexPort = port.toString(16).toUpperCase().padStart(4, '0')
    return readFileSync('/proc/net/udp', 'latin1').includes(`0100007F:${hexPort} `)
  },
})
t.teardown(() => kea.close())

/** A DHCP server's message about a lease of 192.0.2.`last`: JSON after its length. */
async function tell(change: 'add' | 'remove', last: number, dhcid: string): Promise<void> {
  const message = JSON.stringify({
    'change-type': change === 'add' ? 0 : 1,
    'forward-change': true,
    'reverse-change': true,
    fqdn: laptop,
    'ip-address': `192.0.2.${last}`,
    dhcid,
    'lease-expires-on': '20400101000000',
    'lease-length': 3600,
    'use-conflict-resolution': true,
  })
  const length = Buffer.alloc(2)
  length.writeUInt16BE(message.length)
  const socket = createSocket('udp4')
  socket.connect(kea.port, host)
  await once(socket, 'connect')
  socket.send([length, message], () => socket.close())
  await once(socket, 'close')
}

/** How many of its updates were answered, whatever the answer. */
async function answeredCount(): Promise<number> {
  const socket = connect(join(kea.folder, 'control'))
  socket.write(JSON.stringify({ command: 'statistic-get-all' }))
  const answer = JSON.parse(await text(socket)) as { arguments: Record<string, number[][]> }
  return answer.arguments['update-success']?.[0]?.[0] ?? 0
}

/** Sends the message, and resolves when so many more updates are answered. */
async function tellAndWait(updates: number, ...told: Parameters<typeof tell>): Promise<void> {
  const wanted = (await answeredCount()) + updates
  await tell(...told)
  await until(answeredCount, count => count === wanted)
}

async function served(name: string, type: number): Promise<string[]> {
  const { answers } = await queryUdp(server.endpoint(), { name, type })
  return answers.map(({ type, rdata }) => formatRdata(type, rdata))
}

/** Whose the name is, by DHCID. */
const [one, other] = ['000101a1a2a3a4', '000101b1b2b3b4']

t.test('a lease has its name, its address and whose it is in both zones', async t => {
  await tellAndWait(2, 'add', 7, one)
  t.same(await served(laptop, types.A), ['192.0.2.7'])
  t.same(await served(`7.${reverse}`, types.PTR), [laptop])
  const dhcid = [Buffer.from(one, 'hex').toString('base64')]
  t.same(await served(laptop, types.DHCID), dhcid)
  t.same(await served(`7.${reverse}`, types.DHCID), dhcid)
})

t.test('a name of another client stays its own', async t => {
  // It is in use, and it is not this client's: neither zone is changed.
  await tellAndWait(2, 'add', 8, other)
  t.same(await served(laptop, types.A), ['192.0.2.7'])
  t.same(await served(`8.${reverse}`, types.PTR), [])
})

t.test('a lease that has moved replaces its address', async t => {
  // It is in use, it is this client's, and its address has a name now.
  await tellAndWait(3, 'add', 9, one)
  t.same(await served(laptop, types.A), ['192.0.2.9'])
  t.same(await served(`9.${reverse}`, types.PTR), [laptop])
})

t.test('a lease that has ended leaves nothing', async t => {
  // The address, then the name where it has no other, then the name of the address.
  await tellAndWait(3, 'remove', 9, one)
  t.same(await served(laptop, types.A), [])
  t.same(await served(laptop, types.DHCID), [])
  t.same(await served(`9.${reverse}`, types.PTR), [])
})
