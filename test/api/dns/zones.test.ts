import t from 'tap'
import { startDnsApi } from '../../helpers/dns-api.ts'
import { checkPublished } from '../../helpers/publish-check.ts'

const { dns, api } = await startDnsApi(t)
const one = await api.clientOf({ project: 'one' })
const two = await api.clientOf({ project: 'two' })
const reader = await api.clientOf({ project: 'one', role: 'reader' })

const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/
const timestamp = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}$/
const unknownId = '5b1c7f40-7d4e-4a53-9f0c-0a3c5b0f1d11'

/** Creates a zone that is there for one test. */
async function zoneNamed(name: string, body: object = {}) {
  const answer = await one.post('/v2/zones', { name, email: 'ops@example.com', ...body })
  t.equal(answer.status, 201, name)
  return answer.body
}

t.test('POST /zones answers 201 with the zone, ACTIVE, and where it is', async t => {
  const body = { name: 'shown.example.', email: 'ops@example.com', ttl: 300, description: 'text' }
  const { status, headers, body: zone } = await one.post('/v2/zones', body)
  t.equal(status, 201)
  t.equal(headers.get('location'), `${api.url}/v2/zones/${zone.id}`)
  t.match(zone.id, uuid)
  t.match(zone.created_at, timestamp)
  const { id, created_at: _, serial: __, ...rest } = zone
  t.same(rest, {
    ...body,
    pool_id: '794ccc2c-d751-44fe-b57f-8894c9f5c842',
    project_id: 'one',
    type: 'PRIMARY',
    status: 'ACTIVE',
    action: 'NONE',
    status_reason: null,
    masters: null,
    attributes: {},
    shared: false,
    version: 1,
    updated_at: null,
    transferred_at: null,
    links: { self: `${api.url}/v2/zones/${id}` },
  })
  t.same((await one.get(`/v2/zones/${id}`)).body, zone)
})

t.test(
  'a SECONDARY zone has neither address nor TTL, and is PENDING until transferred',
  async t => {
    const body = {
      name: 'copy.example.',
      type: 'SECONDARY',
      masters: ['192.0.2.1', '[2001:db8::1]:5300'],
    }
    const { status, body: zone } = await one.post('/v2/zones', body)
    t.equal(status, 201)
    t.match(zone, {
      ...body,
      email: null,
      ttl: null,
      serial: 1,
      status: 'PENDING',
      action: 'CREATE',
    })
    const changed = await one.patch(`/v2/zones/${zone.id}`, { masters: ['192.0.2.2'] })
    t.match(changed, { status: 200, body: { masters: ['192.0.2.2'] } })
  },
)

t.test('a SECONDARY zone without masters waits for them, and is transferred once set', async t => {
  for (const [i, masters] of [undefined, null, []].entries()) {
    const name = `waiting-${i}.example.`
    const { status, body: zone } = await one.post('/v2/zones', { name, type: 'SECONDARY', masters })
    t.equal(status, 201)
    t.match(zone, { masters: null, status: 'PENDING', status_reason: /has no masters/ })
    const wanted = () => dns.mastersSet.filter(({ id }) => id === zone.id).length
    t.equal(wanted(), 0)
    const xfr = await one.post(`/v2/zones/${zone.id}/tasks/xfr`)
    t.match(xfr, { status: 400, body: { type: 'bad_request' } })
    const set = await one.patch(`/v2/zones/${zone.id}`, { masters: ['192.0.2.1'] })
    t.match(set, { status: 200, body: { masters: ['192.0.2.1'], status_reason: null } })
    t.equal(wanted(), 1)
    const unset = await one.patch(`/v2/zones/${zone.id}`, { masters: null })
    t.match(unset, { status: 200, body: { masters: null } })
    t.equal(wanted(), 1)
  }
})

t.test('a SECONDARY zone whose transfer fails says why', async t => {
  const { body } = await one.post('/v2/zones', {
    name: 'failing.example.',
    type: 'SECONDARY',
    masters: ['192.0.2.1'],
  })
  const row = dns.store.get('zones', body.id)
  if (row?.transfer === undefined) throw new Error('not a SECONDARY')
  const transfer = { ...row.transfer, failure: 'connection refused', told: 'no answer' }
  await dns.store.commit(tx => tx.put('zones', { ...row, transfer }))
  const { body: zone } = await one.get(`/v2/zones/${body.id}`)
  t.match(zone, { status: 'ERROR', status_reason: 'no answer' })
  const exact = await api.admin.get(`/v2/zones/${body.id}?all_projects=true`)
  t.match(exact.body, { status: 'ERROR', status_reason: 'connection refused' })
})

t.test('refused bodies of POST /zones', async t => {
  await zoneNamed('taken.example.')
  const good = { name: 'new.example.', email: 'ops@example.com' }
  const copy = { name: 'new.example.', type: 'SECONDARY', masters: ['192.0.2.1'] }
  const rows: [
    rule: string,
    body: unknown,
    status: number,
    type: string,
    path?: (string | number)[],
  ][] = [
    ['no name', { email: 'ops@example.com' }, 400, 'invalid_object', []],
    ['a name that is no text', { ...good, name: 5 }, 400, 'invalid_object', ['name']],
    ['a relative name', { ...good, name: 'new.example' }, 400, 'invalid_object', ['name']],
    [
      'a name with a line end',
      { ...good, name: 'new.example.\n' },
      400,
      'invalid_object',
      ['name'],
    ],
    ['a name of one label', { ...good, name: 'example.' }, 400, 'invalid_zone_name'],
    ['a type there is not', { ...good, type: 'STUB' }, 400, 'invalid_object', ['type']],
    ['PRIMARY without an address', { name: 'new.example.' }, 400, 'invalid_object', []],
    ['PRIMARY with null for an address', { ...good, email: null }, 400, 'invalid_object', []],
    ['an address that is none', { ...good, email: 'ops' }, 400, 'invalid_object', ['email']],
    [
      'a long address',
      { ...good, email: `${'a'.repeat(256)}@b.example` },
      400,
      'invalid_object',
      ['email'],
    ],
    [
      'PRIMARY with masters',
      { ...good, masters: ['192.0.2.1'] },
      400,
      'invalid_object',
      ['masters'],
    ],
    ['a negative TTL', { ...good, ttl: -1 }, 400, 'invalid_object', ['ttl']],
    ['a TTL of 32 bits', { ...good, ttl: 2 ** 31 }, 400, 'invalid_object', ['ttl']],
    ['a TTL with a fraction', { ...good, ttl: 1.5 }, 400, 'invalid_object', ['ttl']],
    ['a TTL as text', { ...good, ttl: '300' }, 400, 'invalid_object', ['ttl']],
    [
      'a long description',
      { ...good, description: 'x'.repeat(161) },
      400,
      'invalid_object',
      ['description'],
    ],
    [
      'SECONDARY with a broken master',
      { ...copy, masters: ['192.0.2.1', ':53'] },
      400,
      'invalid_object',
      ['masters', 1],
    ],
    [
      'SECONDARY with masters as text',
      { ...copy, masters: '192.0.2.1' },
      400,
      'invalid_object',
      ['masters'],
    ],
    [
      'SECONDARY with an address',
      { ...copy, email: 'ops@example.com' },
      400,
      'invalid_object',
      ['email'],
    ],
    ['SECONDARY with a TTL', { ...copy, ttl: 300 }, 400, 'invalid_object', ['ttl']],
    ['an unknown key', { ...good, colour: 'red' }, 400, 'invalid_object'],
    [
      'an attribute that is no text',
      { ...good, attributes: { a: 1 } },
      400,
      'invalid_object',
      ['attributes', 'a'],
    ],
    ['a list', [], 400, 'invalid_object'],
    ['nothing', '', 400, 'empty_request_body'],
    ['no JSON', '{', 400, 'invalid_json'],
    ['a name that is taken', { ...good, name: 'Taken.example.' }, 409, 'duplicate_zone'],
  ]
  for (const [rule, body, status, type, path] of rows) {
    const before = rowsStored()
    const answer = await one.post('/v2/zones', body)
    t.match(answer, { status, body: { code: status, type } }, rule)
    if (path !== undefined) t.same(answer.body.errors?.errors[0]?.path, path, `${rule}: path`)
    t.same(rowsStored(), before, `${rule}: nothing is written`)
  }
})

t.test('an unknown key is named', async t => {
  const { body } = await one.post('/v2/zones', {
    name: 'a.example.',
    email: 'a@b.example',
    colour: 1,
  })
  t.match(body.message, "Keys ['colour'] are not valid for zone")
})

t.test(
  'the names below and above another project’s zone are refused, as 401 in the plain dialect',
  async t => {
    await zoneNamed('middle.taken-by-one.example.')
    const rows = [
      ['a.b.middle.taken-by-one.example.', 'illegal_child'],
      ['taken-by-one.example.', 'illegal_parent'],
    ]
    for (const [name, type] of rows) {
      const body = { name, email: 'ops@example.com' }
      t.match(await two.post('/v2/zones', body), { status: 401, body: { code: 401, type } })
      t.match(await two.post('/dns/v2/zones', body), { status: 403, body: { code: 403, type } })
    }
    t.match(
      await two.post('/v2/zones', { name: 'middle.taken-by-one.example.', email: 'a@b.example' }),
      {
        status: 409,
        body: { type: 'duplicate_zone' },
      },
    )
  },
)

t.test('PATCH changes what it says', async t => {
  const zone = await zoneNamed('patched.example.', { description: 'text' })
  const path = `/v2/zones/${zone.id}`
  const { status, body } = await one.patch(path, { ttl: 60 })
  t.equal(status, 200)
  t.match(body, { ttl: 60, description: 'text', version: 2, status: 'ACTIVE' })
  t.ok(body.serial > zone.serial, 'the serial changes')
  t.match(body.updated_at, timestamp)
  t.match((await one.patch(path, { description: null })).body, { ttl: 60, description: null })
  t.match((await one.patch(path, { ttl: null })).body, { ttl: 3600 })
  const same = { name: zone.name, type: zone.type, email: 'new@example.com' }
  t.match(await one.patch(path, same), { status: 200, body: { email: 'new@example.com' } })
})

t.test('attributes are added, changed, taken away, and what a list is filtered by', async t => {
  const { id, name } = await zoneNamed('tagged.example.', { attributes: { tier: 'gold', a: '1' } })
  const path = `/v2/zones/${id}`
  const patched = async (attributes: object) =>
    (await one.patch(path, { attributes })).body.attributes
  t.same(await patched({}), { tier: 'gold', a: '1' })
  t.same(await patched({ tier: 'silver', b: '' }), { tier: 'silver', a: '1', b: '' })
  t.same(await patched({ a: null, none: null }), { tier: 'silver', b: '' })
  const found = async (pattern: string) => {
    const { body } = await one.get(`/v2/zones?attributes=${encodeURIComponent(pattern)}`)
    return body.zones.map((zone: { name: string }) => zone.name)
  }
  t.same(await found('tier:silver'), [name])
  t.same(await found('*ilve*'), [name])
  t.same(await found('b:*'), [name])
  t.same(await found('tier:gold'), [])
})

const manyAttributes = Object.fromEntries(Array.from({ length: 51 }, (_, i) => [`a${i}`, '']))

t.test('refused bodies of PATCH /zones/<id>', async t => {
  const { id } = await zoneNamed('unpatched.example.')
  const rows: [rule: string, body: unknown, type: string, path?: (string | number)[]][] = [
    ['another name', { name: 'other.example.' }, 'invalid_object', ['name']],
    ['another type', { type: 'SECONDARY' }, 'invalid_object', ['type']],
    ['another pool', { attributes: { pool_id: '1' } }, 'invalid_object', ['attributes']],
    ['a catalog', { attributes: { catalog: 'producer' } }, 'invalid_object', ['attributes']],
    ['many attributes', { attributes: manyAttributes }, 'invalid_object', ['attributes']],
    [
      'a long attribute',
      { attributes: { a: 'x'.repeat(1025) } },
      'invalid_object',
      ['attributes', 'a'],
    ],
    ['no address', { email: null }, 'invalid_object', []],
    ['a broken address', { email: '@' }, 'invalid_object', ['email']],
    ['a broken TTL', { ttl: 'x' }, 'invalid_object', ['ttl']],
    ['masters', { masters: ['192.0.2.1'] }, 'invalid_object', ['masters']],
    ['an unknown key', { serial: 7 }, 'invalid_object'],
    ['nothing', '', 'empty_request_body'],
  ]
  for (const [rule, body, type, path] of rows) {
    const before = rowsStored()
    const answer = await one.patch(`/v2/zones/${id}`, body)
    t.match(answer, { status: 400, body: { code: 400, type } }, rule)
    if (path !== undefined) t.same(answer.body.errors?.errors[0]?.path, path, `${rule}: path`)
    t.same(rowsStored(), before, `${rule}: nothing is written`)
  }
})

t.test('DELETE answers 202 with nothing, and the zone is gone', async t => {
  const { id, name } = await zoneNamed('deleted.example.')
  const { status, text } = await one.delete(`/v2/zones/${id}`)
  t.same({ status, text }, { status: 202, text: '' })
  t.match(await one.get(`/v2/zones/${id}`), { status: 404, body: { type: 'zone_not_found' } })
  await zoneNamed(name)
})

t.test('abandoning a zone answers 204 to an administrator, body or not', async t => {
  const allProjects = api.admin.with({ 'x-auth-all-projects': 'true' })
  for (const name of ['abandoned.example.', 'abandoned-too.example.']) {
    const { id } = await zoneNamed(name)
    const path = `/v2/zones/${id}/tasks/abandon`
    t.match(await one.post(path), { status: 401, body: { type: 'forbidden' } })
    t.match(await allProjects.post(path), { status: 204, text: '' })
    t.match(await one.get(`/v2/zones/${id}`), { status: 404 })
    t.match(await one.get(path), { status: 405 })
  }
})

t.test('the name servers of a zone are its pool’s', async t => {
  const { id } = await zoneNamed('served.example.')
  t.match(await one.get(`/v2/zones/${id}/nameservers`), {
    status: 200,
    body: { nameservers: [{ hostname: 'ns1.zonewright.example.', priority: 1 }] },
  })
})

t.test('who may not, may not', async t => {
  const { id } = await zoneNamed('guarded.example.')
  const calls: [method: string, path: string, body?: unknown][] = [
    ['GET', `/v2/zones/${id}`],
    ['GET', `/v2/zones/${id}/nameservers`],
    ['PATCH', `/v2/zones/${id}`, { ttl: 1 }],
    ['DELETE', `/v2/zones/${id}`],
  ]
  for (const [method, path, body] of calls) {
    const options = body === undefined ? {} : { body }
    t.match(await api.anonymous.call(method, path, options), { status: 401 }, `${method} by nobody`)
    const foreign = await two.call(method, path, options)
    t.match(foreign, { status: 404, body: { type: 'zone_not_found' } }, `${method} by a stranger`)
    const read = await reader.call(method, path, options)
    t.equal(read.status, method === 'GET' ? 200 : 401, `${method} by a reader`)
  }
  t.match(await reader.post('/v2/zones', { name: 'r.example.', email: 'a@b.example' }), {
    status: 401,
    body: { code: 401, type: 'forbidden', message: /^Access Denied/ },
  })
})

t.test('what is not there', async t => {
  const rows: [method: string, path: string, status: number, type: string][] = [
    ['GET', `/v2/zones/${unknownId}`, 404, 'zone_not_found'],
    ['DELETE', `/v2/zones/${unknownId}`, 404, 'zone_not_found'],
    ['GET', `/v2/zones/${unknownId}/nameservers`, 404, 'zone_not_found'],
    ['GET', '/v2/zones/nonsense', 400, 'invalid_uuid'],
    ['PUT', `/v2/zones/${unknownId}`, 405, 'method_not_allowed'],
    ['DELETE', '/v2/zones', 405, 'method_not_allowed'],
    ['POST', `/v2/zones/${unknownId}/nameservers`, 405, 'method_not_allowed'],
    ['POST', `/v2/zones/${unknownId}`, 405, 'method_not_allowed'],
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
  const lister = await api.clientOf({ project: 'lister' })
  const created: unknown[] = []
  for (const [i, name] of ['c', 'a', 'b', 'd', 'e'].entries()) {
    const body = { name: `${name}.list.example.`, email: `${name}@example.com`, ttl: 100 * i }
    created.push(
      (await lister.post('/v2/zones', { ...body, description: i > 2 ? 'late' : null })).body,
    )
  }
  const names = (zones: { name: string }[]) => zones.map(({ name }) => name[0]).join('')
  const page = async (query: string) => (await lister.get(`/v2/zones${query}`)).body

  t.test('show the project’s zones by age, with links and count', async t => {
    const body = await page('')
    t.same(body.zones, created)
    t.same(body.links, { self: `${api.url}/v2/zones` })
    t.same(body.metadata, { total_count: 5 })
    const { body: strangers } = await (await api.clientOf({ project: 'none' })).get('/v2/zones')
    t.match(strangers, { zones: [], metadata: { total_count: 0 } })
  })

  t.test('show all projects’ zones to an administrator who asks', async t => {
    const { body } = await api.admin.get('/v2/zones?all_projects=true&name=*.list.example.')
    t.equal(body.metadata.total_count, 5)
  })

  t.test('are filtered and sorted', async t => {
    const rows: [query: string, expected: string][] = [
      ['?name=a.list.example.', 'a'],
      ['?name=A.list.example.', 'a'],
      ['?name=a.list', ''],
      ['?name=*.list.example.', 'cabde'],
      ['?name=*b*', 'b'],
      ['?email=d@example.com', 'd'],
      ['?ttl=400', 'e'],
      ['?type=PRIMARY', 'cabde'],
      ['?type=SECONDARY', ''],
      ['?status=ACTIVE', 'cabde'],
      ['?status=ERROR', ''],
      ['?dnssec_status=UNSIGNED', 'cabde'],
      ['?dnssec_status=SIGNED', ''],
      ['?description=late', 'de'],
      ['?description=*', 'de'],
      ['?description=late&name=d.list.example.', 'd'],
      ['?description=late&name=a.list.example.', ''],
      ['?sort_key=name', 'abcde'],
      ['?sort_key=name&sort_dir=desc', 'edcba'],
      ['?sort_dir=desc', 'edbac'],
      ['?sort_key=ttl&sort_dir=desc', 'edbac'],
      ['?sort_key=name&description=late&sort_dir=desc', 'ed'],
    ]
    for (const [query, expected] of rows) {
      const body = await page(query)
      t.equal(names(body.zones), expected, query)
      t.equal(body.metadata.total_count, expected.length, query)
    }
    for (const key of ['created_at', 'id', 'updated_at', 'tenant_id', 'serial', 'status']) {
      t.equal((await page(`?sort_key=${key}`)).zones.length, 5, key)
    }
  })

  t.test('are paged by following next', async t => {
    for (const query of [
      'limit=2',
      'limit=2&sort_key=name',
      'limit=2&name=*list*',
      'limit=1&sort_dir=desc',
    ]) {
      const seen = []
      let next: string | undefined = `${api.url}/v2/zones?${query}`
      while (next !== undefined) {
        const { body } = await lister.get(next)
        seen.push(...body.zones)
        t.equal(body.metadata.total_count, 5)
        next = body.links.next
      }
      const all: { zones: { id: string }[] } = await page(
        `?${query.replace(/limit=\d/, 'limit=max')}`,
      )
      t.same(
        seen.map(({ id }) => id),
        all.zones.map(({ id }) => id),
        query,
      )
    }
  })

  t.test('refuse what they do not know', async t => {
    const rows = [
      ['?colour=red', 'bad_request'],
      ['?name=a&name=b', 'bad_request'],
      ['?limit=0', 'invalid_limit'],
      ['?marker=x', 'invalid_marker'],
      [`?marker=${unknownId}`, 'marker_not_found'],
      ['?sort_key=email', 'invalid_sort_key'],
      ['?sort_dir=up', 'invalid_sort_dir'],
    ]
    for (const [query, type] of rows) {
      t.match(await lister.get(`/v2/zones${query}`), { status: 400, body: { type } }, String(query))
    }
    const foreign = await zoneNamed('foreign-marker.example.')
    t.match(await lister.get(`/v2/zones?marker=${foreign.id}`), {
      body: { type: 'marker_not_found' },
    })
  })
})

t.test(
  'Designate’s dialect shows each change under way, and the next look what came of it',
  async t => {
    const body = { name: 'dialect.example.', email: 'ops@example.com' }
    const created = await one.post('/dns/v2/zones', body)
    t.match(created, { status: 202, body: { status: 'PENDING', action: 'CREATE', masters: [] } })
    const path = `/dns/v2/zones/${created.body.id}`
    t.equal(created.headers.get('location'), api.url + path)
    t.match(await one.get(path), { status: 200, body: { status: 'ACTIVE', action: 'NONE' } })
    t.match(await one.patch(path, { ttl: 5 }), {
      status: 202,
      body: { status: 'PENDING', action: 'UPDATE' },
    })
    t.match(await one.delete(path), { status: 202, body: { status: 'PENDING', action: 'DELETE' } })
    t.match(await one.get(path), { status: 404 })
  },
)

t.test('after all of this, what is stored is what is served', async t => {
  checkPublished(t, dns)
  t.same(dns.problems, [])
})

/** Everything a refused request must leave as it is. */
function rowsStored(): object {
  return {
    zones: [...dns.store.list('zones', 'all', '')],
    recordsets: [...dns.store.list('zones', 'all', '')].flatMap(({ id }) => [
      ...dns.store.list('recordsets', 'byZone', id),
    ]),
  }
}
