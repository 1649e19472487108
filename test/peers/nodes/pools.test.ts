import { once } from 'node:events'
import { createConnection } from 'node:net'
import t from 'tap'
import { types } from '../../../src/dns/codes.ts'
import { rcodeOfMessage } from '../../../src/dns/message.ts'
import type { Appliance, Endpoint } from '../../helpers/appliance.ts'
import { openNodes } from '../../helpers/nodes.ts'
import { queryAddresses, queryUdp } from '../../helpers/query.ts'
import { until } from '../../helpers/until.ts'

// A pool with listeners of its own is separate at every node, whichever node was asked to create, change or delete it.

type View = { readonly id: string }
type Services = {
  readonly service_statuses: readonly { readonly stats: { readonly listen?: readonly string[] } }[]
}

const refused = 5

t.setTimeout(300_000)
const cluster = await openNodes(t)
const nodes = await Promise.all(['zw1', 'zw2', 'zw3'].map(name => cluster.start(name)))
const [first, second, third] = nodes as [Appliance, Appliance, Appliance]

/** Where a pool listens at a node. */
async function listenersAt(node: Appliance, pool: string): Promise<readonly Endpoint[]> {
  const { service_statuses: rows } = await node.json<Services>(
    'GET',
    `/v2/service_statuses?service_name=dns%20of%20pool%20${pool}`,
  )
  return (rows[0]?.stats.listen ?? []).map(address => {
    const at = address.lastIndexOf(':')
    return { host: address.slice(0, at), port: Number(address.slice(at + 1)) }
  })
}

const rcodeAt = async (server: Endpoint, name: string) =>
  rcodeOfMessage(await queryUdp(server, { name, type: types.SOA }))

async function createZone(node: Appliance, name: string, poolId?: string): Promise<string> {
  const attributes = poolId === undefined ? {} : { attributes: { pool_id: poolId } }
  const body = { name, email: 'ops@example.com', ...attributes }
  return (await node.json<View>('POST', '/v2/zones', body)).id
}

async function addAddress(node: Appliance, zoneId: string, name: string, address: string) {
  const body = { name, type: 'A', records: [address] }
  await node.json('POST', `/v2/zones/${zoneId}/recordsets`, body)
}

async function isClosed({ host, port }: Endpoint): Promise<boolean> {
  const socket = createConnection(port, host)
  const isRefused = await once(socket, 'connect').then(
    () => false,
    () => true,
  )
  socket.destroy()
  return isRefused
}

t.test(
  'a pool that one node creates is answered by all, and by its own listeners alone',
  async t => {
    const pool = await first.json<View>('POST', '/v2/pools', {
      name: 'edge',
      attributes: { listen: '127.0.0.1:0, 192.0.2.53:53' },
      ns_records: [{ hostname: 'ns1.edge.example.', priority: 1 }],
    })
    const inside = await createZone(second, 'twice.example.', pool.id)
    await addAddress(third, inside, 'www.twice.example.', '192.0.2.1')
    const outside = await createZone(third, 'twice.example.')
    await addAddress(first, outside, 'www.twice.example.', '192.0.2.2')
    for (const node of nodes) {
      const [own, ...rest] = await until(
        () => listenersAt(node, 'edge'),
        found => found.length > 0,
      )
      t.same(rest, [], 'an address of another machine is left to that machine')
      const isThere = (server: Endpoint, address: string) =>
        until(async () => (await queryAddresses(server, 'www.twice.example.')).join() === address)
      await isThere(own as Endpoint, '192.0.2.1')
      await isThere(node.endpoint(), '192.0.2.2')
    }
    await second.json('DELETE', `/v2/zones/${outside}`)
    for (const node of nodes)
      await until(async () => (await rcodeAt(node.endpoint(), 'twice.example.')) === refused)

    const before = await Promise.all(nodes.map(node => listenersAt(node, 'edge')))
    await third.json('PATCH', `/v2/pools/${pool.id}`, { attributes: {} })
    for (const [i, node] of nodes.entries()) {
      await until(async () => (await rcodeAt(node.endpoint(), 'twice.example.')) === 0)
      const [own] = before[i] as readonly Endpoint[]
      await until(() => isClosed(own as Endpoint))
    }
    await second.json('PATCH', `/v2/pools/${pool.id}`, { attributes: { listen: '127.0.0.1:0' } })
    // The statuses of a node may still be those of its former listeners.
    const after = await Promise.all(
      nodes.map((node, i) =>
        until(
          () => listenersAt(node, 'edge'),
          ([own]) => own !== undefined && own.port !== before[i]?.[0]?.port,
        ),
      ),
    )
    for (const [i, node] of nodes.entries()) {
      await until(async () => (await rcodeAt(node.endpoint(), 'twice.example.')) === refused)
      const [own] = after[i] as readonly Endpoint[]
      await until(async () => (await rcodeAt(own as Endpoint, 'twice.example.')) === 0)
    }

    await first.json('DELETE', `/v2/zones/${inside}`)
    await until(async () => (await first.request('GET', `/v2/zones/${inside}`)).status === 404)
    await second.json('DELETE', `/v2/pools/${pool.id}`)
    for (const [own] of after as readonly (readonly Endpoint[])[])
      await until(() => isClosed(own as Endpoint))
  },
)
