import t from 'tap'
import { differences } from '../../../src/api/dialect.ts'
import { type DialectPlace, dialectPlaces } from '../../helpers/dialects.ts'
import { startDnsApi } from '../../helpers/dns-api.ts'

// Where the specification and Designate differ, and where they might: each statement is looked at in both
// dialects, on rows of its own.

const { dns, api } = await startDnsApi(t)
const { admin } = api
const one = await api.clientOf({ project: 'one' })
const two = await api.clientOf({ project: 'two' })
const reader = await api.clientOf({ project: 'one', role: 'reader' })
dns.serviceParts.push({ name: 'dns', designateNames: ['mdns'], problem: undefined, stats: {} })
dns.serviceStatuses.beat()
await dns.blacklists.create({ pattern: '^blacklisted\\.', description: null })

type Both = { readonly plain: unknown; readonly designate: unknown }

type Row = {
  readonly says: string
  /** Rows of the table of differences that this is about. */
  readonly of?: readonly (keyof typeof differences)[]
  readonly see: (place: DialectPlace) => Promise<unknown>
  /** What is seen in each dialect, or in both. */
  readonly is: Both | { readonly both: unknown }
}

let zoneCount = 0

/** A zone for one look. */
async function newZone(body: object = {}) {
  zoneCount += 1
  const name = `z${zoneCount}.example.`
  return (await one.post('/v2/zones', { name, email: 'ops@example.com', ...body })).body
}

async function newRecordset({ base }: DialectPlace, draft: object = {}) {
  const zone = await newZone()
  const name = `www.${zone.name}`
  const path = `${base}/zones/${zone.id}/recordsets`
  const { body } = await one.post(path, { name, type: 'A', records: ['192.0.2.1'], ...draft })
  return { ...body, path: `${path}/${body.id}` }
}

const secondary = { type: 'SECONDARY', masters: ['192.0.2.1'] }

const rows: readonly Row[] = [
  {
    says: 'POST zone',
    of: ['zoneCreated', 'showsPending'],
    async see({ base, dialect }) {
      const name = `posted.${dialect}.example.`
      const { status, body } = await one.post(`${base}/zones`, { name, email: 'ops@example.com' })
      const next = await one.get(`${base}/zones/${body.id}`)
      return [status, body.status, body.action, next.body.status, next.body.action]
    },
    is: {
      plain: [201, 'ACTIVE', 'NONE', 'ACTIVE', 'NONE'],
      designate: [202, 'PENDING', 'CREATE', 'ACTIVE', 'NONE'],
    },
  },
  {
    says: 'PATCH zone',
    of: ['zoneUpdated', 'showsPending'],
    async see({ base }) {
      const { id } = await newZone()
      const { status, body } = await one.patch(`${base}/zones/${id}`, { ttl: 60 })
      return [status, body.ttl, body.status, body.action]
    },
    is: { plain: [200, 60, 'ACTIVE', 'NONE'], designate: [202, 60, 'PENDING', 'UPDATE'] },
  },
  {
    says: 'DELETE zone, and the zone after it',
    of: ['showsDeleted'],
    async see({ base }) {
      const { id } = await newZone()
      const { status, text, body } = await one.delete(`${base}/zones/${id}`)
      const shown = text === '' ? '' : [body.id === id, body.status, body.action]
      return [status, shown, (await one.get(`${base}/zones/${id}`)).status]
    },
    is: { plain: [202, '', 404], designate: [202, [true, 'PENDING', 'DELETE'], 404] },
  },
  {
    says: 'POST recordset',
    of: ['recordsetCreated', 'showsPending'],
    async see({ base }) {
      const zone = await newZone()
      const draft = { name: `www.${zone.name}`, type: 'A', records: ['192.0.2.1'] }
      const { status, body } = await one.post(`${base}/zones/${zone.id}/recordsets`, draft)
      return [status, body.status, body.action]
    },
    is: { plain: [201, 'ACTIVE', 'NONE'], designate: [202, 'PENDING', 'CREATE'] },
  },
  {
    says: 'PUT recordset',
    of: ['recordsetUpdated', 'showsPending'],
    async see(place) {
      const { path } = await newRecordset(place)
      const { status, body } = await one.put(path, { ttl: 60 })
      const next = await one.get(path)
      return [status, body.status, body.action, next.body.status]
    },
    is: {
      plain: [200, 'ACTIVE', 'NONE', 'ACTIVE'],
      designate: [202, 'PENDING', 'UPDATE', 'ACTIVE'],
    },
  },
  {
    says: 'DELETE recordset, and the recordset after it',
    of: ['recordsetDeleted', 'showsDeleted'],
    async see(place) {
      const { path } = await newRecordset(place)
      const { status, text, body } = await one.delete(path)
      const shown = text === '' ? '' : [body.status, body.action, body.records]
      return [status, shown, (await one.get(path)).status]
    },
    is: {
      plain: [204, '', 404],
      designate: [202, ['PENDING', 'DELETE', ['192.0.2.1']], 404],
    },
  },
  {
    says: 'masters of PRIMARY and SECONDARY',
    of: ['noMasters'],
    async see({ base }) {
      const primary = await newZone()
      const copy = await newZone({ ...secondary, email: undefined })
      const masters = async (id: string) => (await one.get(`${base}/zones/${id}`)).body.masters
      return [await masters(primary.id), await masters(copy.id)]
    },
    is: { plain: [null, ['192.0.2.1']], designate: [[], ['192.0.2.1']] },
  },
  {
    says: 'a SECONDARY without masters, and one that loses them',
    of: ['needsMasters'],
    async see({ base, dialect }) {
      const body = { name: `no-masters.${dialect}.example.`, type: 'SECONDARY', masters: null }
      const created = await one.post(`${base}/zones`, body)
      const { id } = await newZone({ ...secondary, email: undefined })
      const changed = await one.patch(`${base}/zones/${id}`, { masters: [] })
      return [created.status, created.body.type, changed.status, changed.body.type]
    },
    is: {
      plain: [201, 'SECONDARY', 200, 'SECONDARY'],
      designate: [400, 'invalid_object', 400, 'invalid_object'],
    },
  },
  {
    says: 'a recordset that an administrator adds to a SECONDARY',
    of: ['keepsSecondariesReadOnly'],
    async see({ base }) {
      const zone = await newZone({ ...secondary, email: undefined })
      const draft = { name: `www.${zone.name}`, type: 'A', records: ['192.0.2.1'] }
      const operator = admin.with({ 'x-auth-all-projects': 'true' })
      const { status, body } = await operator.post(`${base}/zones/${zone.id}/recordsets`, draft)
      return [status, body.message]
    },
    is: { plain: [401, /read-only: they are its master’s/], designate: [202, undefined] },
  },
  {
    says: 'a recordset with a name relative to its zone',
    of: ['takesRelativeNames'],
    async see({ base }) {
      const zone = await newZone()
      const draft = { name: 'www', type: 'A', records: ['192.0.2.1'] }
      return (await one.post(`${base}/zones/${zone.id}/recordsets`, draft)).status
    },
    is: { plain: 201, designate: 400 },
  },
  {
    says: 'the entity tag of a zone, and a change bound to another',
    of: ['hasEntityTags'],
    async see({ base }) {
      const path = `${base}/zones/${(await newZone()).id}`
      const { headers } = await one.get(path)
      const bound = one.with({ 'if-match': '"another"', 'if-none-match': '*' })
      const { status } = await bound.patch(path, { ttl: 60 })
      return [headers.has('etag'), status, (await bound.get(path)).status]
    },
    is: { plain: [true, 412, 304], designate: [false, 202, 200] },
  },
  {
    says: 'email and ttl of SECONDARY',
    async see({ base }) {
      const { id } = await newZone({ ...secondary, email: undefined })
      const { body } = await one.get(`${base}/zones/${id}`)
      return [body.email, body.ttl]
    },
    is: { both: [null, null] },
  },
  {
    says: 'fields of a zone beyond the specification’s',
    async see({ base }) {
      const { body } = await one.get(`${base}/zones/${(await newZone()).id}`)
      return [body.action, body.attributes, body.shared]
    },
    is: { both: ['NONE', {}, false] },
  },
  {
    says: 'fields of a recordset beyond the specification’s',
    async see(place) {
      const { path, zone_name: zoneName } = await newRecordset(place)
      const { body } = await one.get(path)
      return [body.status, body.action, body.project_id, body.zone_name === zoneName]
    },
    is: { both: ['ACTIVE', 'NONE', 'one', true] },
  },
  {
    says: 'what the caller’s role does not allow',
    of: ['denied', 'denialPrefix'],
    async see({ base }) {
      const body = { name: 'a.example.', email: 'ops@example.com' }
      const answer = await reader.post(`${base}/zones`, body)
      return [
        answer.status,
        answer.body.code,
        answer.body.type,
        /^Access Denied/.test(answer.body.message),
      ]
    },
    is: { plain: [401, 401, 'forbidden', true], designate: [403, 403, 'forbidden', false] },
  },
  {
    says: 'a name below another project’s zone',
    of: ['denied'],
    async see({ base }) {
      const { name } = await newZone()
      const body = { name: `below.${name}`, email: 'ops@example.com' }
      const answer = await two.post(`${base}/zones`, body)
      return [answer.status, answer.body.type]
    },
    is: { plain: [401, 'illegal_child'], designate: [403, 'illegal_child'] },
  },
  {
    says: 'nobody',
    async see({ base }) {
      const { status, body, headers } = await api.anonymous.get(`${base}/zones`)
      return [status, Object.keys(body), headers.has('www-authenticate')]
    },
    is: { both: [401, ['error'], true] },
  },
  {
    says: 'somebody else’s zone',
    async see({ base }) {
      const { status, body } = await two.get(`${base}/zones/${(await newZone()).id}`)
      return [status, body.type]
    },
    is: { both: [404, 'zone_not_found'] },
  },
  {
    says: 'a blacklisted name',
    of: ['wording'],
    async see({ base }) {
      const body = { name: 'blacklisted.example.', email: 'ops@example.com' }
      const answer = await one.post(`${base}/zones`, body)
      return [answer.status, answer.body.type, answer.body.message]
    },
    is: {
      plain: [400, 'invalid_zone_name', 'Blacklisted domain name'],
      designate: [400, 'invalid_zone_name', 'Blacklisted zone name'],
    },
  },
  {
    says: 'a blacklisted name that an administrator asks for',
    of: ['isBoundByBlacklists', 'wording'],
    async see({ base, dialect }) {
      const body = { name: `blacklisted.${dialect}.example.`, email: 'ops@example.com' }
      const answer = await admin.post(`${base}/zones`, body)
      return [answer.status, answer.body.message]
    },
    is: { plain: [400, 'Blacklisted domain name'], designate: [202, undefined] },
  },
  {
    says: 'an administrator’s copy of a top-level domain',
    of: ['mayCopyTopLevels'],
    async see({ base, dialect }) {
      const body = { name: `${dialect}.`, type: 'SECONDARY', masters: ['192.0.2.1'] }
      const answer = await admin.post(`${base}/zones`, body)
      return [answer.status, answer.body.type]
    },
    is: { plain: [201, 'SECONDARY'], designate: [400, 'invalid_zone_name'] },
  },
  {
    says: 'the path of transfer accepts in the singular',
    async see({ base }) {
      return (await one.post(`${base}/zones/tasks/transfer_accept`, {})).body.type
    },
    is: { plain: 'invalid_object', designate: 'method_not_allowed' },
  },
  {
    says: 'a transfer, from offer to acceptance',
    async see({ base }) {
      const { id } = await newZone()
      const { body: offer } = await one.post(`${base}/zones/${id}/tasks/transfer_requests`, {})
      const draft = { key: offer.key, zone_transfer_request_id: offer.id }
      const { status, body } = await two.post(`${base}/zones/tasks/transfer_accepts`, draft)
      return [status, body.status, body.zone_id === id, body.key === offer.key, body.links.zone]
    },
    is: { both: [201, 'COMPLETE', true, true, /\/zones\/[0-9a-f-]{36}$/] },
  },
  {
    says: 'a pool: what its body may hold, what it shows, and that PATCH is 202',
    async see({ base, dialect }) {
      const { status, body } = await admin.post(`${base}/pools`, {
        name: `pool-${dialect}`,
        tenant_id: 'one',
        provisioner: 'UNMANAGED',
        ns_records: [{ hostname: 'ns1.example.', priority: 1 }],
      })
      const list = await admin.get(`${base}/pools`)
      const changes = { ns_records: [{ hostname: 'ns2.example.', priority: 1 }] }
      const changed = await admin.patch(`${base}/pools/${body.id}`, changes)
      const hostnames = changed.body.ns_records.map(
        ({ hostname }: { hostname: string }) => hostname,
      )
      return [status, body.attributes, list.body.metadata, changed.status, hostnames]
    },
    is: { both: [201, {}, null, 202, ['ns2.example.']] },
  },
  {
    says: 'DELETE of the pool that has zones',
    async see({ base }) {
      const { pool_id: poolId } = await newZone()
      const { status, body } = await admin.delete(`${base}/pools/${poolId}`)
      return [status, body.type]
    },
    is: { both: [400, 'invalid_operation'] },
  },
  {
    says: 'links of a list: self always, next behind a full page only',
    async see({ base }) {
      const url = `${base}/zones/${(await newZone()).id}/recordsets`
      const whole = await one.get(url)
      const page = await one.get(`${url}?limit=1`)
      return [Object.keys(whole.body.links), Object.keys(page.body.links)]
    },
    is: { both: [['self'], ['self', 'next']] },
  },
  {
    says: 'a filter that there is not',
    async see({ base }) {
      const { status, body } = await one.get(`${base}/zones?colour=red`)
      return [status, body.type]
    },
    is: { both: [400, 'bad_request'] },
  },
  {
    says: 'the items of a page',
    async see({ base }) {
      while ((await one.get('/v2/zones?limit=1')).body.metadata.total_count <= 20) await newZone()
      const { body } = await one.get(`${base}/zones`)
      return [body.zones.length, (await one.get(`${base}/limits`)).body.max_page_limit]
    },
    is: { both: [20, 1000] },
  },
  {
    says: 'other values for an NS recordset below the apex, and for the one at it',
    of: ['updatesNs'],
    async see(place) {
      const below = await newRecordset(place, { type: 'NS', records: ['ns1.example.'] })
      const values = { records: ['ns2.example.'] }
      const list = await one.get(`${below.path.replace(/\/[^/]+$/, '')}?type=NS`)
      const apex = list.body.recordsets.find(({ id }: { id: string }) => id !== below.id)
      const apexPath = below.path.replace(below.id, apex.id)
      return [(await one.put(below.path, values)).status, (await one.put(apexPath, values)).status]
    },
    is: { plain: [400, 400], designate: [202, 400] },
  },
  {
    says: 'a name in PUT: the same is accepted, another is not',
    async see(place) {
      const { path, name } = await newRecordset(place)
      const same = await one.put(path, { name })
      const other = await one.put(path, { name: `other.${name}` })
      return [same.status < 300, other.status, other.body.type]
    },
    is: { both: [true, 400, 'invalid_object'] },
  },
  {
    says: 'records of the items of a list',
    async see(place) {
      const { path, id } = await newRecordset(place)
      const { body } = await one.get(path.replace(/\/[^/]+$/, ''))
      return body.recordsets.find((item: { id: string }) => item.id === id).records
    },
    is: { both: ['192.0.2.1'] },
  },
  {
    says: 'versions',
    async see(place) {
      const { path, version } = await newRecordset(place)
      return [version, (await one.put(path, { ttl: 60 })).body.version]
    },
    is: { both: [1, 2] },
  },
  {
    says: 'paths that the specification does not show',
    async see({ base }) {
      const statuses = ['tlds', 'tsigkeys', 'quotas', 'limits'].map(
        async path => (await admin.get(`${base}/${path}`)).status,
      )
      return Promise.all(statuses)
    },
    is: { both: [200, 200, 200, 200] },
  },
  {
    says: 'what the parts of the server are called',
    of: ['serviceNaming'],
    async see({ base }) {
      const { body } = await admin.get(`${base}/service_statuses?sort_key=service_name`)
      return body.service_statuses.map((row: { service_name: string }) => row.service_name)
    },
    is: { plain: ['dns'], designate: ['mdns'] },
  },
  {
    says: 'a report of what an import left out',
    of: ['showsReports'],
    async see({ base }) {
      const { name } = await newZone()
      const zonefile = `$ORIGIN sub.${name}\n@ 60 SOA ns ops 1 2 3 4 5\n`
      const { body } = await one.post(`${base}/zones/tasks/imports`, { zonefile })
      await dns.zoneImports.settled()
      return 'report' in body
    },
    is: { plain: true, designate: false },
  },
  {
    says: 'an owner name with other characters than those of hosts',
    of: ['takesHostNamesOnly'],
    async see({ base }) {
      const zone = await newZone()
      const body = { name: `a/b.${zone.name}`, type: 'TXT', records: ['"text"'] }
      const { status } = await one.post(`${base}/zones/${zone.id}/recordsets`, body)
      return status < 300
    },
    is: { plain: true, designate: false },
  },
  {
    says: 'the paths of openstacksdk for exports and imports',
    async see({ base, dialect }) {
      const zone = await newZone()
      const { body } = await one.post(`${base}/zones/${zone.id}/tasks/export`)
      const path = `${base}/zones/tasks/export`
      const file = await one.with({ accept: 'text/dns' }).get(`${path}/${body.id}/export`)
      const answers = [
        await one.get(path),
        await one.get(`${path}/${body.id}`),
        file,
        await one.delete(`${path}/${body.id}`),
        await one.get(`${base}/zones/tasks/import`),
      ]
      return answers.map(({ status }) => (dialect === 'plain' ? status >= 400 : status))
    },
    is: { plain: [true, true, true, true, true], designate: [200, 200, 200, 204, 200] },
  },
  {
    says: 'timestamps',
    see: async ({ base }) =>
      (await one.get(`${base}/zones/${(await newZone()).id}`)).body.created_at,
    is: { both: /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}$/ },
  },
  {
    says: 'the body of a refusal',
    async see({ base }) {
      const { body } = await one.get(`${base}/zones/${'0'.repeat(32)}`)
      return [Object.keys(body).sort(), body.code, body.type]
    },
    is: { both: [['code', 'message', 'request_id', 'type'], 404, 'zone_not_found'] },
  },
  {
    says: 'quotas that nobody has set',
    see: async ({ base }) => (await admin.get(`${base}/quotas`)).body,
    is: {
      both: {
        zones: 10,
        zone_recordsets: 500,
        zone_records: 500,
        recordset_records: 20,
        api_export_size: 1000,
      },
    },
  },
]

for (const row of rows) {
  t.test(row.says, async t => {
    for (const place of dialectPlaces) {
      const expected = 'both' in row.is ? row.is.both : row.is[place.dialect]
      t.match(await row.see(place), expected, place.dialect)
    }
  })
}

t.test('every row of the table of differences is looked at', async t => {
  const seen = new Set(rows.flatMap(({ of = [] }) => of))
  t.same([...seen].sort(), Object.keys(differences).sort())
})

t.test('links lead to where the client came, in the dialect it came in', async t => {
  const { id } = await newZone()
  for (const { base } of dialectPlaces) {
    const { body } = await one.get(`${base}/zones/${id}`)
    t.equal(body.links.self, `${api.url}${base}/zones/${id}`)
    const next = (await one.get(`${base}/zones?limit=1`)).body.links.next
    t.ok(next.startsWith(`${api.url}${base}/zones?`), next)
    t.equal((await one.get(next)).status, 200)
  }
})

t.test('/dns lists the versions to anyone, all of the second at one address', async t => {
  for (const path of ['/dns', '/dns/']) {
    const { status, body } = await api.anonymous.get(path)
    t.equal(status, 200)
    t.same(
      body.versions.map(({ id }: { id: string }) => id),
      ['v1', 'v2', 'v2.0', 'v2.1', 'v2.2', 'v2.3', 'v2.4'],
    )
    for (const { id, links } of body.versions) {
      const href = `${api.url}/dns/${id === 'v1' ? 'v1' : 'v2'}`
      t.same(links, [{ rel: 'self', href }])
    }
    const current = body.versions.filter(({ status }: { status: string }) => status === 'CURRENT')
    t.equal(current.length, 1)
  }
})

t.test('what is no path of the API says so only to who is known', async t => {
  for (const path of ['/dns/v2', '/dns/v2/', '/dns/v2/zones.json', '/v2/nothing']) {
    t.equal((await api.anonymous.get(path)).status, 401, path)
    t.match(await one.get(path), { status: 404, body: { type: 'not_found' } }, path)
  }
  t.equal((await one.get('/dns/nothing')).status, 404)
  t.equal((await one.get('/dns/v2/zones/')).status, 200, 'a slash at the end does no harm')
})

t.test('the plain dialect takes the name of a zone wherever its id is in a path', async t => {
  const { api } = await startDnsApi(t)
  const one = await api.clientOf({ project: 'one' })
  const two = await api.clientOf({ project: 'two' })
  const fields = { name: 'Example.com.', email: 'ops@example.com' }
  const { body: zone } = await one.post('/v2/zones', fields)
  t.match(await one.get('/v2/zones/example.com.'), { status: 200, body: { id: zone.id } })
  t.match(await one.get('/v2/zones/EXAMPLE.com'), { status: 200, body: { id: zone.id } })
  const path = '/v2/zones/example.com./recordsets'
  const www = { name: 'www', type: 'A', records: ['192.0.2.1'] }
  const { body: created } = await one.post(path, www)
  t.match(await one.get(path), { status: 200, body: { metadata: { total_count: 3 } } })
  t.match(await one.get(`${path}/${created.id}`), { status: 200 })
  for (const below of ['shares', 'nameservers']) {
    t.match(await one.get(`/v2/zones/example.com./${below}`), { status: 200 }, below)
  }
  const offer = await one.post('/v2/zones/example.com./tasks/transfer_requests', {})
  t.match(offer, { status: 201, body: { zone_id: zone.id } })
  const unknown = { status: 404, body: { type: 'zone_not_found' } }
  t.match(await two.get('/v2/zones/example.com.'), unknown, 'of another project')
  t.match(await one.get('/v2/zones/example.net.'), unknown, 'that nobody has')
  t.match(await one.get('/v2/zones/no-id'), { status: 400, body: { type: 'invalid_uuid' } })
  t.match(await one.get('/dns/v2/zones/example.com.'), { status: 400 }, 'Designate takes ids alone')
  await one.post(`/v2/zones/${zone.id}/shares`, { target_project_id: 'two' })
  t.match(await two.get(path), { status: 200 }, 'one that is shared')
  t.match(await one.delete('/v2/zones/example.com.'), { status: 400 })
})

t.test('a name that several zones have is no id', async t => {
  const { dns, api } = await startDnsApi(t)
  const admin = api.admin.with({ 'x-auth-all-projects': 'true' })
  t.teardown(() => dns.servers.close())
  const nsRecords = [{ hostname: 'ns1.example.org.', priority: 1 }]
  const attributes = { listen: '127.0.0.1:0' }
  const pool = await admin.post('/v2/pools', { name: 'own', attributes, ns_records: nsRecords })
  const zone = { name: 'example.com.', email: 'ops@example.com' }
  await api.admin.post('/v2/zones', zone)
  await api.admin.post('/v2/zones', { ...zone, attributes: { pool_id: pool.body.id } })
  t.match(await admin.get('/v2/zones/example.com.'), { status: 400, body: { type: 'bad_request' } })
})
