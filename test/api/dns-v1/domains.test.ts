import t from 'tap'
import { type ContractRow, checkContract } from '../../helpers/contract.ts'
import { deletion, startDnsV1Api } from '../../helpers/dns-v1-api.ts'

const { api } = await startDnsV1Api(t)
const one = await api.clientOf({ project: 'one' })
const two = await api.clientOf({ project: 'two' })
const reader = await api.clientOf({ project: 'one', role: 'reader' })

const fields = ['id', 'name', 'email', 'ttl', 'serial', 'description', 'created_at', 'updated_at']
const timestamp = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}$/
const uuid = /^[0-9a-f]{8}-([0-9a-f]{4}-){3}[0-9a-f]{12}$/
const nobody = '7b6a1a2e-0d5e-4b43-9d7c-5f4f3a1c0001'

let count = 0

/** All that can be asked of domains, below one base. */
async function rows(base: string): Promise<readonly ContractRow[]> {
  const name = `domain-${++count}.example.`
  const draft = { name, email: 'ops@example.com' }
  const made = (await one.post(`${base}/domains`, { ...draft, name: `made-${name}` })).body
  const path = `${base}/domains/${made.id}`
  const secondary = await one.post('/v2/zones', {
    name: `secondary-${name}`,
    type: 'SECONDARY',
    masters: ['192.0.2.1'],
  })
  const collection = `${base}/domains`
  return [
    {
      says: 'a new domain, with its address below /v1',
      as: one,
      method: 'POST',
      path: collection,
      body: { ...draft, ttl: 7200, description: 'for tests' },
      status: 200,
      headers: {
        location: new RegExp(`^${api.url}/v1/domains/[0-9a-f-]{36}$`),
        'content-type': 'application/json',
      },
      answers: {
        id: uuid,
        name,
        email: 'ops@example.com',
        ttl: 7200,
        description: 'for tests',
        serial: Number,
        created_at: timestamp,
        updated_at: null,
      },
      keys: fields,
    },
    {
      says: 'the same once more',
      as: one,
      method: 'POST',
      path: collection,
      body: draft,
      status: 409,
      answers: {
        code: 409,
        type: 'duplicate_domain',
        message: `Duplicate Domain: '${name}' exists`,
        request_id: /^req-/,
      },
    },
    {
      says: 'everything that is wrong, in one flat list',
      as: one,
      method: 'POST',
      path: collection,
      body: { ttl: 0, name: 7 },
      status: 400,
      answers: {
        code: 400,
        type: 'invalid_object',
        errors: [
          { path: 'name', message: /not of type/, validator: 'type' },
          { path: 'ttl', message: /minimum/, validator: 'minimum' },
        ],
      },
      keys: ['code', 'type', 'errors', 'request_id'],
    },
    {
      says: 'a key that there is not',
      as: one,
      method: 'POST',
      path: collection,
      body: { ...draft, masters: [] },
      status: 400,
      answers: { type: 'invalid_object', message: /'masters'/ },
    },
    {
      says: 'no address of a hostmaster',
      as: one,
      method: 'POST',
      path: collection,
      body: { name: `other-${name}` },
      status: 400,
      answers: { type: 'invalid_object', errors: [{ message: "'email' is a required property" }] },
    },
    {
      says: 'a name of one label',
      as: one,
      method: 'POST',
      path: collection,
      body: { ...draft, name: 'example.' },
      status: 400,
      answers: { type: 'invalid_domain_name' },
    },
    {
      says: 'who may only read',
      as: reader,
      method: 'POST',
      path: collection,
      body: { ...draft, name: `more-${name}` },
      status: 401,
      answers: { code: 401, type: 'forbidden', message: /^Access Denied/ },
    },
    {
      says: 'nobody',
      as: api.anonymous,
      method: 'GET',
      path: collection,
      status: 401,
      headers: { 'www-authenticate': /^Keystone/ },
      answers: { error: { code: 401 } },
    },
    {
      says: 'the list',
      as: one,
      method: 'GET',
      path: collection,
      status: 200,
      answers: {},
      keys: ['domains'],
    },
    {
      says: 'a domain',
      as: reader,
      method: 'GET',
      path,
      status: 200,
      answers: { id: made.id, name: made.name, ttl: 3600, description: null },
      keys: fields,
    },
    {
      says: 'somebody else’s',
      as: two,
      method: 'GET',
      path,
      status: 404,
      answers: { type: 'domain_not_found', message: 'Could not find Domain' },
    },
    {
      says: 'one that there is not',
      as: one,
      method: 'GET',
      path: `${collection}/${nobody}`,
      status: 404,
      answers: { type: 'domain_not_found' },
    },
    {
      says: 'an id without dashes is no path',
      as: one,
      method: 'GET',
      path: `${collection}/${made.id.replaceAll('-', '')}`,
      status: 404,
      answers: { type: 'not_found' },
    },
    {
      says: 'a SECONDARY zone is no domain',
      as: one,
      method: 'GET',
      path: `${collection}/${secondary.body.id}`,
      status: 404,
      answers: { type: 'domain_not_found' },
    },
    {
      says: 'some fields, sent back with all the others',
      as: one,
      method: 'PUT',
      path,
      body: { ...made, email: 'new@example.com', ttl: 60 },
      status: 200,
      answers: { id: made.id, email: 'new@example.com', ttl: 60, updated_at: timestamp },
      keys: fields,
    },
    {
      says: 'what is left out stays',
      as: one,
      method: 'PUT',
      path,
      body: { description: 'changed' },
      status: 200,
      answers: { email: 'new@example.com', ttl: 60, description: 'changed' },
    },
    {
      says: 'another name',
      as: one,
      method: 'PUT',
      path,
      body: { name: `renamed-${name}` },
      status: 400,
      answers: { type: 'invalid_object', errors: [{ path: 'name', validator: 'immutable' }] },
    },
    {
      says: 'its name servers',
      as: reader,
      method: 'GET',
      path: `${path}/servers`,
      status: 200,
      answers: {
        servers: [{ id: uuid, name: /\.$/, created_at: timestamp, updated_at: null }],
      },
    },
    {
      says: 'name servers of somebody else’s',
      as: two,
      method: 'GET',
      path: `${path}/servers`,
      status: 404,
      answers: { type: 'domain_not_found' },
    },
    {
      says: 'a verb that there is not',
      as: one,
      method: 'PATCH',
      path,
      body: {},
      status: 405,
      headers: { allow: 'GET, PUT, DELETE' },
      answers: { type: 'invalid_method' },
    },
    {
      says: 'what is no JSON',
      as: one,
      method: 'PUT',
      path,
      body: '{',
      status: 400,
      answers: { type: 'invalid_json' },
    },
    {
      says: 'gone, with an empty page',
      as: one,
      path,
      ...deletion,
    },
    {
      says: 'gone already',
      as: one,
      method: 'DELETE',
      path,
      status: 404,
      answers: { type: 'domain_not_found' },
    },
  ]
}

for (const base of ['/v1', '']) {
  t.test(`domains below "${base}"`, async t => {
    await checkContract(t, await rows(base))
  })
}

t.test('the list has the PRIMARY zones of the project, whole or from a marker on', async t => {
  const three = await api.clientOf({ project: 'alpha' })
  const names: string[] = []
  for (let i = 0; i < 5; i++) {
    const name = `listed-${i}.example.`
    names.push((await three.post('/v1/domains', { name, email: 'ops@example.com' })).body.name)
  }
  await three.post('/v2/zones', {
    name: 'copy.example.',
    type: 'SECONDARY',
    masters: ['192.0.2.1'],
  })
  const listed = async (query: string) =>
    (await three.get(`/v1/domains${query}`)).body.domains as { id: string; name: string }[]
  const all = await listed('')
  t.same(
    all.map(domain => domain.name),
    names,
  )
  t.same(await listed('?limit=2'), all.slice(0, 2))
  t.same(await listed(`?limit=2&marker=${all[1]?.id}`), all.slice(2, 4))
  t.same(await listed(`?marker=${all[3]?.id}&unknown=ignored`), all.slice(4))
  t.match(await three.get('/v1/domains?limit=0'), { status: 400, body: { type: 'invalid_limit' } })
  t.match(await three.get(`/v1/domains?marker=${nobody}`), {
    status: 400,
    body: { type: 'marker_not_found' },
  })
})
