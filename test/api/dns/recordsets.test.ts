import t from 'tap'
import { startDnsApi } from '../../helpers/dns-api.ts'
import { checkPublished } from '../../helpers/publish-check.ts'

const { dns, api } = await startDnsApi(t)
const one = await api.clientOf({ project: 'one' })
const two = await api.clientOf({ project: 'two' })
const reader = await api.clientOf({ project: 'one', role: 'reader' })
const unknownId = '5b1c7f40-7d4e-4a53-9f0c-0a3c5b0f1d11'

const zone = (await one.post('/v2/zones', { name: 'example.com.', email: 'ops@example.com' })).body
const collection = `/v2/zones/${zone.id}/recordsets`

/** Creates a recordset of one value, which must succeed. */
async function recordsetOf(name: string, type: string, ...records: string[]) {
  const answer = await one.post(collection, { name, type, records })
  t.equal(answer.status, 201, `${name} ${type}`)
  return answer.body
}

t.test('POST answers 201 with the recordset, ACTIVE, and where it is', async t => {
  const body = {
    name: 'www.example.com.',
    type: 'A',
    ttl: 60,
    description: 'text',
    records: ['192.0.2.2', '192.0.2.1'],
  }
  const answer = await one.post(collection, body)
  t.equal(answer.status, 201)
  const { id, created_at: createdAt, ...rest } = answer.body
  t.match(createdAt, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}$/)
  t.same(rest, {
    ...body,
    zone_id: zone.id,
    zone_name: 'example.com.',
    project_id: 'one',
    status: 'ACTIVE',
    action: 'NONE',
    status_reason: null,
    version: 1,
    updated_at: null,
    links: { self: `${api.url}${collection}/${id}` },
  })
  t.equal(answer.headers.get('location'), `${api.url}${collection}/${id}`)
  t.same((await one.get(`${collection}/${id}`)).body, answer.body)
})

t.test('a client that looks for what it sent finds it (TTL of 10, unquoted text)', async t => {
  const body = { name: '_acme-challenge.example.com.', type: 'TXT', ttl: 10, records: ['abc-_123'] }
  t.match(await one.post(collection, body), { status: 201, body })
  const { body: found } = await one.get(`${collection}?name=${body.name}&type=TXT`)
  t.match(found.recordsets, [body])
})

t.test('refused bodies of POST', async t => {
  await recordsetOf('there.example.com.', 'A', '192.0.2.1')
  const good = { name: 'new.example.com.', type: 'A', records: ['192.0.2.1'] }
  const rows: [
    rule: string,
    body: unknown,
    status: number,
    type: string,
    path?: (string | number)[],
  ][] = [
    ['no name', { ...good, name: undefined }, 400, 'invalid_object', []],
    ['no type', { ...good, type: undefined }, 400, 'invalid_object', []],
    ['no last dot', { ...good, name: 'new.example.com' }, 400, 'invalid_object', ['name']],
    ['an unknown type', { ...good, type: 'NONSENSE' }, 400, 'invalid_object', ['type']],
    [
      'a broken value',
      { ...good, records: ['192.0.2.1', 'x'] },
      400,
      'invalid_object',
      ['records', 1],
    ],
    ['a value that is no text', { ...good, records: [1] }, 400, 'invalid_object', ['records', 0]],
    [
      'values that are no list',
      { ...good, records: '192.0.2.1' },
      400,
      'invalid_object',
      ['records'],
    ],
    ['a negative TTL', { ...good, ttl: -1 }, 400, 'invalid_object', ['ttl']],
    ['a TTL of 32 bits', { ...good, ttl: 2 ** 31 }, 400, 'invalid_object', ['ttl']],
    [
      'a long description',
      { ...good, description: 'x'.repeat(161) },
      400,
      'invalid_object',
      ['description'],
    ],
    ['an unknown key', { ...good, priority: 10 }, 400, 'invalid_object'],
    ['outside the zone', { ...good, name: 'new.example.org.' }, 400, 'invalid_recordset_location'],
    [
      'a CNAME of two values',
      { ...good, type: 'CNAME', records: ['a.b.', 'c.d.'] },
      400,
      'bad_request',
    ],
    [
      'a SOA',
      { name: 'example.com.', type: 'SOA', records: ['. . 1 2 3 4 5'] },
      400,
      'bad_request',
    ],
    ['what is there', { ...good, name: 'There.example.com.' }, 409, 'duplicate_recordset'],
    ['nothing', '', 400, 'empty_request_body'],
  ]
  for (const [rule, body, status, type, path] of rows) {
    const before = rowsStored()
    const answer = await one.post(collection, body)
    t.match(answer, { status, body: { code: status, type } }, rule)
    if (path !== undefined) t.same(answer.body.errors?.errors[0]?.path, path, `${rule}: path`)
    t.same(rowsStored(), before, `${rule}: nothing is written`)
  }
})

t.test('all broken values are reported at once, in words a person understands', async t => {
  const body = { name: 'bad..', type: 'A', records: ['x', '192.0.2.1', '1.2.3'] }
  const { body: refusal } = await one.post(collection, body)
  const { errors } = refusal.errors
  t.same(
    errors.map(({ path }: { path: unknown }) => path),
    [['name'], ['records', 0], ['records', 2]],
  )
  t.match(errors[1].message, /^'x' is not a 'A' Record: .*IPv4/)
})

t.test('PUT answers 200 with what changed and the next version', async t => {
  const { id } = await recordsetOf('put.example.com.', 'A', '192.0.2.1')
  const path = `${collection}/${id}`
  const serialBefore = await serial()
  t.match(await one.put(path, { records: ['192.0.2.3', '192.0.2.2', '192.0.2.3'], ttl: 60 }), {
    status: 200,
    body: {
      records: ['192.0.2.3', '192.0.2.2'],
      ttl: 60,
      version: 2,
      status: 'ACTIVE',
      updated_at: String,
    },
  })
  t.ok((await serial()) > serialBefore)
  t.match(await one.put(path, { description: 'text' }), {
    body: { records: ['192.0.2.3', '192.0.2.2'], ttl: 60, description: 'text', version: 3 },
  })
  const whole = {
    name: 'put.example.com.',
    type: 'A',
    ttl: null,
    description: null,
    records: ['192.0.2.9'],
  }
  t.match(await one.put(path, whole), { status: 200, body: { ...whole, version: 4 } })
  t.match(await one.post(path, whole), { status: 405, body: { type: 'method_not_allowed' } })
})

t.test('refused bodies of PUT', async t => {
  const { id } = await recordsetOf('unput.example.com.', 'A', '192.0.2.1')
  const alias = await recordsetOf('single.example.com.', 'CNAME', 'a.example.net.')
  const cut = await recordsetOf('cut.example.com.', 'NS', 'ns1.example.net.')
  const managed = (await one.get(`${collection}?name=example.com.`)).body.recordsets
  const rows: [
    rule: string,
    id: string,
    body: unknown,
    type: string,
    path?: (string | number)[],
  ][] = [
    ['another name', id, { name: 'x.example.com.' }, 'invalid_object', ['name']],
    ['another type', id, { type: 'AAAA' }, 'invalid_object', ['type']],
    ['a broken value', id, { records: ['x'] }, 'invalid_object', ['records', 0]],
    ['a broken TTL', id, { ttl: 1.5 }, 'invalid_object', ['ttl']],
    ['an unknown key', id, { color: 'red' }, 'invalid_object'],
    ['another id', id, { id: alias.id }, 'invalid_object', ['id']],
    ['two values for a CNAME', alias.id, { records: ['a.b.', 'c.d.'] }, 'bad_request'],
    ['other values for NS', cut.id, { records: ['ns2.example.net.'] }, 'bad_request'],
    ...managed.map((row: { id: string; type: string }) => [
      `the managed ${row.type}`,
      row.id,
      { ttl: 1 },
      'bad_request',
    ]),
  ]
  for (const row of managed) rows.push([`a list for the ${row.type}`, row.id, [], 'bad_request'])
  for (const [rule, recordsetId, body, type, path] of rows) {
    const before = rowsStored()
    const answer = await one.put(`${collection}/${recordsetId}`, body)
    t.match(answer, { status: 400, body: { code: 400, type } }, rule)
    if (path !== undefined) t.same(answer.body.errors?.errors[0]?.path, path, `${rule}: path`)
    t.same(rowsStored(), before, `${rule}: nothing is written`)
  }
  t.match(await one.put(`${collection}/${cut.id}`, { ttl: 60, records: ['ns1.example.net.'] }), {
    status: 200,
    body: { ttl: 60 },
  })
  t.match(await one.put(`/dns${collection}/${cut.id}`, { records: ['ns2.example.net.'] }), {
    status: 202,
    body: { records: ['ns2.example.net.'] },
  })
})

t.test('DELETE answers 204 with nothing, and the recordset is gone', async t => {
  const { id } = await recordsetOf('deleted.example.com.', 'A', '192.0.2.1')
  const path = `${collection}/${id}`
  const { status, text } = await one.delete(path)
  t.same({ status, text }, { status: 204, text: '' })
  t.match(await one.get(path), { status: 404, body: { type: 'recordset_not_found' } })
  t.match(await one.delete(path), { status: 404, body: { type: 'recordset_not_found' } })
})

t.test('SOA and NS of the apex are listed and shown, but not deleted', async t => {
  const { body } = await one.get(`${collection}?name=example.com.`)
  t.same(body.recordsets.map(({ type }: { type: string }) => type).sort(), ['NS', 'SOA'])
  for (const { id } of body.recordsets) {
    t.equal((await one.get(`${collection}/${id}`)).status, 200)
    t.match(await one.delete(`${collection}/${id}`), { status: 400, body: { type: 'bad_request' } })
  }
})

t.test(
  'a SECONDARY zone is read by its project, and written by nobody in the plain dialect',
  async t => {
    const body = { name: 'copy.example.', type: 'SECONDARY', masters: ['192.0.2.1'] }
    const { id } = (await one.post('/v2/zones', body)).body
    const recordset = { name: 'www.copy.example.', type: 'A', records: ['192.0.2.1'] }
    const path = `/v2/zones/${id}/recordsets`
    t.match(await one.post(path, recordset), { status: 401, body: { type: 'forbidden' } })
    t.match(await one.post(`/dns${path}`, recordset), { status: 403, body: { type: 'forbidden' } })
    t.match(await one.get(path), { status: 200, body: { recordsets: [] } })
    const admin = api.admin.with({ 'x-auth-all-projects': 'true' })
    const refused = { status: 401, body: { type: 'forbidden', message: /read-only/ } }
    t.match(await admin.post(path, recordset), refused)
    const { body: own } = await admin.post(`/dns${path}`, recordset)
    t.match(own, { name: recordset.name })
    t.match(await admin.put(`${path}/${own.id}`, { ttl: 60 }), refused)
    t.match(await admin.delete(`${path}/${own.id}`), refused)
  },
)

t.test('who may not, may not', async t => {
  const { id } = await recordsetOf('guarded.example.com.', 'A', '192.0.2.1')
  const calls: [method: string, path: string, body?: unknown][] = [
    ['GET', collection],
    ['GET', `${collection}/${id}`],
    ['POST', collection, { name: 'x.example.com.', type: 'A' }],
    ['PUT', `${collection}/${id}`, { ttl: 1 }],
    ['DELETE', `${collection}/${id}`],
  ]
  for (const [method, path, body] of calls) {
    const options = body === undefined ? {} : { body }
    t.match(await api.anonymous.call(method, path, options), { status: 401 }, `${method} by nobody`)
    const foreign = await two.call(method, path, options)
    t.match(foreign, { status: 404, body: { type: 'zone_not_found' } }, `${method} by a stranger`)
    const read = await reader.call(method, path, options)
    t.equal(read.status, method === 'GET' ? 200 : 401, `${method} by a reader`)
  }
})

t.test('what is not there', async t => {
  const rows: [method: string, path: string, status: number, type: string][] = [
    ['GET', `${collection}/${unknownId}`, 404, 'recordset_not_found'],
    ['DELETE', `${collection}/${unknownId}`, 404, 'recordset_not_found'],
    ['GET', `/v2/zones/${unknownId}/recordsets`, 404, 'zone_not_found'],
    ['GET', `${collection}/nonsense`, 400, 'invalid_uuid'],
    ['PUT', collection, 405, 'method_not_allowed'],
    ['DELETE', collection, 405, 'method_not_allowed'],
  ]
  for (const [method, path, status, type] of rows) {
    t.match(
      await one.call(method, path),
      { status, body: { code: status, type } },
      `${method} ${path}`,
    )
  }
})

t.test('lists', async t => {
  const body = { name: 'list.example.', email: 'ops@example.com' }
  const { id } = (await one.post('/v2/zones', body)).body
  const path = `/v2/zones/${id}/recordsets`
  const drafts = [
    { name: 'c.list.example.', type: 'A', ttl: 60, records: ['192.0.2.1', '192.0.2.2'] },
    { name: 'a.list.example.', type: 'A', ttl: null, records: ['192.0.2.3'], description: 'first' },
    { name: 'a.list.example.', type: 'TXT', ttl: 300, records: ['"192.0.2.1"'] },
    { name: 'b.list.example.', type: 'CNAME', ttl: 60, records: ['a.list.example.'] },
  ]
  for (const draft of drafts) await one.post(path, draft)
  const page = async (query: string) => (await one.get(`${path}${query}`)).body
  const names = (recordsets: { name: string; type: string }[]) =>
    recordsets.map(({ name, type }) => `${name[0]}:${type}`).join(' ')

  t.test('are filtered, sorted and counted', async t => {
    const rows: [query: string, expected: string][] = [
      ['?name=a.list.example.', 'a:A a:TXT'],
      ['?name=A.LIST.example.&type=TXT', 'a:TXT'],
      ['?name=a.*&type=A', 'a:A'],
      ['?type=A', 'c:A a:A'],
      ['?ttl=60', 'c:A b:CNAME'],
      ['?data=192.0.2.2', 'c:A'],
      ['?data=*192.0.2.1*', 'c:A a:TXT'],
      ['?data=192.0.2.9', ''],
      ['?description=fir*', 'a:A'],
      ['?status=ACTIVE&type=CNAME', 'b:CNAME'],
      ['?status=ERROR', ''],
      ['?type=A&sort_key=name', 'a:A c:A'],
      ['?name=?.list.example.', ''],
      ['?name=*.list.example.&sort_key=type&sort_dir=desc', 'a:TXT b:CNAME'],
    ]
    for (const [query, expected] of rows) {
      const body = await page(query)
      const shown = names(body.recordsets)
      if (query.includes('sort_key=type')) t.ok(shown.startsWith(expected), query)
      else {
        t.equal(shown, expected, query)
        t.equal(body.metadata.total_count, body.recordsets.length, query)
      }
    }
    for (const key of ['created_at', 'id', 'updated_at', 'zone_id', 'tenant_id', 'ttl']) {
      t.equal((await page(`?sort_key=${key}`)).recordsets.length, 6, key)
    }
  })

  t.test('are paged by following next', async t => {
    for (const query of ['limit=2', 'limit=1&sort_key=name', 'limit=1&type=A']) {
      const seen = []
      let next: string | undefined = `${api.url}${path}?${query}`
      while (next !== undefined) {
        const { body } = await one.get(next)
        seen.push(...body.recordsets)
        next = body.links.next
      }
      const all = await page(`?${query.replace(/limit=\d/, 'limit=max')}`)
      t.same(seen, all.recordsets, query)
    }
  })

  t.test('refuse what they do not know', async t => {
    const rows = [
      ['?records=x', 'bad_request'],
      [`?marker=${unknownId}`, 'marker_not_found'],
      [`?marker=${zone.id}`, 'marker_not_found'],
      ['?sort_key=status', 'invalid_sort_key'],
    ]
    for (const [query, type] of rows) {
      t.match(await one.get(`${path}${query}`), { status: 400, body: { type } }, String(query))
    }
  })
})

t.test('Designate’s dialect shows each change under way', async t => {
  const body = { name: 'dialect.example.com.', type: 'A', records: ['192.0.2.1'] }
  const created = await one.post(`/dns${collection}`, body)
  t.match(created, { status: 202, body: { ...body, status: 'PENDING', action: 'CREATE' } })
  const path = `/dns${collection}/${created.body.id}`
  t.match(await one.get(path), { status: 200, body: { status: 'ACTIVE', action: 'NONE' } })
  t.match(await one.put(path, { ttl: 5 }), {
    status: 202,
    body: { status: 'PENDING', action: 'UPDATE' },
  })
  t.match(await one.delete(path), {
    status: 202,
    body: { status: 'PENDING', action: 'DELETE', ...body },
  })
  t.match(await one.get(path), { status: 404 })
})

t.test('after all of this, what is stored is what is served', async t => {
  checkPublished(t, dns)
  t.same(dns.problems, [])
})

async function serial(): Promise<number> {
  return (await one.get(`/v2/zones/${zone.id}`)).body.serial
}

/** Everything a refused request must leave as it is. */
function rowsStored(): object {
  return {
    zone: dns.store.get('zones', zone.id),
    recordsets: [...dns.store.list('recordsets', 'byZone', zone.id)],
  }
}

t.test('PATCH changes the given fields, as PUT does, in both dialects', async t => {
  const { id } = await recordsetOf('patched.example.com.', 'A', '192.0.2.1')
  for (const [base, status, ttl] of [
    ['/v2', 200, 60],
    ['/dns/v2', 202, 61],
  ] as const) {
    const path = `${base}/zones/${zone.id}/recordsets/${id}`
    t.match(await one.patch(path, { ttl }), { status, body: { ttl, records: ['192.0.2.1'] } })
    t.match(await one.patch(path, { type: 'AAAA' }), { status: 400 })
  }
})

t.test('the plain dialect takes names relative to the zone', async t => {
  for (const [name, absolute, type] of [
    ['relative', 'relative.example.com.', 'A'],
    ['@', 'example.com.', 'A'],
    ['_sip._tcp', '_sip._tcp.example.com.', 'URI'],
  ]) {
    const records = [type === 'A' ? '192.0.2.1' : '10 1 "https://example.org/"']
    const answer = await one.post(collection, { name, type, records })
    t.match(answer, { status: 201, body: { name: absolute } })
    const sent = { name, ttl: 30 }
    t.match(await one.put(`${collection}/${answer.body.id}`, sent), { status: 200 })
    const other = { name: 'other', ttl: 30 }
    t.match(await one.put(`${collection}/${answer.body.id}`, other), { status: 400 })
    await one.delete(`${collection}/${answer.body.id}`)
  }
  const body = { name: 'relative', type: 'A', records: ['192.0.2.1'] }
  const refused = await one.post(`/dns/v2/zones/${zone.id}/recordsets`, body)
  t.match(refused, { status: 400, body: { type: 'invalid_object' } })
})

t.test('a long TXT is split where that is asked for, and refused otherwise', async t => {
  const key = `v=DKIM1; p=${'A'.repeat(400)}`
  const body = { name: 'dkim.example.com.', type: 'TXT', records: [`"${key}"`] }
  t.match(await one.post(collection, body), { status: 400, body: { type: 'invalid_object' } })
  const created = await one.post(`${collection}?split_txt=true`, body)
  const records = [`"${key.slice(0, 255)}" "${key.slice(255)}"`]
  t.match(created, { status: 201, body: { records } })
  const path = `${collection}/${created.body.id}`
  t.match(await one.put(path, { records: [key] }), { status: 400 })
  t.match(await one.put(`${path}?split_txt=true`, { records: [key] }), { status: 200 })
  t.same((await one.get(path)).body.records, records)
  checkPublished(t, dns)
})

t.test('a CNAME at the apex is refused with what to use instead', async t => {
  const body = { name: 'example.com.', type: 'CNAME', records: ['www.example.net.'] }
  const { body: refused } = await one.post(collection, body)
  t.match(refused.message, /apex.*A and AAAA.*HTTPS/)
})

t.test(
  'names with other characters are for the plain API, escaped; `/` of networks for both',
  async t => {
    const strange = String.raw`a\.b\032c.example.com.`
    const body = { name: strange, type: 'A', records: ['192.0.2.1'] }
    const refused = await one.post(`/dns/v2/zones/${zone.id}/recordsets`, body)
    t.match(refused, { status: 400, body: { type: 'invalid_object' } })
    const shown = String.raw`a\046b\032c.example.com.`
    t.match(await one.post(collection, body), { status: 201, body: { name: shown } })
    t.match(await one.post(collection, { ...body, name: shown }), { status: 409 })
    for (const base of ['/v2', '/dns/v2']) {
      const name = base === '/v2' ? '0/25.2.0.192.in-addr.arpa.' : '128/25.2.0.192.in-addr.arpa.'
      const { body: network } = await one.post(`${base}/zones`, { name, email: 'ops@example.com' })
      t.equal(network.name, name)
      const ptr = { name: `1.${name}`, type: 'PTR', records: ['host.example.com.'] }
      const made = await one.post(`${base}/zones/${network.id}/recordsets`, ptr)
      t.equal(made.body.name, ptr.name)
    }
    checkPublished(t, dns)
  },
)
