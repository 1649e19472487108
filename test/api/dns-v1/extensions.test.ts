import t from 'tap'
import type { ExtensionName } from '../../../src/api/dns-v1/extensions.ts'
import { types } from '../../../src/dns/codes.ts'
import { parseName } from '../../../src/dns/name.ts'
import type { ApiClient } from '../../helpers/api-client.ts'
import { type ContractRow, checkContract } from '../../helpers/contract.ts'
import { deletion, startDnsV1Api } from '../../helpers/dns-v1-api.ts'
import { checkPublished } from '../../helpers/publish-check.ts'

const nobody = '7b6a1a2e-0d5e-4b43-9d7c-5f4f3a1c0001'

/** One call of each extension, and what it needs to be good. */
const callsByExtension: Record<ExtensionName, readonly (readonly [string, string, object?])[]> = {
  quotas: [
    ['GET', '/quotas/one'],
    ['PUT', '/quotas/one', { domains: 3 }],
    ['POST', '/quotas/one', { domains: 3 }],
    ['DELETE', '/quotas/one'],
  ],
  touch: [['POST', '/domains/ID/touch']],
  sync: [
    ['POST', '/domains/sync'],
    ['POST', '/domains/ID/sync'],
    ['POST', '/domains/ID/records/RECORD/sync'],
  ],
  reports: [
    ['GET', '/reports/tenants'],
    ['GET', '/reports/tenants/one'],
    ['GET', '/reports/counts'],
    ['GET', '/reports/counts/tenants'],
    ['GET', '/reports/counts/domains'],
    ['GET', '/reports/counts/records'],
  ],
  diagnostics: [['GET', '/diagnostics/ping/store/ns.example']],
}

let domainCount = 0
const names = Object.keys(callsByExtension) as ExtensionName[]

for (const name of names) {
  t.test(`${name}: its calls are there when it is on, and 404 when it is off`, async t => {
    const on = await startDnsV1Api(t, { extensions: [name] })
    const off = await startDnsV1Api(t, { extensions: names.filter(other => other !== name) })
    on.dns.serviceParts.push({ name: 'store', problem: undefined, stats: {} })
    for (const [method, pattern, body] of callsByExtension[name]) {
      for (const base of pattern.startsWith('/domains') ? ['/v1', ''] : ['/v1']) {
        const call = async ({ admin }: { readonly admin: ApiClient }) => {
          const all = admin.with({ 'x-auth-all-projects': 'true' })
          const draft = { name: `d${++domainCount}.example.`, email: 'ops@example.com' }
          const { id } = (await all.post('/v1/domains', draft)).body
          const { records } = (await all.get(`/v1/domains/${id}/records`)).body
          const path = pattern.replace('ID', id).replace('RECORD', records[0].id)
          return { all, path: base + path }
        }
        const good = await call(on.api)
        const missing = await call(off.api)
        const answer = await good.all.call(method, good.path, { body })
        t.equal(answer.status, 200, `${method} ${good.path} while it is on`)
        await checkContract(t, [
          ...['GET', 'POST', 'PUT', 'PATCH', 'DELETE'].map(
            (verb): ContractRow => ({
              says: 'off',
              as: missing.all,
              method: verb,
              path: missing.path,
              body: verb === method ? body : undefined,
              status: 404,
              answers: { code: 404, type: 'not_found', message: 'resource not found' },
            }),
          ),
          {
            says: 'nobody is told whether it is on',
            as: off.api.anonymous,
            method,
            path: missing.path,
            body,
            status: 401,
            answers: {},
          },
        ])
      }
    }
  })
}

const four = ['domains', 'domain_recordsets', 'domain_records', 'recordset_records']

t.test('quotas', async t => {
  const { api } = await startDnsV1Api(t)
  const { admin } = api
  const own = await api.clientOf({ project: 'small', role: 'reader' })
  const other = await api.clientOf({ project: 'other' })
  const path = '/v1/quotas/small'
  const defaults = {
    domains: 10,
    domain_recordsets: 500,
    domain_records: 500,
    recordset_records: 20,
  }
  const refused = { status: 401, answers: { code: 401, type: 'forbidden', message: /^Access/ } }
  const put = (says: string, body: unknown, rest: Pick<ContractRow, 'status' | 'answers'>) => ({
    says,
    as: admin,
    method: 'PUT',
    path,
    body,
    ...rest,
  })
  const get = { method: 'GET', path, status: 200, keys: four }
  await checkContract(t, [
    { ...get, says: 'one’s own, exactly four', as: own, answers: defaults },
    { ...get, says: 'an administrator sees any', as: admin, answers: defaults },
    { says: 'somebody else’s', as: other, method: 'GET', path, ...refused },
    { says: 'nobody', as: api.anonymous, method: 'GET', path, status: 401, answers: {} },
    {
      ...put(
        'two of them, and all are shown',
        { domains: 1000, domain_records: -1 },
        {
          status: 200,
          answers: { ...defaults, domains: 1000, domain_records: -1 },
        },
      ),
      keys: four,
    },
    put('what is left out stays', {}, { status: 200, answers: { domains: 1000 } }),
    {
      says: 'POST does the same',
      as: admin,
      method: 'POST',
      path,
      body: { recordset_records: 7 },
      status: 200,
      answers: { domains: 1000, domain_records: -1, recordset_records: 7 },
      keys: four,
    },
    { ...get, says: 'as it was set', as: own, answers: { domains: 1000, recordset_records: 7 } },
    put(
      'a fifth one',
      { api_export_size: 7 },
      { status: 400, answers: { type: 'invalid_object', message: /'api_export_size'/ } },
    ),
    put(
      'a name of v2',
      { zones: 7 },
      { status: 400, answers: { type: 'invalid_object', message: /'zones'/ } },
    ),
    put(
      'everything that is wrong',
      { domains: '7', domain_records: 1.5, recordset_records: -2 },
      {
        status: 400,
        answers: {
          type: 'invalid_object',
          errors: [
            { path: 'domains', validator: 'type' },
            { path: 'domain_records', validator: 'type' },
            { path: 'recordset_records', validator: 'minimum' },
          ],
        },
      },
    ),
    { says: 'nobody sets its own', as: own, method: 'PUT', path, body: { domains: 9 }, ...refused },
    { says: 'nor resets it', as: own, method: 'DELETE', path, ...refused },
    {
      says: 'a verb that there is not',
      as: admin,
      method: 'PATCH',
      path,
      body: {},
      status: 405,
      headers: { allow: 'GET, POST, PUT, DELETE' },
      answers: { type: 'invalid_method' },
    },
  ])
  const v2 = (await own.get('/v2/quotas')).body
  t.match(v2, { zones: 1000, zone_records: -1, recordset_records: 7, api_export_size: 1000 })
  await checkContract(t, [
    {
      says: 'gone, with an empty page',
      as: admin,
      path,
      ...deletion,
    },
    { ...get, says: 'the defaults again', as: own, answers: defaults },
  ])
})

t.test('touch gives a domain the next serial, in DNS as well', async t => {
  const { api, dns } = await startDnsV1Api(t, { extensions: ['touch'] })
  const one = await api.clientOf({ project: 'one' })
  const reader = await api.clientOf({ project: 'one', role: 'reader' })
  const two = await api.clientOf({ project: 'two' })
  const draft = { name: 'example.com.', email: 'ops@example.com' }
  const domain = (await one.post('/v1/domains', draft)).body
  const path = `/v1/domains/${domain.id}/touch`
  const page = { 'content-type': /^text\/html/, 'content-length': '0' }
  const post = { method: 'POST', path }
  await checkContract(t, [
    { ...post, says: 'its owner', as: one, status: 200, headers: page, answers: '' },
    { ...post, says: 'who may only read', as: reader, status: 401, answers: { type: 'forbidden' } },
    { ...post, says: 'another', as: two, status: 404, answers: { type: 'domain_not_found' } },
    {
      ...post,
      says: 'one that there is not',
      as: one,
      path: `/v1/domains/${nobody}/touch`,
      status: 404,
      answers: { type: 'domain_not_found' },
    },
  ])
  const touched = (await one.get(`/v1/domains/${domain.id}`)).body
  t.equal(touched.serial, domain.serial + 1)
  t.equal(dns.served.get(parseName(domain.name))?.serial, touched.serial)
})

t.test('sync has served again what is stored', async t => {
  const { api, dns } = await startDnsV1Api(t, { extensions: ['sync'] })
  const one = await api.clientOf({ project: 'one' })
  const all = api.admin.with({ 'x-auth-all-projects': 'true' })
  const draft = { name: 'example.com.', email: 'ops@example.com' }
  const domain = (await one.post('/v1/domains', draft)).body
  const apex = parseName(domain.name)
  const page = { 'content-type': /^text\/html/, 'content-length': '0' }
  const { records } = (await one.get(`/v1/domains/${domain.id}/records`)).body
  const { id } = records.find(({ type }: { type: string }) => type === 'NS')
  for (const place of ['', `/${domain.id}`, `/${domain.id}/records/${id}`]) {
    const path = `/v1/domains${place}/sync`
    dns.served.get(apex)?.removeRrset(apex, types.NS)
    const post = { method: 'POST', path }
    await checkContract(t, [
      { ...post, says: 'who is no administrator', as: one, status: 401, answers: {} },
      { ...post, says: 'an administrator', as: all, status: 200, headers: page, answers: '' },
    ])
    checkPublished(t, dns)
  }
  await checkContract(t, [
    {
      says: 'one that there is not',
      as: all,
      method: 'POST',
      path: `/v1/domains/${nobody}/sync`,
      status: 404,
      answers: { type: 'domain_not_found' },
    },
    {
      says: 'a record that there is not',
      as: all,
      method: 'POST',
      path: `/v1/domains/${domain.id}/records/${nobody}/sync`,
      status: 404,
      answers: { type: 'record_not_found' },
    },
  ])
  t.equal((await one.get(`/v1/domains/${domain.id}`)).body.serial, domain.serial)
})

t.test('reports count what there is', async t => {
  const { api } = await startDnsV1Api(t, { extensions: ['reports'] })
  const { admin } = api
  const one = await api.clientOf({ project: 'one' })
  const two = await api.clientOf({ project: 'two' })
  const create = (as: ApiClient, name: string) =>
    as.post('/v1/domains', { name, email: 'ops@example.com' })
  await create(one, 'a.example.')
  await create(two, 'b.example.')
  await create(one, 'c.example.')
  const get = { as: admin, method: 'GET', status: 200, says: 'an administrator' }
  await checkContract(t, [
    {
      ...get,
      path: '/v1/reports/tenants',
      answers: {
        tenants: [
          { id: 'one', domain_count: 2 },
          { id: 'two', domain_count: 1 },
        ],
      },
      keys: ['tenants'],
    },
    {
      ...get,
      path: '/v1/reports/tenants/one',
      answers: { id: 'one', domain_count: 2, domains: ['a.example.', 'c.example.'] },
      keys: ['id', 'domain_count', 'domains'],
    },
    {
      ...get,
      path: '/v1/reports/tenants/unknown',
      answers: { id: 'unknown', domain_count: 0, domains: [] },
    },
    {
      ...get,
      path: '/v1/reports/counts',
      answers: { tenants: 2, domains: 3, records: 6 },
      keys: ['tenants', 'domains', 'records'],
    },
    { ...get, path: '/v1/reports/counts/tenants', answers: { tenants: 2 }, keys: ['tenants'] },
    { ...get, path: '/v1/reports/counts/domains', answers: { domains: 3 }, keys: ['domains'] },
    { ...get, path: '/v1/reports/counts/records', answers: { records: 6 }, keys: ['records'] },
    { ...get, path: '/v1/reports/counts/zones', status: 404, answers: { type: 'not_found' } },
    ...['/tenants', '/tenants/one', '/counts', '/counts/domains'].map(path => ({
      says: 'who is no administrator',
      as: one,
      method: 'GET',
      path: `/v1/reports${path}`,
      status: 401,
      answers: { type: 'forbidden' },
    })),
  ])
})

t.test('diagnostics ping parts of the server', async t => {
  const { api, dns } = await startDnsV1Api(t, {
    extensions: ['diagnostics'],
    externalTargetClient: {
      probe: async ({ port }) =>
        port === 53 ? { kind: 'absent' } : { kind: 'failed', reason: 'nothing listens there' },
      notify: async () => 'no answer',
    },
  })
  const { admin } = api
  const member = await api.clientOf({ project: 'one' })
  const listen = (port: number) => [{ host: '192.0.2.1', port }]
  dns.serviceParts.push(
    { name: 'dns', problem: undefined, stats: {}, listen: listen(53) },
    { name: 'dns of pool own', problem: undefined, stats: {}, listen: listen(5353) },
    { name: 'jobs', problem: 'purge: broken', stats: {} },
  )
  const rtt = /^\d+\.\d{6}$/
  const well = { status: true, rtt }
  const path = (topic: string, host = 'ns.example') => `/v1/diagnostics/ping/${topic}/${host}`
  const get = { as: admin, method: 'GET', status: 200 }
  await checkContract(t, [
    {
      ...get,
      says: 'all is well',
      path: path('dns'),
      answers: { host: 'ns.example', status: true, backend: well, storage: well },
      keys: ['host', 'status', 'backend', 'storage'],
    },
    {
      ...get,
      says: 'nothing answers',
      path: path('dns%20of%20pool%20own'),
      answers: {
        status: false,
        backend: { status: false, rtt, message: 'nothing listens there' },
        storage: well,
      },
    },
    {
      ...get,
      says: 'the part says what is wrong',
      path: path('central'),
      answers: { status: false, message: 'purge: broken' },
    },
    {
      ...get,
      says: 'no such part',
      path: path('mdns'),
      status: 404,
      answers: { type: 'not_found', message: 'There is no mdns on ns.example' },
    },
    {
      ...get,
      says: 'no such host',
      path: path('dns', 'other.example'),
      status: 404,
      answers: { type: 'not_found' },
    },
    {
      says: 'who is no administrator',
      as: member,
      method: 'GET',
      path: path('dns'),
      status: 401,
      answers: { type: 'forbidden' },
    },
  ])
})
