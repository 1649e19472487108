import t from 'tap'
import { callIdentity, checkCalls, startIdentityApi } from '../../helpers/identity-calls.ts'

t.test('services, endpoints and groups are listed for administrators', async t => {
  const { admin, url } = await startIdentityApi(t)
  const { services } = (await callIdentity(admin, 'GET /services')).body
  const names = services.map(({ type, name }: Record<string, string>) => [type, name])
  t.same(names, [
    ['dns', 'designate'],
    ['rating', 'cloudkitty'],
    ['identity', 'keystone'],
  ])
  const [dns] = services
  t.match(dns, { enabled: true, links: { self: `${url}/identity/v3/services/${dns.id}` } })
  const { endpoints } = (await callIdentity(admin, 'GET /endpoints')).body
  t.equal(endpoints.length, 9)
  const [first] = endpoints
  const shown = { service_id: dns.id, interface: 'public', region: 'RegionOne', url: `${url}/dns` }
  t.match(first, { ...shown, enabled: true })
  const ofDns = endpoints.filter((row: Record<string, string>) => row.service_id === dns.id)
  await checkCalls(t, admin, [
    { rule: 'one', call: `GET /services/${dns.id}`, status: 200, answer: { service: dns } },
    { rule: 'by type', call: 'GET /services?type=dns', status: 200, answer: { services: [dns] } },
    { rule: 'by name', call: 'GET /services?name=none', status: 200, answer: { services: [] } },
    { rule: 'none', call: 'GET /services/none', status: 404 },
    { rule: 'one', call: `GET /endpoints/${first.id}`, status: 200, answer: { endpoint: first } },
    {
      rule: 'of a service',
      call: `GET /endpoints?service_id=${dns.id}`,
      status: 200,
      answer: { endpoints: ofDns },
    },
    { rule: 'none', call: 'GET /endpoints/none', status: 404 },
    { rule: 'no groups', call: 'GET /groups?domain_id=x', status: 200, answer: { groups: [] } },
    { rule: 'a filter there is not', call: 'GET /groups?colour=red', status: 400 },
  ])
})

t.test('the catalog’s parts and those of a token have the same ids', async t => {
  const { admin } = await startIdentityApi(t)
  const { services } = (await callIdentity(admin, 'GET /services')).body
  const { catalog } = (await callIdentity(admin, 'GET /auth/catalog')).body
  const idsOf = (rows: readonly { id: string }[]) => rows.map(({ id }) => id)
  t.same(idsOf(services), idsOf(catalog))
})
