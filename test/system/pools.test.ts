import t from 'tap'
import { Appliance, type Endpoint } from '../helpers/appliance.ts'
import { queryAddresses } from '../helpers/query.ts'
import { serverFolder } from '../helpers/server-folder.ts'
import { until } from '../helpers/until.ts'

type View = { readonly id: string; readonly status: string; readonly status_reason: string | null }
type Services = {
  readonly service_statuses: readonly { readonly stats: { readonly listen?: string[] } }[]
}

t.test('a pool listens on its own, over a restart, and is checked by what it answers', async t => {
  const dataDirectory = serverFolder(t)
  let server = await Appliance.start({ dataDirectory })
  t.teardown(() => server.stop())
  const call = <T>(method: string, path: string, body?: unknown) =>
    server.json<T>(method, `/v2${path}`, body)

  const pool = await call<View>('POST', '/pools', {
    name: 'edge',
    attributes: { listen: '127.0.0.1:0' },
    ns_records: [{ hostname: 'ns1.edge.example.', priority: 1 }],
  })
  /** Where the pool listens, according to the service statuses. */
  async function edge(): Promise<Endpoint> {
    const { service_statuses: rows } = await until(
      () => call<Services>('GET', '/service_statuses?service_name=dns%20of%20pool%20edge'),
      body => body.service_statuses[0]?.stats.listen !== undefined,
    )
    const [host = '', port] = rows[0]?.stats.listen?.[0]?.split(':') ?? []
    return { host, port: Number(port) }
  }

  const zone = await call<View>('POST', '/zones', {
    name: 'edge.example.',
    email: 'ops@example.com',
    attributes: { pool_id: pool.id },
  })
  const www = { name: 'www.edge.example.', type: 'A', records: ['192.0.2.80'] }
  await call('POST', `/zones/${zone.id}/recordsets`, www)
  const own = await edge()
  t.strictSame(await queryAddresses(own, 'www.edge.example.'), ['192.0.2.80'])
  t.strictSame(await queryAddresses(server.endpoint(), 'www.edge.example.'), [], 'not elsewhere')

  const state = () => call<View>('GET', `/zones/${zone.id}`)
  const address = `${own.host}:${own.port}`
  await call('PATCH', `/pools/${pool.id}`, { attributes: { listen: address, check: address } })
  t.match(await until(state, ({ status }) => status === 'ACTIVE'), { status_reason: null })
  t.strictSame(await edge(), own, 'the listener was not opened anew')

  await server.stop()
  server = await Appliance.start({ dataDirectory })
  t.strictSame(await edge(), own)
  await until(state, ({ status }) => status === 'ACTIVE')
  t.strictSame(await queryAddresses(own, 'www.edge.example.'), ['192.0.2.80'])

  const bad = await server.request('POST', '/v2/pools', {
    name: 'second',
    attributes: { listen: address },
  })
  t.equal(bad.status, 400)
  t.match(await bad.json(), { type: 'bad_request', message: /another program has the port/ })
  await call('DELETE', `/zones/${zone.id}`)
  await untilStatus(() => server.request('GET', `/v2/zones/${zone.id}`), 404)
  await call('DELETE', `/pools/${pool.id}`)
})

async function untilStatus(ask: () => Promise<Response>, status: number): Promise<void> {
  await until(ask, response => response.status === status)
}
