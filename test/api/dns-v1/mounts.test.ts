import t from 'tap'
import { dnsV1Mounts } from '../../../src/api/dns-v1/mounts.ts'
import { type Mount, RouteTable } from '../../../src/api/route-table.ts'
import { openDns } from '../../helpers/dns.ts'
import { startDnsV1Api } from '../../helpers/dns-v1-api.ts'

const all = { extensions: ['quotas', 'touch', 'sync', 'reports', 'diagnostics'] } as const

t.test(
  'domains and servers have their routes without the prefix too, and nothing else has',
  async t => {
    const mounts = dnsV1Mounts(await openDns(), all)
    const [prefixed, ...others] = mounts.filter(({ base }) => base !== '/dns/v1')
    t.equal(prefixed?.base, '/v1')
    t.same(
      others.map(({ base }) => base),
      ['/domains', '/servers'],
    )
    const bare = others.flatMap(({ base, routes }) =>
      routes.map(({ method, path }) => `${method} ${base}${path === '/' ? '' : path}`),
    )
    const wanted = prefixed?.routes
      .filter(({ path }) => /^\/(domains|servers)(\/|$)/.test(path))
      .map(({ method, path }) => `${method} ${path}`)
    t.same(bare.sort(), wanted?.sort())
  },
)

t.test(
  'what is emptied is answered to whoever takes a page, or JSON, and to nobody else',
  async t => {
    const { api } = await startDnsV1Api(t, all)
    const taking = (accept: string) => api.admin.with({ accept })
    for (const [accept, status] of [
      ['text/html', 200],
      ['application/json', 200],
      ['image/png', 406],
    ] as const) {
      const { body: domain } = await api.admin.post('/v1/domains', {
        name: `accept-${status}.${accept.replace('/', '-')}.example.`,
        email: 'ops@example.com',
      })
      const path = `/v1/domains/${domain.id}`
      const record = { name: domain.name, type: 'TXT', data: 'x' }
      const { body: made } = await api.admin.post(`${path}/records`, record)
      for (const emptied of ['/v1/domains/sync', `${path}/sync`, `${path}/touch`]) {
        t.equal((await taking(accept).post(emptied)).status, status, emptied)
      }
      for (const deleted of [`${path}/records/${made.id}`, path, '/v1/quotas/one']) {
        t.equal((await taking(accept).delete(deleted)).status, status, deleted)
      }
    }
  },
)

t.test('Designate’s literal form has the same routes', async t => {
  const [prefixed, ...others] = dnsV1Mounts(await openDns(), all)
  const literal = others.find(({ base }) => base === '/dns/v1')
  const calls = (mount: Mount | undefined) =>
    mount?.routes.map(({ method, path }) => `${method} ${path}`)
  t.ok(calls(literal))
  t.same(calls(literal), calls(prefixed))
})

t.test('no two routes answer the same request', async t => {
  for (const { routes } of dnsV1Mounts(await openDns(), all)) {
    t.doesNotThrow(() => new RouteTable(routes))
  }
})

t.test('what is no path says so only to who is known', async t => {
  const { api } = await startDnsV1Api(t)
  const one = await api.clientOf({ project: 'one' })
  for (const path of ['/v1', '/v1/', '/v1/nothing', '/domains/a/nothing', '/servers/a/b']) {
    t.equal((await api.anonymous.get(path)).status, 401, path)
    t.match(await one.get(path), { status: 404, body: { type: 'not_found' } }, path)
    t.match(await one.post(path, {}), { status: 405, body: { type: 'invalid_method' } }, path)
  }
  for (const path of ['/quotas/one', '/limits', '/tsigkeys']) {
    t.equal((await one.get(path)).status, 404, path)
  }
  t.equal((await one.get('/domains/')).status, 200, 'a slash at the end does no harm')
})
