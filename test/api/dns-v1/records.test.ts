import t from 'tap'
import { newStamp } from '../../../src/model/stamped.ts'
import type { Answer } from '../../helpers/api-client.ts'
import { type ContractRow, checkContract } from '../../helpers/contract.ts'
import { addresses } from '../../helpers/dns.ts'
import { deletion, startDnsV1Api } from '../../helpers/dns-v1-api.ts'

const { api, dns } = await startDnsV1Api(t)
const one = await api.clientOf({ project: 'one' })
const two = await api.clientOf({ project: 'two' })
const reader = await api.clientOf({ project: 'one', role: 'reader' })

const fields = [
  'id',
  'domain_id',
  'name',
  'type',
  'data',
  'priority',
  'ttl',
  'description',
  'created_at',
  'updated_at',
]
const timestamp = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}$/
const uuid = /^[0-9a-f]{8}-([0-9a-f]{4}-){3}[0-9a-f]{12}$/
const nobody = '7b6a1a2e-0d5e-4b43-9d7c-5f4f3a1c0001'
const sha1 = '123456789abcdef67890123456789abcdef67890'

let count = 0

async function newDomain(): Promise<{ readonly id: string; readonly name: string }> {
  const name = `records-${++count}.example.`
  return (await one.post('/v1/domains', { name, email: 'ops@example.com' })).body
}

type Draft = {
  readonly name: string
  readonly type: string
  readonly data: string
  readonly priority?: number | null
  readonly ttl?: number | null
}

/** One record of each type, and the value that v2 has for it. */
const typeRows: readonly (Omit<Draft, 'name'> & {
  readonly at?: string
  readonly value?: string
})[] = [
  { type: 'A', data: '192.0.2.3' },
  { type: 'AAAA', data: '2001:db8::3' },
  { type: 'CNAME', data: 'target.example.' },
  { type: 'MX', data: 'mail.example.', priority: 10, value: '10 mail.example.' },
  {
    type: 'SRV',
    at: '_sip._tcp.',
    data: '0 5060 sip.example.',
    priority: 30,
    value: '30 0 5060 sip.example.',
  },
  { type: 'TXT', data: 'hello' },
  { type: 'TXT', data: '"quoted text" "in two"' },
  { type: 'TXT', data: 'say "hi" \\ there', value: '"say \\"hi\\" \\\\ there"' },
  { type: 'SPF', data: 'v=spf1 mx ~all', value: '"v=spf1 mx ~all"' },
  { type: 'NS', data: 'ns.elsewhere.example.' },
  { type: 'SSHFP', data: `2 1 ${sha1}` },
]

t.test('every type: data and priority here, one value in v2', async t => {
  const domain = await newDomain()
  for (const [i, { at = '', value, ...row }] of typeRows.entries()) {
    const name = `${at}t${i}.${domain.name}`
    const { status, body } = await one.post(`/v1/domains/${domain.id}/records`, { ...row, name })
    t.equal(status, 200, JSON.stringify(body))
    t.match(body, { ...row, name, priority: row.priority ?? null, ttl: null }, row.type)
    const list = await one.get(`/v2/zones/${domain.id}/recordsets?name=${name}`)
    t.same(
      list.body.recordsets.map((set: { type: string; records: string[] }) => [
        set.type,
        set.records,
      ]),
      [[row.type, [value ?? row.data]]],
    )
  }
})

t.test('PTR has the reverse name of a whole address', async t => {
  const name = '2.0.192.in-addr.arpa.'
  const { body } = await one.post('/v1/domains', { name, email: 'ops@example.com' })
  const path = `/v1/domains/${body.id}/records`
  const draft = { type: 'PTR', data: 'host.example.' }
  t.match(await one.post(path, { ...draft, name: `7.${name}` }), { status: 200 })
  t.match(await one.post(path, { ...draft, name: `x.${name}` }), {
    status: 400,
    body: { errors: [{ path: 'name' }] },
  })
})

t.test('bodies that are no record: 400, what is wrong where, and nothing changed', async t => {
  const domain = await newDomain()
  const path = `/v1/domains/${domain.id}/records`
  const a = { name: `www.${domain.name}`, type: 'A', data: '192.0.2.1' }
  const refused: readonly [says: string, body: object, errors: readonly object[] | undefined][] = [
    ['not an address', { ...a, data: 'www' }, [{ path: 'data', validator: 'format' }]],
    ['no host', { ...a, data: '0.0.0.0' }, [{ path: 'data' }]],
    ['a priority where there is none', { ...a, priority: 10 }, [{ path: 'priority' }]],
    ['two things', { ...a, data: 'www', priority: 1 }, [{ path: 'priority' }, { path: 'data' }]],
    ['no priority', { ...a, type: 'MX', data: 'mail.example.' }, [{ validator: 'required' }]],
    [
      'priority out of range',
      { ...a, priority: 65_536 },
      [{ path: 'priority', validator: 'maximum' }],
    ],
    ['a type that is only shown', { ...a, type: 'CAA', data: '0 issue "x"' }, [{ path: 'type' }]],
    ['an SRV name', { ...a, type: 'SRV', data: '0 1 a.example.', priority: 1 }, [{ path: 'name' }]],
    ['SRV without weight', { ...a, type: 'SRV', data: '1 a.example.', priority: 1 }, undefined],
    [
      'too long',
      { ...a, type: 'TXT', data: `"${'x'.repeat(200)}" "${'y'.repeat(60)}"` },
      [{ path: 'data', validator: 'maxLength' }],
    ],
    [
      'a name without its dot',
      { ...a, name: `www.${domain.name.slice(0, -1)}` },
      [{ path: 'name' }],
    ],
    ['no data', { name: a.name, type: 'A' }, [{ message: "'data' is a required property" }]],
    ['a negative TTL', { ...a, ttl: -1 }, [{ path: 'ttl' }]],
    ['a key of v2', { ...a, records: [] }, undefined],
  ]
  for (const [says, body, errors] of refused) {
    const answer = await one.post(path, body)
    t.match(answer, { status: 400, body: { code: 400, type: 'invalid_object' } }, says)
    if (errors !== undefined) t.match(answer.body.errors, errors, says)
  }
  const outside = await one.post(path, { ...a, name: 'www.elsewhere.example.' })
  t.match(outside, { status: 400, body: { type: 'invalid_recordset_location' } })
  t.equal((await one.get(path)).body.records.length, 2, 'SOA and NS only')
})

/** All that can be asked of records, below one base. */
async function rows(base: string): Promise<readonly ContractRow[]> {
  const domain = await newDomain()
  const path = `${base}/domains/${domain.id}/records`
  const draft = { name: `www.${domain.name}`, type: 'A', data: '192.0.2.1' }
  const made = (await one.post(path, { ...draft, data: '192.0.2.9' })).body
  const item = `${path}/${made.id}`
  const all: readonly { id: string; type: string }[] = (await one.get(path)).body.records
  const soa = all.find(({ type }) => type === 'SOA')
  const secondary = await one.post('/v2/zones', {
    name: `secondary-${domain.name}`,
    type: 'SECONDARY',
    masters: ['192.0.2.1'],
  })
  return [
    {
      says: 'a new record, with its address below /v1',
      as: one,
      method: 'POST',
      path,
      body: { ...draft, ttl: 60, description: 'the web' },
      status: 200,
      headers: {
        location: new RegExp(`^${api.url}/v1/domains/${domain.id}/records/[0-9a-f-]{36}$`),
        'content-type': 'application/json',
      },
      answers: {
        id: uuid,
        domain_id: domain.id,
        ...draft,
        priority: null,
        // The TTL of a recordset is that of its first record.
        ttl: null,
        description: 'the web',
        created_at: timestamp,
        updated_at: null,
      },
      keys: fields,
    },
    {
      says: 'the same once more',
      as: one,
      method: 'POST',
      path,
      body: draft,
      status: 409,
      answers: { code: 409, type: 'duplicate_record', message: 'Duplicate Record' },
    },
    {
      says: 'SOA is the server’s',
      as: one,
      method: 'PUT',
      path: `${path}/${soa?.id}`,
      body: { ttl: 60 },
      status: 400,
      answers: { type: 'bad_request' },
    },
    {
      says: 'so are the NS of the apex',
      as: one,
      method: 'POST',
      path,
      body: { name: domain.name, type: 'NS', data: 'ns9.example.' },
      status: 400,
      answers: { type: 'bad_request' },
    },
    {
      says: 'and neither can be deleted',
      as: one,
      method: 'DELETE',
      path: `${path}/${soa?.id}`,
      status: 400,
      answers: { type: 'bad_request' },
    },
    {
      says: 'a CNAME beside an address',
      as: one,
      method: 'POST',
      path,
      body: { ...draft, type: 'CNAME', data: 'a.example.' },
      status: 400,
      answers: { type: 'invalid_recordset_location' },
    },
    {
      says: 'a domain that there is not',
      as: one,
      method: 'POST',
      path: `${base}/domains/${nobody}/records`,
      body: draft,
      status: 404,
      answers: { type: 'domain_not_found' },
    },
    {
      says: 'a SECONDARY zone',
      as: one,
      method: 'GET',
      path: `${base}/domains/${secondary.body.id}/records`,
      status: 404,
      answers: { type: 'domain_not_found' },
    },
    {
      says: 'who may only read',
      as: reader,
      method: 'POST',
      path,
      body: { ...draft, data: '192.0.2.77' },
      status: 401,
      answers: { type: 'forbidden', message: /^Access Denied/ },
    },
    {
      says: 'nobody',
      as: api.anonymous,
      method: 'GET',
      path: item,
      status: 401,
      answers: { error: { code: 401 } },
    },
    {
      says: 'the list, with tenant and version',
      as: reader,
      method: 'GET',
      path,
      status: 200,
      headers: { 'content-type': 'application/json' },
      answers: {
        records: [
          // Made together, in either order.
          { type: /^(SOA|NS)$/, priority: null },
          { type: /^(SOA|NS)$/, priority: null },
          { id: made.id, data: '192.0.2.9', tenant_id: 'one', version: 1 },
          { data: '192.0.2.1', description: 'the web', version: 1 },
        ],
      },
      keys: ['records'],
    },
    {
      says: 'a record',
      as: reader,
      method: 'GET',
      path: item,
      status: 200,
      answers: { ...made },
      keys: fields,
    },
    {
      says: 'somebody else’s',
      as: two,
      method: 'GET',
      path: item,
      status: 404,
      answers: { type: 'domain_not_found' },
    },
    {
      says: 'one that there is not',
      as: one,
      method: 'GET',
      path: `${path}/${nobody}`,
      status: 404,
      answers: { type: 'record_not_found', message: 'Could not find Record' },
    },
    {
      says: 'one that looks as if it were',
      as: one,
      method: 'GET',
      path: `${path}/${made.id.slice(0, -4)}ffff`,
      status: 404,
      answers: { type: 'record_not_found' },
    },
    {
      says: 'an id that is none is no path',
      as: one,
      method: 'GET',
      path: `${path}/www`,
      status: 404,
      answers: { type: 'not_found' },
    },
    {
      says: 'another value, sent back with all the rest',
      as: one,
      method: 'PUT',
      path: item,
      body: { ...made, data: '192.0.2.10' },
      status: 200,
      answers: {
        id: made.id,
        data: '192.0.2.10',
        created_at: made.created_at,
        updated_at: timestamp,
      },
      keys: fields,
    },
    {
      says: 'what is left out stays',
      as: one,
      method: 'PUT',
      path: item,
      body: { ttl: 30 },
      status: 200,
      answers: { id: made.id, data: '192.0.2.10', ttl: 30 },
    },
    {
      says: 'the value of a sibling',
      as: one,
      method: 'PUT',
      path: item,
      body: { data: '192.0.2.1' },
      status: 409,
      answers: { type: 'duplicate_record' },
    },
    {
      says: 'no address',
      as: one,
      method: 'PUT',
      path: item,
      body: { data: 'no' },
      status: 400,
      answers: { type: 'invalid_object', errors: [{ path: 'data', message: /'no'/ }] },
    },
    {
      says: 'another type and priority',
      as: one,
      method: 'PUT',
      path: item,
      body: { type: 'MX', data: 'mail.example.', priority: 5 },
      status: 200,
      answers: { id: made.id, type: 'MX', data: 'mail.example.', priority: 5 },
    },
    {
      says: 'a priority that the type has not',
      as: one,
      method: 'PUT',
      path: item,
      body: { type: 'TXT' },
      status: 400,
      answers: { errors: [{ path: 'priority' }] },
    },
    {
      says: 'a verb that there is not',
      as: one,
      method: 'PATCH',
      path: item,
      body: {},
      status: 405,
      headers: { allow: 'GET, PUT, DELETE' },
      answers: { type: 'invalid_method' },
    },
    {
      says: 'gone, with an empty page',
      as: one,
      path: item,
      ...deletion,
    },
    {
      says: 'gone already',
      as: one,
      method: 'DELETE',
      path: item,
      status: 404,
      answers: { type: 'record_not_found' },
    },
    {
      says: 'not to be changed either',
      as: one,
      method: 'PUT',
      path: item,
      body: { ttl: 1 },
      status: 404,
      answers: { type: 'record_not_found' },
    },
  ]
}

for (const base of ['/v1', '']) {
  t.test(`records below "${base}"`, async t => {
    await checkContract(t, await rows(base))
  })
}

t.test('more records than the project may have are over quota', async t => {
  const domain = await newDomain()
  const path = `/v1/domains/${domain.id}/records`
  const add = (data: string): Promise<Answer> =>
    one.post(path, { name: `www.${domain.name}`, type: 'A', data })
  await dns.quotas.set('one', { recordsetRecords: 1, zoneRecords: 1 })
  t.teardown(() => dns.quotas.set('one', { recordsetRecords: -1, zoneRecords: -1 }))
  t.equal((await add('192.0.2.1')).status, 200)
  t.match(await add('192.0.2.2'), {
    status: 413,
    body: { type: 'over_quota', message: 'Quota exceeded for domain_records, recordset_records.' },
  })
})

t.test('descriptions are not seen by the other version', async t => {
  const domain = await newDomain()
  const path = `/v1/domains/${domain.id}/records`
  const sets = `/v2/zones/${domain.id}/recordsets`
  const set = { name: `www.${domain.name}`, type: 'A', records: ['192.0.2.1'] }
  const { body: recordset } = await one.post(sets, { ...set, description: 'of the set' })
  const { body: list } = await one.get(path)
  const record = list.records.at(-1)
  t.equal(record.description, null)
  await one.put(`${path}/${record.id}`, { description: 'of the record' })
  t.equal((await one.get(`${sets}/${recordset.id}`)).body.description, 'of the set')
  t.equal((await one.get(`${path}/${record.id}`)).body.description, 'of the record')
  t.notMatch((await one.get(sets)).text, 'of the record')
  await one.put(`${path}/${record.id}`, { description: null })
  t.equal((await one.get(`${path}/${record.id}`)).body.description, null)
})

t.test('a shared zone: its records are read, and those of the own recordsets changed', async t => {
  const domain = await newDomain()
  const path = `/v1/domains/${domain.id}/records`
  const draft = { name: `www.${domain.name}`, type: 'A', data: '192.0.2.1' }
  const owned = (await one.post(path, draft)).body
  await one.post(`/v2/zones/${domain.id}/shares`, { target_project_id: 'two' })
  const added = (await two.post(path, { ...draft, name: `two.${domain.name}` })).body
  t.match(await two.put(`${path}/${added.id}`, { ttl: 60 }), { status: 200, body: { ttl: 60 } })
  t.match(await two.post(path, { ...draft, data: '192.0.2.2' }), { status: 401 })
  t.match(await two.delete(`${path}/${owned.id}`), { status: 401, body: { type: 'forbidden' } })
  const { body } = await two.get(path)
  t.same(
    body.records.slice(2).map((record: { id: string; tenant_id: string }) => record.tenant_id),
    ['one', 'two'],
  )
})

t.test('a list of several pieces is whole, and pages are pieces of it', async t => {
  const domain = await newDomain()
  await dns.store.commit(tx => {
    for (let i = 0; i < 2_300; i += 1) {
      const own = { zoneId: domain.id, isManaged: false }
      tx.put('recordsets', { ...newStamp(tx), ...addresses(`h${i}.${domain.name}`), ...own })
    }
  })
  const path = `/v1/domains/${domain.id}/records`
  const idsOf = async (query = ''): Promise<readonly string[]> =>
    (await one.get(path + query)).body.records.map(({ id }: { id: string }) => id)
  const all = await idsOf()
  t.equal(all.length, 2_302)
  t.equal(new Set(all).size, 2_302)
  t.same(await idsOf('?limit=3'), all.slice(0, 3))
  t.same(await idsOf(`?limit=2&marker=${all[1_499]}`), all.slice(1_500, 1_502))
  t.same(await idsOf(`?marker=${all.at(-2)}`), all.slice(-1))
  t.match(await one.get(`${path}?marker=${nobody}`), {
    status: 400,
    body: { type: 'marker_not_found' },
  })
})
