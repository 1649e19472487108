import t from 'tap'
import { adminMounts } from '../../../src/api/admin/mount.ts'
import { dnsMounts } from '../../../src/api/dns/mounts.ts'
import { startApi } from '../../helpers/api.ts'
import { addresses, callerOf, openDns, primary, secondary } from '../../helpers/dns.ts'

async function start(t: Parameters<typeof startApi>[0]) {
  const dns = await openDns()
  const { store, clock } = dns
  const mounts = () => [...dnsMounts(dns), ...adminMounts(dns)]
  return { dns, api: await startApi(t, { store, clock, mounts }) }
}

t.test('nobody but administrators is answered, in Designate’s dialect', async t => {
  const { api } = await start(t)
  const member = await api.clientOf({ project: 'alpha' })
  const paths = adminMounts((await start(t)).dns).flatMap(({ base, routes }) =>
    routes.map(({ method, path }) => [method, base + path]),
  )
  for (const [method = '', path = ''] of paths) {
    const url = path.replaceAll(/:\w+/g, '11111111-2222-3333-4444-555555555555')
    const body = method === 'PATCH' ? { quota: { zones: 1 } } : undefined
    const denied = await member.call(method, url, { body })
    t.match([denied.status, denied.body.type], [403, 'forbidden'], `${method} ${url}`)
    t.equal((await api.anonymous.call(method, url, { body })).status, 401)
  }
  t.match(await api.admin.get('/admin/none'), { status: 404, body: { type: 'not_found' } })
  t.equal((await api.anonymous.get('/admin/none')).status, 401)
})

t.test('quotas of any project are wrapped', async t => {
  const { api, dns } = await start(t)
  const path = '/admin/quotas/somebody'
  t.match(await api.admin.get(path), { status: 200, body: { quota: { zones: 10 } } })
  const changed = await api.admin.patch(path, { quota: { zones: 3 } })
  t.match(changed, { status: 200, body: { quota: { zones: 3, zone_records: 500 } } })
  t.equal(dns.quotas.get(callerOf('somebody'), 'somebody').zones, 3)
  t.match(await api.admin.patch(path, { zones: 3 }), { status: 400 })
  t.match(await api.admin.patch(path, { quota: { domains: 3 } }), { status: 400 })
  t.match(await api.admin.delete(path), { status: 204, text: '' })
  t.match(await api.admin.get(path), { status: 200, body: { quota: { zones: 10 } } })
})

t.test('counts follow what there is', async t => {
  const { api, dns } = await start(t)
  const countsOf = async (path = '') =>
    (await api.admin.get(`/admin/reports/counts${path}`)).body.counts
  t.same(await countsOf(), [{ zones: 0, records: 0, tenants: 0 }])
  const zone = await dns.zones.create(callerOf('one'), primary('one.example.'))
  t.same(await countsOf(), [{ zones: 1, records: 2, tenants: 1 }], 'SOA and NS are records')
  await dns.zones.create(callerOf('one'), primary('more.example.'))
  await dns.zones.create(callerOf('two'), primary('two.example.'))
  const records = addresses('www.one.example.', '192.0.2.1', '192.0.2.2')
  await dns.recordsets.create(callerOf('one'), zone.id, records)
  t.same(await countsOf(), [{ zones: 3, records: 8, tenants: 2 }])
  t.same(await countsOf('/zones'), [{ zones: 3 }])
  t.same(await countsOf('/records'), [{ records: 8 }])
  t.same(await countsOf('/tenants'), [{ tenants: 2 }])
  t.same(await countsOf('/zones_delayed_notify'), [{ zones_delayed_notify: 0 }])
  await dns.zones.delete(callerOf('one'), zone.id)
  t.same(await countsOf(), [{ zones: 2, records: 4, tenants: 2 }])
})

t.test('nothing else is counted', async t => {
  const { api } = await start(t)
  for (const name of ['domains', 'zonesDelayedNotify', 'constructor'])
    t.match(await api.admin.get(`/admin/reports/counts/${name}`), {
      status: 404,
      body: { type: 'report_not_found' },
    })
})

t.test('tenants are the projects with zones, and what they are called', async t => {
  const { api, dns } = await start(t)
  for (const name of ['b.example.', 'a.example.'])
    await dns.zones.create(callerOf('two'), primary(name))
  await dns.zones.create(callerOf('one'), primary('one.example.'))
  const self = (id: string) => ({ self: `${api.url}/admin/reports/tenants/${id}` })
  t.same((await api.admin.get('/admin/reports/tenants')).body, {
    tenants: [
      { id: 'one', zone_count: 1, links: self('one') },
      { id: 'two', zone_count: 2, links: self('two') },
    ],
    links: { self: `${api.url}/admin/reports/tenants` },
    metadata: { total_count: 2 },
  })
  t.same((await api.admin.get('/admin/reports/tenants/two')).body, {
    id: 'two',
    zones_count: 2,
    zones: ['b.example.', 'a.example.'],
    links: self('two'),
  })
  t.match(await api.admin.get('/admin/reports/tenants/nobody'), {
    status: 200,
    body: { zones_count: 0, zones: [] },
  })
})

t.test('any zone is sent as a zone file, also of another project', async t => {
  const { api, dns } = await start(t)
  const { id } = await dns.zones.create(callerOf('one'), primary('one.example.'))
  const sent = await api.admin.with({ accept: 'text/dns' }).get(`/admin/zones/export/${id}`)
  t.match([sent.status, sent.headers.get('content-type')], [200, 'text/dns'])
  t.match(sent.text, /^\$ORIGIN one\.example\./)
  t.match(await api.admin.get('/admin/zones/export/none'), { status: 400 })
  const copy = await dns.zones.create(callerOf('one'), secondary('copy.example.'))
  t.match(await api.admin.get(`/admin/zones/export/${copy.id}`), {
    status: 400,
    body: { type: 'bad_request' },
  })
  await dns.store.commit(tx => tx.put('zones', { ...tx.get('zones', id)!, isDeleting: true }))
  for (const gone of [id, '11111111-2222-3333-4444-555555555555'])
    t.match(await api.admin.get(`/admin/zones/export/${gone}`), {
      status: 404,
      body: { type: 'zone_not_found' },
    })
})

t.test('abandoned zones are listed with whose they were, and withdrawn', async t => {
  const { api, dns } = await start(t)
  const zone = await dns.zones.create(callerOf('one'), primary('one.example.'))
  const administrator = { ...callerOf('admin', 'admin'), hasAllProjects: true }
  await dns.zones.abandon(administrator, zone.id)
  const { body } = await api.admin.get('/admin/zones/abandoned')
  t.match(body, {
    zones: [
      {
        id: zone.id,
        name: 'one.example.',
        type: 'PRIMARY',
        project_id: 'one',
        pool_id: zone.poolId,
        serial: zone.serial,
        record_count: 2,
        abandoned_at: /^20/,
      },
    ],
    metadata: { total_count: 1 },
  })
  const path = new URL(body.zones[0].links.self).pathname
  t.match(await api.admin.delete(path), { status: 204, text: '' })
  t.match(await api.admin.delete(path), { status: 404, body: { type: 'zone_not_found' } })
  t.match(await api.admin.get('/admin/zones/abandoned'), { body: { zones: [] } })
})

t.test('the same is answered below the endpoint of the catalog', async t => {
  const { api } = await start(t)
  const path = '/dns/admin/quotas/somebody'
  t.match(await api.admin.patch(path, { quota: { zones: 3 } }), { status: 200 })
  t.match(await api.admin.get(path), { status: 200, body: { quota: { zones: 3 } } })
})
