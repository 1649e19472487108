import t from 'tap'
import { type ContractRow, checkContract } from '../../helpers/contract.ts'
import { deletion, startDnsV1Api } from '../../helpers/dns-v1-api.ts'

const fields = ['id', 'name', 'created_at', 'updated_at']
const timestamp = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}$/
const uuid = /^[0-9a-f]{8}-([0-9a-f]{4}-){3}[0-9a-f]{12}$/
const nobody = '7b6a1a2e-0d5e-4b43-9d7c-5f4f3a1c0001'
const fromTheStart = 'ns1.zonewright.example.'

for (const base of ['/v1', '']) {
  t.test(`servers at ${base}/servers`, async t => {
    const { api } = await startDnsV1Api(t)
    const { admin, anonymous } = api
    const member = await api.clientOf({ project: 'one' })
    const collection = `${base}/servers`
    const [first] = (await admin.get(collection)).body
    const made = (await admin.post(collection, { name: 'made.ns.example.' })).body
    const path = `${collection}/${made.id}`
    const rows: readonly ContractRow[] = [
      {
        says: 'a new one, with its address below /v1',
        as: admin,
        method: 'POST',
        path: collection,
        body: { name: 'a.ns.example.' },
        status: 200,
        headers: {
          location: new RegExp(`^${api.url}/v1/servers/[0-9a-f-]{36}$`),
          'content-type': 'application/json',
        },
        answers: { id: uuid, name: 'a.ns.example.', created_at: timestamp, updated_at: null },
        keys: fields,
      },
      {
        says: 'a name that is taken',
        as: admin,
        method: 'POST',
        path: collection,
        body: { name: 'A.ns.example.' },
        status: 409,
        answers: { code: 409, type: 'duplicate_server', message: 'Duplicate Server' },
      },
      {
        says: 'a name that is no host’s',
        as: admin,
        method: 'POST',
        path: collection,
        body: { name: 'a.ns.example' },
        status: 400,
        answers: {
          code: 400,
          type: 'invalid_object',
          errors: [{ path: 'name', message: /end with a dot/, validator: 'format' }],
        },
        keys: ['code', 'type', 'errors', 'request_id'],
      },
      {
        says: 'no name',
        as: admin,
        method: 'POST',
        path: collection,
        body: {},
        status: 400,
        answers: { type: 'invalid_object', errors: [{ message: "'name' is a required property" }] },
      },
      {
        says: 'a key that there is not',
        as: admin,
        method: 'POST',
        path: collection,
        body: { name: 'b.ns.example.', priority: 1 },
        status: 400,
        answers: { type: 'invalid_object', message: /'priority'/ },
      },
      {
        says: 'no body',
        as: admin,
        method: 'POST',
        path: collection,
        body: '',
        status: 400,
        answers: { type: 'empty_request_body' },
      },
      {
        says: 'all of them, in a bare array',
        as: admin,
        method: 'GET',
        path: collection,
        status: 200,
        headers: { 'content-type': 'application/json' },
        answers: [{ id: first.id, name: fromTheStart }, made, { name: 'a.ns.example.' }],
      },
      {
        says: 'one',
        as: admin,
        method: 'GET',
        path,
        status: 200,
        answers: made,
        keys: fields,
      },
      {
        says: 'one that there is not',
        as: admin,
        method: 'GET',
        path: `${collection}/${nobody}`,
        status: 404,
        answers: { code: 404, type: 'server_not_found', message: 'Could not find Server' },
      },
      {
        says: 'what is no id is no path',
        as: admin,
        method: 'GET',
        path: `${collection}/first`,
        status: 404,
        answers: { type: 'not_found' },
      },
      {
        says: 'another name, sent back with all else that was shown',
        as: admin,
        method: 'PUT',
        path,
        body: { ...made, name: 'renamed.ns.example.' },
        status: 200,
        answers: {
          id: made.id,
          name: 'renamed.ns.example.',
          created_at: made.created_at,
          updated_at: timestamp,
        },
        keys: fields,
      },
      {
        says: 'the name of another',
        as: admin,
        method: 'PUT',
        path,
        body: { name: fromTheStart },
        status: 409,
        answers: { type: 'duplicate_server' },
      },
      {
        says: 'a name that is no host’s',
        as: admin,
        method: 'PUT',
        path,
        body: { name: '-.ns.example.' },
        status: 400,
        answers: { type: 'invalid_object', errors: [{ path: 'name' }] },
      },
      {
        says: 'one that there is not',
        as: admin,
        method: 'PUT',
        path: `${collection}/${nobody}`,
        body: { name: 'b.ns.example.' },
        status: 404,
        answers: { type: 'server_not_found' },
      },
      {
        says: 'a verb that there is not',
        as: admin,
        method: 'PATCH',
        path,
        body: {},
        status: 405,
        headers: { allow: 'GET, PUT, DELETE' },
        answers: { code: 405, type: 'invalid_method' },
      },
      {
        says: 'gone, with an empty page',
        as: admin,
        path: `${collection}/${first.id}`,
        ...deletion,
      },
      {
        says: 'gone already',
        as: admin,
        method: 'DELETE',
        path: `${collection}/${first.id}`,
        status: 404,
        answers: { type: 'server_not_found' },
      },
      ...[
        { method: 'GET', path: collection },
        { method: 'POST', path: collection, body: { name: 'b.ns.example.' } },
        { method: 'GET', path },
        { method: 'PUT', path, body: { name: 'b.ns.example.' } },
        { method: 'DELETE', path },
      ].flatMap(call => [
        {
          says: 'who is no administrator',
          as: member,
          ...call,
          status: 401,
          answers: { code: 401, type: 'forbidden', message: /^Access Denied/ },
        },
        { says: 'nobody', as: anonymous, ...call, status: 401, answers: { error: { code: 401 } } },
      ]),
    ]
    await checkContract(t, rows)
  })
}

t.test('servers are the name servers of every zone and of the default pool', async t => {
  const { api } = await startDnsV1Api(t)
  const { admin } = api
  const member = await api.clientOf({ project: 'one' })
  const draft = { name: 'example.com.', email: 'ops@example.com' }
  const domain = (await member.post('/v1/domains', draft)).body
  const server = (await admin.post('/v1/servers', { name: 'a.ns.example.' })).body
  const names = async () => {
    const { servers } = (await member.get(`/v1/domains/${domain.id}/servers`)).body
    const { nameservers } = (await member.get(`/v2/zones/${domain.id}/nameservers`)).body
    const { recordsets } = (await member.get(`/v2/zones/${domain.id}/recordsets?type=NS`)).body
    return [
      servers.map(({ name }: { name: string }) => name),
      nameservers.map(({ hostname }: { hostname: string }) => hostname),
      recordsets[0].records,
    ]
  }
  const everywhere = (...hostnames: string[]) => [hostnames, hostnames, hostnames]
  t.same(await names(), everywhere(fromTheStart, 'a.ns.example.'))
  await admin.put(`/v1/servers/${server.id}`, { name: 'b.ns.example.' })
  t.same(await names(), everywhere(fromTheStart, 'b.ns.example.'))
  const before = (await member.get(`/v1/domains/${domain.id}`)).body.serial
  const [first] = (await admin.get('/v1/servers')).body
  await admin.delete(`/v1/servers/${first.id}`)
  t.same(await names(), everywhere('b.ns.example.'))
  t.ok((await member.get(`/v1/domains/${domain.id}`)).body.serial > before)
  const last = await admin.delete(`/v1/servers/${server.id}`)
  t.match(last, { status: 400, body: { type: 'last_server_delete_not_allowed' } })
  t.same(await names(), everywhere('b.ns.example.'))
})
