import { Ajv } from 'ajv'
import addFormats from 'ajv-formats'
import t from 'tap'
import { startDnsV1Api } from '../../helpers/dns-v1-api.ts'

const names = [
  'domain',
  'domains',
  'record',
  'records',
  'server',
  'servers',
  'limits',
  'tsigkey',
  'tsigkeys',
]

const { api } = await startDnsV1Api(t)
const { admin } = api
const one = await api.clientOf({ project: 'one' })

/** The schemas as a client has them that fetches all. */
async function fetchSchemas() {
  const ajv = new Ajv({ allowUnionTypes: true })
  addFormats.default(ajv)
  for (const name of names) {
    const { status, body } = await one.get(`/v1/schemas/${name}`)
    t.match({ status, body }, { status: 200, body: { title: name } })
    ajv.addSchema(body)
  }
  return (name: string, value: unknown) =>
    ajv.validate(`${api.url}/v1/schemas/${name}`, value) || ajv.errorsText()
}

t.test('what is answered is as the schemas say', async t => {
  const validate = await fetchSchemas()
  const draft = { name: 'example.com.', email: 'ops@example.com' }
  const { body: domain } = await one.post('/v1/domains', draft)
  const url = `/v1/domains/${domain.id}`
  const mx = { name: 'example.com.', type: 'MX', data: 'mail.example.com.', priority: 10 }
  const { body: record } = await one.post(`${url}/records`, mx)
  const { body: server } = await admin.post('/v1/servers', { name: 'a.ns.example.' })
  const key = { name: 'a.example', algorithm: 'hmac-sha256', secret: 'c2VjcmV0' }
  const { body: tsigkey } = await admin.post('/v1/tsigkeys', key)
  const shown: Readonly<Record<string, unknown>> = {
    domain,
    domains: (await one.get('/v1/domains')).body,
    record,
    records: (await one.get(`${url}/records`)).body,
    server,
    servers: (await admin.get('/v1/servers')).body,
    limits: (await one.get('/v1/limits')).body,
    tsigkey,
    tsigkeys: (await admin.get('/v1/tsigkeys')).body,
  }
  t.same(Object.keys(shown), names)
  for (const [name, value] of Object.entries(shown)) t.equal(validate(name, value), true, name)
})

t.test('what is refused is against the schemas', async t => {
  const validate = await fetchSchemas()
  const record = { name: 'example.com.', type: 'A', data: '192.0.2.1' }
  const rows: readonly (readonly [string, unknown])[] = [
    ['domain', { name: 'example.com.' }],
    ['domain', { name: 'example.com.', email: null }],
    ['domain', { name: 'example.com.', email: 'ops@example.com', ttl: 0 }],
    ['domain', { name: 'example.com.', email: 'ops@example.com', masters: [] }],
    ['record', { ...record, priority: 65_536 }],
    ['record', { name: 'example.com.', type: 'A' }],
    ['server', { name: 7 }],
    ['servers', { servers: [] }],
    ['tsigkey', { name: 'a', algorithm: 'rot13', secret: 'b' }],
    ['limits', { limits: {} }],
  ]
  for (const [name, value] of rows) {
    t.type(validate(name, value), 'string', `${name} ${JSON.stringify(value)}`)
  }
})

t.test('other schemas there are not, and strangers see none', async t => {
  for (const name of ['quota', 'constructor', '__proto__']) {
    const answer = await one.get(`/v1/schemas/${name}`)
    t.match(answer, { status: 404, body: { type: 'not_found' } }, name)
  }
  t.equal((await api.anonymous.get('/v1/schemas/domain')).status, 401)
})
