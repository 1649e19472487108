import { request } from 'node:http'
import t, { type Test } from 'tap'
import { testAdminToken } from '../../../helpers/api.ts'
import { startRatingApi } from '../../../helpers/rating-api.ts'

const base = '/rating/v1/rating/module_config/hashmap'
const unknownId = '00000000-0000-4000-8000-000000000000'

async function startHashmap(t: Test) {
  const { api, services } = await startRatingApi(t)
  const { admin } = api
  const service = (await admin.post(`${base}/services`, { name: 'dns.queries' })).body
  const field = (
    await admin.post(`${base}/fields`, { service_id: service.service_id, name: 'rcode' })
  ).body
  const group = (await admin.post(`${base}/groups`, { name: 'dns' })).body
  return { api, admin, services, service, field, group }
}

t.test('a row that is made has an address, with or without a slash behind it', async t => {
  const { api } = await startRatingApi(t)
  for (const [slash, name] of [
    ['', 'one'],
    ['/', 'two'],
  ]) {
    const made = await api.admin.post(`${base}/services${slash}`, { name })
    t.equal(made.status, 201)
    const { service_id: id } = made.body
    t.equal(made.headers.get('location'), `${api.url}${base}/services/${id}`)
    t.strictSame((await api.admin.get(`${base}/services/${id}${slash}`)).body, made.body)
  }
})

t.test('the empty text says as little as null, in what is made and in what is changed', async t => {
  const { admin, service } = await startHashmap(t)
  const blank = { value: '', tenant_id: '', name: '', description: '', start: '' }
  const { service_id } = service
  const made = await admin.post(`${base}/mappings`, { service_id, cost: '1', ...blank })
  t.equal(made.status, 201)
  const { mapping_id } = made.body
  await admin.put(`${base}/mappings`, { mapping_id, cost: '1', tenant_id: 'p1', name: 'x' })
  await admin.put(`${base}/mappings`, { mapping_id, cost: '2', ...blank })
  const nothing = Object.fromEntries(Object.keys(blank).map(name => [name, null]))
  const { body } = await admin.get(`${base}/mappings/${mapping_id}`)
  t.match(body, { cost: '2', ...nothing }, 'it is for all projects again')
})

t.test('rows are shown and deleted by path, query or body', async t => {
  const { admin, service } = await startHashmap(t)
  const { service_id } = service
  const shown = [
    await admin.get(`${base}/services/${service_id}`),
    await admin.get(`${base}/services?service_id=${service_id}`),
    await admin.get(`/rating/v1/billing/module_config/hashmap/services/${service_id}`),
  ]
  for (const { status, body } of shown) t.strictSame([status, body], [200, service])
  const names = ['a', 'b', 'c']
  const ids: string[] = []
  for (const name of names)
    ids.push((await admin.post(`${base}/services`, { name })).body.service_id)
  const deleted = [
    await admin.delete(`${base}/services/${ids[0]}`),
    await admin.delete(`${base}/services?service_id=${ids[1]}`),
    await admin.call('DELETE', `${base}/services/`, { body: { service_id: ids[2] } }),
  ]
  for (const { status, text } of deleted) t.strictSame([status, text], [204, ''])
  t.strictSame((await admin.get(`${base}/services`)).body, { services: [service] })
})

t.test('also what is asked for may be in a body', async t => {
  const { api, admin, service, field } = await startHashmap(t)
  await admin.post(`${base}/services`, { name: 'other' })
  const { service_id } = service
  const answers = [
    await getWithBody(`${api.url}${base}/services/`, { service_id }),
    await getWithBody(`${api.url}${base}/fields`, { service_id }),
  ]
  t.strictSame(answers, [service, { fields: [field] }])
})

/** A GET with a body, which not every client can send. */
function getWithBody(url: string, body: object): Promise<unknown> {
  const text = JSON.stringify(body)
  const headers = {
    'x-auth-token': testAdminToken,
    'content-type': 'application/json',
    'content-length': Buffer.byteLength(text),
  }
  return new Promise((resolve, reject) => {
    const sent = request(url, { method: 'GET', headers }, async response => {
      const chunks: string[] = []
      for await (const chunk of response.setEncoding('utf8')) chunks.push(chunk)
      resolve(JSON.parse(chunks.join('')))
    })
    sent.once('error', reject)
    sent.end(text)
  })
}

t.test('a rule holds its cost to the last digit, sent as a number or as text', async t => {
  const { admin, service } = await startHashmap(t)
  const cost = '0.1000000000000000055511151231'
  for (const [level, written] of [
    ['1', cost],
    ['2', `"${cost}"`],
  ]) {
    const body = `{"service_id":"${service.service_id}","level":${level},"cost":${written}}`
    const made = await admin.post(`${base}/thresholds`, body)
    t.match(made.body, { cost, level, type: 'flat', group_id: null, tenant_id: null })
  }
})

t.test('what a rule may not be is a 400 that says what', async t => {
  const { admin, service, field } = await startHashmap(t)
  const { service_id } = service
  const { field_id } = field
  const cases = [
    [{ service_id }, /cost\. Value: 'None'\. Mandatory field missing\.$/],
    [{ cost: 1 }, /^You must specify one parent\.$/],
    [{ cost: 1, service_id, field_id }, /^You can only specify one parent\.$/],
    [{ cost: 1, service_id, value: 'x' }, /^You can't specify a value and a service_id\.$/],
    [{ cost: 1, field_id }, /^You must specify a value for a field mapping\.$/],
    [{ cost: 1, service_id: unknownId }, new RegExp(`^No such service: None .UUID: ${unknownId}`)],
    [{ cost: 1, field_id: unknownId, value: 'x' }, /^No such field: /],
    [{ cost: 1, service_id, group_id: unknownId }, /^No such group: /],
    [{ cost: 1, service_id: 'x' }, /service_id\. Value: 'x'/],
    [{ cost: 1, service_id, type: 'odd' }, /type\. Value: 'odd'.*flat, rate/],
    [{ cost: 1, service_id, colour: 1 }, /^Unknown argument: "colour"$/],
    [{ cost: 'NaN', service_id }, /cost\. Value: 'NaN'/],
    [{ cost: '-Infinity', service_id }, /cost/],
    [{ cost: '1'.repeat(40), service_id }, /cost.*12 digits before the point/],
    [{ cost: 1e300, service_id }, /cost/],
    [{ cost: 1, service_id, start: '2026-11-02', end: '2026-11-02' }, /end of a rule/],
    ['{"cost": NaN}', /not valid JSON/],
    ['[]', /expected an object/],
  ] as const
  for (const [body, message] of cases) {
    const { status, body: answer } = await admin.post(`${base}/mappings`, body)
    t.equal(status, 400, String(message))
    t.match(answer, { faultcode: 'Client', faultstring: message, debuginfo: null })
  }
  const threshold = await admin.post(`${base}/thresholds`, { cost: 1, service_id })
  t.match(threshold.body.faultstring, /level\. Value: 'None'/)
  t.strictSame((await admin.get(`${base}/mappings`)).body, { mappings: [] })
  t.equal((await admin.get(`${base}/fields`)).status, 400, 'fields are a service’s')
})

t.test('what is taken is a 409, what is not there a 404', async t => {
  const { admin, service, field, group } = await startHashmap(t)
  const { service_id } = service
  const mapping = { cost: 1, field_id: field.field_id, value: 'x', tenant_id: 'p1' }
  await admin.post(`${base}/mappings`, mapping)
  const taken = [
    await admin.post(`${base}/services`, { name: 'dns.queries' }),
    await admin.post(`${base}/fields`, { service_id, name: 'rcode' }),
    await admin.post(`${base}/groups`, { name: 'dns' }),
    await admin.post(`${base}/mappings`, { ...mapping, type: 'rate' }),
  ]
  t.strictSame(
    taken.map(({ status, body }) => [status, body.faultstring]),
    [
      [409, `Service dns.queries already exists (UUID: ${service_id})`],
      [409, `Field rcode already exists (UUID: ${field.field_id})`],
      [409, `Group dns already exists (UUID: ${group.group_id})`],
      [409, `Mapping 'x' already exists for field '${field.field_id}', tenant: 'p1'`],
    ],
  )
  for (const path of ['services', 'fields', 'groups', 'mappings', 'thresholds']) {
    const { status, body } = await admin.get(`${base}/${path}/${unknownId}`)
    t.equal(status, 404, path)
    t.match(body.faultstring, /^No such /)
    t.equal((await admin.delete(`${base}/${path}/${unknownId}`)).status, 404)
    t.equal((await admin.get(`${base}/${path}/x`)).status, 400)
    t.equal((await admin.delete(`${base}/${path}`)).status, 400)
  }
})

t.test('an update is sent back to itself, and writes once', async t => {
  const { api, admin, services, service, group } = await startHashmap(t)
  const made = await admin.post(`${base}/mappings`, {
    service_id: service.service_id,
    group_id: group.group_id,
    cost: 1,
    type: 'rate',
  })
  const { mapping_id } = made.body
  const changed = { ...made.body, cost: '2' }
  for (let i = 0; i < 31; i++) {
    const { status, headers, text } = await admin.put(`${base}/mappings/`, changed)
    t.strictSame([status, text], [302, ''])
    t.equal(headers.get('location'), `${api.url}${base}/mappings`)
  }
  t.match(services.administration.mappings.get(mapping_id), { cost: '2', version: 2 })

  const byPath = await admin.put(`${base}/mappings/${mapping_id}`, { cost: 3, group_id: null })
  t.equal(byPath.headers.get('location'), `${api.url}${base}/mappings/${mapping_id}`)
  const { body } = await admin.get(`${base}/mappings/${mapping_id}`)
  t.match(body, { cost: '3', group_id: null, type: 'rate', service_id: service.service_id })
  const refused = [
    await admin.put(`${base}/mappings/${mapping_id}`, {}),
    await admin.put(`${base}/mappings/${mapping_id}`, { cost: 1, service_id: unknownId }),
    await admin.put(`${base}/mappings/${mapping_id}`, { cost: 1, mapping_id: unknownId }),
    await admin.put(`${base}/mappings/${mapping_id}`, { cost: 1, value: 'x' }),
    await admin.put(`${base}/mappings`, { cost: 1 }),
  ]
  for (const { status } of refused) t.equal(status, 400)
  t.equal((await admin.put(`${base}/mappings/${unknownId}`, { cost: 1 })).status, 404)
  t.equal(services.administration.mappings.get(mapping_id).cost, '3')
})

t.test('a rule may be for a time', async t => {
  const { admin, service } = await startHashmap(t)
  const common = { service_id: service.service_id, cost: 1 }
  const first = await admin.post(`${base}/mappings`, { ...common, end: '2026-11-01' })
  const second = await admin.post(`${base}/mappings`, {
    ...common,
    start: '2026-11-01T00:00:00Z',
    name: 'autumn',
    description: 'New price',
    force: true,
  })
  t.match(first.body, { start: null, end: '2026-11-01T00:00:00' })
  t.match(second.body, { start: '2026-11-01T00:00:00', end: null, name: 'autumn' })
  t.match(second.body, { description: 'New price', created_by: /./, updated_by: null })
  t.match(second.body.created_at, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d$/)
})

t.test('a group shows its rules and what it is to them', async t => {
  const { admin, service, field, group } = await startHashmap(t)
  const { group_id } = group
  const mapping = (
    await admin.post(`${base}/mappings`, { service_id: service.service_id, group_id, cost: 1 })
  ).body
  const threshold = (
    await admin.post(`${base}/thresholds`, {
      field_id: field.field_id,
      group_id,
      level: 2,
      cost: 1,
    })
  ).body
  for (const [path, body] of [
    [`groups/${group_id}/mappings`, { mappings: [mapping] }],
    [`groups/mappings?group_id=${group_id}`, { mappings: [mapping] }],
    [`groups/${group_id}/thresholds`, { thresholds: [threshold] }],
    [`groups/thresholds?group_id=${group_id}`, { thresholds: [threshold] }],
    [`mappings/group?mapping_id=${mapping.mapping_id}`, group],
    [`mappings/${mapping.mapping_id}/group`, group],
    [`thresholds/${threshold.threshold_id}/group`, group],
    [`thresholds?group_id=${group_id}`, { thresholds: [threshold] }],
    [`mappings?no_group=True`, { mappings: [] }],
    ['types', ['flat', 'rate']],
  ] as const)
    t.strictSame((await admin.get(`${base}/${path}`)).body, body, path)
  t.equal((await admin.get(`${base}/groups/${unknownId}/mappings`)).status, 404)

  await admin.delete(`${base}/groups/${group_id}`)
  const left = (await admin.get(`${base}/mappings/${mapping.mapping_id}`)).body
  t.strictSame(left, { ...mapping, group_id: null })
  const none = await admin.get(`${base}/mappings/${mapping.mapping_id}/group`)
  t.strictSame(
    [none.status, none.body.faultstring],
    [404, `Mapping has no group (UUID: ${mapping.mapping_id})`],
  )
})

t.test('the hashmap is for administrators', async t => {
  const { api, service } = await startHashmap(t)
  const member = await api.clientOf({ project: 'alpha' })
  const calls = [
    ['GET', '/services'],
    ['POST', '/services'],
    ['DELETE', `/services/${service.service_id}`],
    ['GET', '/types'],
    ['PUT', '/mappings'],
  ] as const
  for (const [method, path] of calls) {
    const { status, body } = await member.call(method, base + path)
    t.equal(status, 403)
    t.match(body, { faultcode: 'Client', faultstring: /^Policy doesn't allow/ })
    t.equal((await api.anonymous.call(method, base + path)).status, 401)
  }
  t.equal((await api.admin.call('PATCH', `${base}/services`)).status, 405)
})
