import t from 'tap'
import { startDnsApi } from '../../helpers/dns-api.ts'

const { dns, api } = await startDnsApi(t)
const { admin } = api
const member = await api.clientOf({ project: 'one' })
const all = admin.with({ 'x-auth-all-projects': 'true' })

const unknownId = '5b1c7f40-7d4e-4a53-9f0c-0a3c5b0f1d11'
const defaultPoolPath = '/pools/794ccc2c-d751-44fe-b57f-8894c9f5c842'
const ns = (...hostnames: string[]) =>
  hostnames.map((hostname, i) => ({ hostname, priority: i + 1 }))
let poolCount = 0

async function newPool(body: object = {}) {
  poolCount += 1
  const given = { name: `pool-${poolCount}`, ns_records: ns(`ns.pool-${poolCount}.example.`) }
  const answer = await admin.post('/v2/pools', { ...given, ...body })
  t.equal(answer.status, 201, JSON.stringify(answer.body))
  return answer.body
}

for (const [base, denied] of [
  ['/v2', 401],
  ['/dns/v2', 403],
] as const) {
  t.test(`under ${base}`, async t => {
    t.test('POST answers 201 with the pool and where it is', async t => {
      const name = `made under ${base}`
      const body = {
        name,
        description: 'text',
        tenant_id: 'one',
        provisioner: 'UNMANAGED',
        attributes: { zone: 'east' },
        ns_records: ns('ns1.example.net.', 'ns2.example.net.'),
      }
      const { status, headers, body: pool } = await admin.post(`${base}/pools`, body)
      t.equal(status, 201)
      t.equal(headers.get('location'), `${api.url}${base}/pools/${pool.id}`)
      const { id, created_at: createdAt, ...rest } = pool
      t.match(createdAt, /^\d{4}-.*\.\d{6}$/)
      t.same(rest, {
        name,
        description: 'text',
        project_id: 'one',
        attributes: { zone: 'east' },
        ns_records: body.ns_records,
        updated_at: null,
        links: { self: `${api.url}${base}/pools/${id}` },
      })
      t.same((await admin.get(`${base}/pools/${id}`)).body, pool)
      const { body: list } = await admin.get(`${base}/pools?name=${encodeURIComponent(name)}`)
      t.same(list.pools, [pool])
      t.equal(list.metadata, null)
      t.match((await admin.get(`${base}/pools?sort_key=name&limit=1`)).body.links, { next: /./ })
    })

    t.test('POST takes the project under the name it is shown under, too', async t => {
      const body = { name: `of a project under ${base}`, project_id: 'two' }
      t.match(await admin.post(`${base}/pools`, body), { status: 201, body })
    })

    t.test('refused bodies of POST /pools', async t => {
      const { name } = await newPool()
      const good = { name: 'good' }
      const rows: [rule: string, body: unknown, status: number, type: string][] = [
        ['no name', {}, 400, 'invalid_object'],
        ['an empty name', { name: '' }, 400, 'invalid_object'],
        ['a long name', { name: 'x'.repeat(51) }, 400, 'invalid_object'],
        ['a long description', { ...good, description: 'x'.repeat(161) }, 400, 'invalid_object'],
        ['a relative name server', { ...good, ns_records: ns('ns1') }, 400, 'invalid_object'],
        [
          'one name server twice',
          { ...good, ns_records: ns('a.b.', 'A.b.') },
          400,
          'invalid_object',
        ],
        [
          'priority 0',
          { ...good, ns_records: [{ hostname: 'a.b.', priority: 0 }] },
          400,
          'invalid_object',
        ],
        [
          'priority 10001',
          { ...good, ns_records: [{ hostname: 'a.b.', priority: 10_001 }] },
          400,
          'invalid_object',
        ],
        ['an attribute that is no text', { ...good, attributes: { a: 1 } }, 400, 'invalid_object'],
        [
          'a name to listen on',
          { ...good, attributes: { listen: 'a.b:53' } },
          400,
          'invalid_object',
        ],
        ['a bad port', { ...good, attributes: { check: '192.0.2.1:x' } }, 400, 'invalid_object'],
        [
          'too many servers',
          { ...good, attributes: { also_notify: Array(17).fill('192.0.2.1').join() } },
          400,
          'invalid_object',
        ],
        ['an unknown key', { ...good, id: unknownId }, 400, 'invalid_object'],
        ['a name that is taken', { name }, 409, 'duplicate_pool'],
        [
          'an address of another machine',
          { ...good, attributes: { listen: '192.0.2.1:5353' } },
          400,
          'bad_request',
        ],
      ]
      for (const [rule, body, status, type] of rows) {
        t.match(await admin.post(`${base}/pools`, body), { status, body: { type } }, rule)
      }
      t.equal((await admin.get(`${base}/pools?name=good`)).body.pools.length, 0)
    })

    t.test('PATCH replaces what it gives, and answers 202', async t => {
      const pool = await newPool({ attributes: { a: '1', b: '2' }, description: 'text' })
      const path = `${base}/pools/${pool.id}`
      const { status, body } = await admin.patch(path, { attributes: { c: '3' } })
      t.equal(status, 202)
      t.match(body, { name: pool.name, description: 'text', updated_at: /^\d/ })
      t.same(body.attributes, { c: '3' })
      t.same((await admin.patch(path, { attributes: null })).body.attributes, {})
      const servers = ns('other.example.net.')
      t.same((await admin.patch(path, { ns_records: servers })).body.ns_records, servers)
      const { name } = await newPool()
      const rows: [body: object, status: number, type: string][] = [
        [{ name }, 409, 'duplicate_pool'],
        [{ ns_records: [] }, 400, 'last_server_delete_not_allowed'],
        [{ ns_records: ns('x') }, 400, 'invalid_object'],
        [{ name: null }, 400, 'invalid_object'],
        [{ attributes: { listen: '192.0.2.1:5353' } }, 400, 'bad_request'],
      ]
      for (const [wrong, expected, type] of rows) {
        const answer = await admin.patch(path, wrong)
        t.match(answer, { status: expected, body: { type } }, JSON.stringify(wrong))
      }
      t.match(await admin.patch(path, { name: pool.name }), { status: 202 }, 'its own name')
    })

    t.test('DELETE takes a pool away that has no zones', async t => {
      const pool = await newPool()
      const path = `${base}/pools/${pool.id}`
      const zone = { name: `in-${pool.name}.example.`, email: 'a@b.example' }
      const { body } = await admin.post(`${base}/zones`, {
        ...zone,
        attributes: { pool_id: pool.id },
      })
      t.equal(body.pool_id, pool.id)
      t.match(await admin.delete(path), { status: 400, body: { type: 'invalid_operation' } })
      await admin.delete(`${base}/zones/${body.id}`)
      t.match(await admin.delete(path), { status: 204, text: '' })
      t.match(await admin.get(path), { status: 404, body: { type: 'pool_not_found' } })
      t.match(await admin.delete(base + defaultPoolPath), {
        status: 400,
        body: { type: 'invalid_operation' },
      })
    })

    t.test('pools are administrators’', async t => {
      const calls: [method: string, path: string, body?: object][] = [
        ['GET', '/pools'],
        ['POST', '/pools', { name: 'mine' }],
        ['GET', defaultPoolPath],
        ['PATCH', defaultPoolPath, { name: 'mine' }],
        ['DELETE', defaultPoolPath],
      ]
      for (const [method, path, body] of calls) {
        const options = body === undefined ? {} : { body }
        const answer = await member.call(method, base + path, options)
        t.match(answer, { status: denied, body: { type: 'forbidden' } }, `${method} ${path}`)
        t.equal((await api.anonymous.call(method, base + path, options)).status, 401)
      }
      const forced = {
        name: 'forced.example.',
        email: 'a@b.example',
        attributes: { pool_id: unknownId },
      }
      t.match(await member.post(`${base}/zones`, forced), {
        status: denied,
        body: { type: 'forbidden' },
      })
      t.match(await admin.post(`${base}/zones`, forced), {
        status: 404,
        body: { type: 'no_valid_pool_found' },
      })
      const { id } = await newPool({ ns_records: [] })
      t.match(await admin.post(`${base}/zones`, { ...forced, attributes: { pool_id: id } }), {
        status: 500,
        body: { type: 'no_servers_configured' },
      })
    })

    t.test('pool_move has a zone answered by another pool', async t => {
      const from = await newPool()
      const to = await newPool()
      const { body: zone } = await admin.post(`${base}/zones`, {
        name: `moved-from-${from.name}.example.`,
        email: 'a@b.example',
        attributes: { pool_id: from.id },
      })
      const task = `${base}/zones/${zone.id}/tasks/pool_move`
      const { status, text } = await all.post(task, { pool_id: to.id })
      t.same({ status, text }, { status: 202, text: '""' })
      const { body: moved } = await admin.get(`${base}/zones/${zone.id}`)
      t.match(moved, { pool_id: to.id, status: 'ACTIVE' })
      t.ok(moved.serial > zone.serial)
      const { body: apex } = await admin.get(`${base}/zones/${zone.id}/recordsets?type=NS`)
      t.same(apex.recordsets[0].records, [to.ns_records[0].hostname])
      const { body: soa } = await admin.get(`${base}/zones/${zone.id}/recordsets?type=SOA`)
      t.ok(soa.recordsets[0].records[0].startsWith(`${to.ns_records[0].hostname} `))
      for (const poolId of [to.id, unknownId]) {
        t.match(await all.post(task, { pool_id: poolId }), {
          status: 400,
          body: { type: 'bad_request' },
        })
      }
      t.match(await all.post(task, { pool_id: 'x' }), {
        status: 400,
        body: { type: 'invalid_object' },
      })
      t.equal((await all.post(task)).status, 202, 'another pool is chosen')
      t.not((await admin.get(`${base}/zones/${zone.id}`)).body.pool_id, to.id)
      t.match(await member.post(task, {}), { status: denied, body: { type: 'forbidden' } })
    })

    t.test('xfr asks the masters of a SECONDARY zone', async t => {
      const copy = { name: `copy-${poolCount}.example.`, type: 'SECONDARY', masters: ['192.0.2.1'] }
      const { body: zone } = await member.post(`${base}/zones`, copy)
      const before = dns.transferReasons.length
      const { status, text } = await member.post(`${base}/zones/${zone.id}/tasks/xfr`)
      t.same({ status, text }, { status: 202, text: '""' })
      t.equal((await member.post(`${base}/zones/${zone.id}/tasks/xfr?whole=true`)).status, 202)
      t.same(dns.transferReasons.slice(before), ['wanted', 'whole'])
      const { body: own } = await member.post(`${base}/zones`, {
        name: `own-${poolCount}.example.`,
        email: 'a@b.example',
      })
      t.match(await member.post(`${base}/zones/${own.id}/tasks/xfr`), {
        status: 400,
        body: { type: 'bad_request' },
      })
      t.match(await member.post(`${base}/zones/${unknownId}/tasks/xfr`), { status: 404 })
      await member.delete(`${base}/zones/${own.id}`)
      await member.delete(`${base}/zones/${zone.id}`)
    })
  })
}

t.test('other name servers are written into every zone of the pool', async t => {
  const pool = await newPool()
  const zones: string[] = []
  const operator = await api.clientOf({ project: 'operator', role: 'admin' })
  await all.patch('/v2/quotas/operator', { zones: -1 })
  for (let i = 0; i < 120; i += 1) {
    const { body } = await operator.post('/v2/zones', {
      name: `z${i}.rewritten.example.`,
      email: 'a@b.example',
      attributes: { pool_id: pool.id },
    })
    zones.push(body.id)
  }
  await admin.patch(`/v2/pools/${pool.id}`, { ns_records: ns('a.ns.example.', 'b.ns.example.') })
  // What was cut short, or is under way, is finished by the job.
  await dns.rewrites.finishAll()
  for (const id of zones) {
    const rows = [...dns.store.list('recordsets', 'byZone', id)]
    const recordsOf = (type: string) => rows.find(row => row.type === type)?.records ?? []
    t.same(recordsOf('NS'), ['a.ns.example.', 'b.ns.example.'])
    t.match(recordsOf('SOA')[0], /^a\.ns\.example\. /)
  }
  t.notOk(dns.store.get('pools', pool.id)?.isRewritePending)
})
