import t from 'tap'
import { type ContractRow, checkContract } from '../../helpers/contract.ts'
import { startDnsV1Api } from '../../helpers/dns-v1-api.ts'

// What programs that were written for Designate's first API go by, under /dns/v1, where it is not what the
// specification has under /v1. Everything else is the same routes.

const uuid = /^[0-9a-f-]{36}$/

t.test('the older group as Designate had it', async t => {
  const { api } = await startDnsV1Api(t)
  const { admin } = api
  const one = await api.clientOf({ project: 'one' })
  const domain = (await one.post('/dns/v1/domains', { name: 'a.example.', email: 'ops@a.example' }))
    .body
  const path = `/dns/v1/domains/${domain.id}`
  const record = { name: 'www.a.example.', type: 'A', data: '192.0.2.1' }
  const made = (await one.post(`${path}/records`, record)).body
  const recordKeys = Object.keys(made)
  const quotas = {
    domains: 10,
    domain_recordsets: 500,
    domain_records: 500,
    recordset_records: 20,
    api_export_size: 1000,
  }
  const location = (kind: string) => ({
    location: new RegExp(`^${api.url}/dns/v1/${kind}/[0-9a-f-]{36}$`),
  })
  const get = (says: string, at: string, rest: Pick<ContractRow, 'answers' | 'keys'>) => ({
    says,
    as: admin,
    method: 'GET',
    path: at,
    status: 200,
    ...rest,
  })
  await checkContract(t, [
    get('name servers under a key', '/dns/v1/servers', {
      answers: { servers: [{ id: uuid, name: 'ns1.zonewright.example.' }] },
      keys: ['servers'],
    }),
    get('a slash too many, as the oldest clients have it', '/dns/v1//servers', {
      answers: { servers: [{ id: uuid }] },
    }),
    {
      says: 'links stay here',
      as: admin,
      method: 'POST',
      path: '/dns/v1/servers',
      body: { name: 'a.ns.example.' },
      status: 200,
      headers: location('servers'),
      answers: { name: 'a.ns.example.' },
    },
    {
      says: 'links stay here',
      as: one,
      method: 'POST',
      path: '/dns/v1/domains',
      body: { name: 'b.example.', email: 'ops@b.example' },
      status: 200,
      headers: location('domains'),
      answers: { name: 'b.example.' },
    },
    {
      says: 'links stay here',
      as: one,
      method: 'POST',
      path: `${path}/records`,
      body: { ...record, data: '192.0.2.2' },
      status: 200,
      headers: location(`domains/${domain.id}/records`),
      answers: { data: '192.0.2.2' },
    },
    get('a fifth quota', '/dns/v1/quotas/one', { answers: {}, keys: Object.keys(quotas) }),
    {
      says: 'which can be set',
      as: admin,
      method: 'PUT',
      path: '/dns/v1/quotas/small',
      body: { api_export_size: 7 },
      status: 200,
      answers: { ...quotas, api_export_size: 7 },
    },
    {
      says: 'a name of v2 is none',
      as: admin,
      method: 'PUT',
      path: '/dns/v1/quotas/small',
      body: { zones: 7 },
      status: 400,
      answers: { type: 'invalid_object', message: /'zones'/ },
    },
    {
      says: 'who may not is distinguished from who is not known',
      as: one,
      method: 'GET',
      path: '/dns/v1/servers',
      status: 403,
      answers: { code: 403, type: 'forbidden' },
    },
    {
      says: 'errors are flat, under the names of then',
      as: one,
      method: 'POST',
      path: '/dns/v1/domains',
      body: { name: 'c.example' },
      status: 400,
      answers: { errors: [{ path: 'name' }, { path: '', message: /'email'/ }] },
    },
    {
      says: 'errors are flat, under the names of then',
      as: one,
      method: 'GET',
      path: `/dns/v1/domains/${made.id}`,
      status: 404,
      answers: { type: 'domain_not_found', message: 'Could not find Domain' },
    },
    {
      says: 'a deleted domain shows nothing',
      as: one,
      method: 'DELETE',
      path: `${path}/records/${made.id}`,
      status: 200,
      headers: { 'content-type': /^text\/html/ },
      answers: '',
    },
  ])
  const { records } = (await one.get(`${path}/records`)).body
  for (const listed of records) t.same(Object.keys(listed), recordKeys, 'no tenant, no version')
})

t.test('the schemas of here say what is here', async t => {
  const { api } = await startDnsV1Api(t)
  const schemaOf = async (name: string) => (await api.admin.get(`/dns/v1/schemas/${name}`)).body
  t.match(await schemaOf('servers'), {
    $id: `${api.url}/dns/v1/schemas/servers`,
    properties: { servers: { items: { $ref: `${api.url}/dns/v1/schemas/server` } } },
  })
  t.notHas((await schemaOf('record')).properties, { tenant_id: {} })
})
