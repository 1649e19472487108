import t from 'tap'
import { startDnsApi } from '../../helpers/dns-api.ts'
import { inParallel } from '../../helpers/in-parallel.ts'

const { dns, api } = await startDnsApi(t)
const owner = await api.clientOf({ project: 'owner' })
const target = await api.clientOf({ project: 'target' })
const stranger = await api.clientOf({ project: 'stranger' })
const reader = await api.clientOf({ project: 'owner', role: 'reader' })

const all = api.admin.with({ 'x-auth-all-projects': 'true' })
for (const project of ['owner', 'target', 'stranger'])
  await all.patch(`/v2/quotas/${project}`, { zones: -1 })

const unknownId = '5b1c7f40-7d4e-4a53-9f0c-0a3c5b0f1d11'
let zoneCount = 0

async function newZone() {
  zoneCount += 1
  const body = { name: `zone-${zoneCount}.transfer-${zoneCount}.example.`, email: 'a@b.example' }
  return (await owner.post('/v2/zones', body)).body
}

for (const [base, denied] of [
  ['/v2', 401],
  ['/dns/v2', 403],
] as const) {
  const requests = `${base}/zones/tasks/transfer_requests`
  const accepts = `${base}/zones/tasks/transfer_accepts`

  /** Offers a new zone. */
  async function offered(body?: object) {
    const zone = await newZone()
    const path = `${base}/zones/${zone.id}/tasks/transfer_requests`
    return { zone, path, request: (await owner.post(path, body)).body }
  }

  t.test(`under ${base}`, async t => {
    t.test('POST offers a zone, body or not: 201 with a key', async t => {
      const zone = await newZone()
      const path = `${base}/zones/${zone.id}/tasks/transfer_requests`
      const { status, headers, body } = await owner.post(path)
      t.equal(status, 201)
      t.equal(headers.get('location'), `${api.url}${requests}/${body.id}`)
      const { id, key, created_at: createdAt, ...rest } = body
      t.match(key, /^[A-Z0-9]{8}$/)
      t.match(createdAt, /^\d{4}-.*\.\d{6}$/)
      t.same(rest, {
        zone_id: zone.id,
        zone_name: zone.name,
        project_id: 'owner',
        target_project_id: null,
        description: null,
        status: 'ACTIVE',
        updated_at: null,
        links: { self: `${api.url}${requests}/${id}` },
      })
      t.same((await owner.get(`${requests}/${id}`)).body, body)
      t.match((await offered(null as never)).request, { status: 'ACTIVE' }, 'nor is null one')
      const described = { description: 'to you', target_project_id: 'target' }
      t.match((await offered(described)).request, described)
    })

    t.test('what is refused to who offers', async t => {
      const { zone, path } = await offered()
      const rows: [body: unknown, status: number, type: string][] = [
        [{}, 409, 'duplicate_zone_transfer_request'],
        [{ key: 'ABCDEFGH' }, 400, 'invalid_object'],
        [{ description: 5 }, 400, 'invalid_object'],
        [{ description: 'x'.repeat(161) }, 400, 'invalid_object'],
        [{ target_project_id: 7 }, 400, 'invalid_object'],
      ]
      for (const [body, status, type] of rows) {
        t.match(await owner.post(path, body), { status, body: { type } }, JSON.stringify(body))
      }
      t.match(await reader.post(path), { status: denied, body: { type: 'forbidden' } })
      t.match(await stranger.post(path), { status: 404, body: { type: 'zone_not_found' } })
      t.match(await api.anonymous.post(path), { status: 401 })
      const row = dns.store.get('zones', zone.id)
      await dns.store.commit(tx => row && tx.put('zones', { ...row, isDeleting: true }))
      t.match(await owner.post(path), { status: 400, body: { type: 'bad_request' } })
      await dns.store.commit(tx => row && tx.put('zones', row))
    })

    t.test('an untargeted request is listed by its owner and read by who knows its id', async t => {
      const { zone, request } = await offered({ description: 'for anybody' })
      const { body: reduced } = await stranger.get(`${requests}/${request.id}`)
      t.same(reduced, {
        id: request.id,
        zone_id: zone.id,
        zone_name: zone.name,
        description: 'for anybody',
        status: 'ACTIVE',
        links: request.links,
      })
      t.same((await stranger.get(requests)).body.transfer_requests, [])
      const { body: own } = await owner.get(`${requests}?limit=max&status=ACTIVE`)
      t.ok(own.transfer_requests.some(({ id }: { id: string }) => id === request.id))
      t.notOk('metadata' in own)
    })

    t.test('a targeted request is for its owner and its target', async t => {
      const { request } = await offered({ target_project_id: 'target' })
      const path = `${requests}/${request.id}`
      t.match((await target.get(path)).body, { id: request.id, key: undefined })
      const { body: listed } = await target.get(requests)
      const row = listed.transfer_requests.find(({ id }: { id: string }) => id === request.id)
      t.equal(row.zone_name, request.zone_name)
      t.notOk('key' in row)
      t.same((await stranger.get(requests)).body.transfer_requests, [])
      t.match((await api.admin.get(path)).body, { id: request.id }, 'administrators see it')
      for (const answer of [
        await stranger.get(path),
        await stranger.patch(path, { description: 'mine' }),
        await stranger.delete(path),
        await target.patch(path, { description: 'mine' }),
        await target.delete(path),
        await stranger.post(accepts, {
          key: request.key,
          zone_transfer_request_id: request.id,
        }),
      ]) {
        t.match(answer, { status: denied, body: { type: 'forbidden' } })
      }
    })

    t.test('PATCH changes the description and nothing else', async t => {
      const { zone, request } = await offered({ target_project_id: 'target' })
      const path = `${requests}/${request.id}`
      const same = { zone_id: zone.id, target_project_id: 'target' }
      const { status, body } = await owner.patch(path, { ...same, description: 'new' })
      t.equal(status, 200)
      t.match(body, { ...request, description: 'new', updated_at: /^\d/ })
      for (const wrong of [{ zone_id: unknownId }, { target_project_id: null }, { key: 'A' }]) {
        t.match(await owner.patch(path, wrong), { status: 400, body: { type: 'invalid_object' } })
      }
      t.match(await owner.delete(path), { status: 204, text: '' })
      t.match(await owner.get(path), {
        status: 404,
        body: { type: 'zone_transfer_request_not_found' },
      })
      t.match(await owner.delete(path), { status: 404 })
    })

    t.test('accepting makes the zone and all in it the acceptor’s', async t => {
      const { zone, request } = await offered({ target_project_id: 'target' })
      const path = `${base}/zones/${zone.id}`
      const www = { name: `www.${zone.name}`, type: 'A', records: ['192.0.2.1'] }
      const { body: recordset } = await owner.post(`${path}/recordsets`, www)
      const draft = { key: request.key, zone_transfer_request_id: request.id }
      const { status, headers, body } = await target.post(accepts, draft)
      t.equal(status, 201)
      t.equal(headers.get('location'), `${api.url}${accepts}/${body.id}`)
      const { id, created_at: _, ...rest } = body
      const shown = {
        zone_transfer_request_id: request.id,
        zone_id: zone.id,
        project_id: 'target',
        key: request.key,
        status: 'COMPLETE',
        updated_at: null,
        links: { self: `${api.url}${accepts}/${id}`, zone: `${api.url}${path}` },
      }
      t.same(rest, shown)
      t.match((await target.get(`${accepts}/${id}`)).body, { ...shown, key: null })
      t.match((await target.get(path)).body, { project_id: 'target', status: 'ACTIVE' })
      const { body: moved } = await target.get(`${path}/recordsets/${recordset.id}`)
      t.equal(moved.project_id, 'target')
      t.match(await owner.get(path), { status: 404 })
      t.match((await owner.get(`${requests}/${request.id}`)).body, { status: 'COMPLETE' })
      t.match(await target.post(accepts, draft), {
        status: 400,
        body: { type: 'invalid_zone_transfer_request' },
      })
      t.match(await owner.get(`${accepts}/${id}`), {
        status: 404,
        body: { type: 'zone_transfer_accept_not_found' },
      })
      t.match(await target.get(accepts), { status: denied, body: { type: 'forbidden' } })
      const { body: list } = await all.get(`${accepts}?limit=max&status=COMPLETE`)
      t.ok(list.transfer_accepts.some((row: { id: string }) => row.id === id))
      t.type(list.metadata.total_count, 'number')
      const { body: own } = await api.admin.get(accepts)
      t.same(own, { transfer_accepts: [], links: own.links, metadata: { total_count: 0 } })
      t.match((await target.post(`${path}/tasks/transfer_requests`)).status, 201)
      await target.delete(path)
      t.match(await target.get(`${accepts}/${id}`), { status: 404 }, 'gone with the zone')
    })

    t.test('what is refused to who accepts', async t => {
      const { zone, request } = await offered()
      const good = { key: request.key, zone_transfer_request_id: request.id }
      const rows: [rule: string, body: object, status: number, type: string][] = [
        ['a wrong key', { ...good, key: 'WRONGKEY' }, denied, 'invalid_key'],
        ['a short key', { ...good, key: '' }, denied, 'invalid_key'],
        ['no key', { zone_transfer_request_id: request.id }, 400, 'invalid_object'],
        ['no request', { key: request.key }, 400, 'invalid_object'],
        ['no id', { ...good, zone_transfer_request_id: 'x' }, 400, 'invalid_object'],
        [
          'an unknown request',
          { ...good, zone_transfer_request_id: unknownId },
          404,
          'zone_transfer_request_not_found',
        ],
      ]
      for (const [rule, body, status, type] of rows) {
        t.match(await target.post(accepts, body), { status, body: { type } }, rule)
      }
      const { body: quota } = await target.get(`${base}/quotas`)
      const projectQuota = `${base}/quotas/target`
      t.equal((await all.patch(projectQuota, { zones: 0 })).status, 200)
      t.match(await target.post(accepts, good), { status: 413, body: { type: 'over_quota' } })
      await all.patch(projectQuota, { zones: quota.zones })
      const row = dns.store.get('zones', zone.id)
      await dns.store.commit(tx => row && tx.put('zones', { ...row, isDeleting: true }))
      t.match(await target.post(accepts, good), { status: 400, body: { type: 'bad_request' } })
      await dns.store.commit(tx => row && tx.put('zones', row))
      t.equal((await owner.get(`${base}/zones/${zone.id}`)).status, 200, 'nothing has changed')
    })

    t.test('of those who accept at once one has the zone', async t => {
      const { request } = await offered()
      const draft = { key: request.key, zone_transfer_request_id: request.id }
      const answers = await inParallel(
        16,
        Array.from({ length: 16 }, (_, i) => i),
        i => (i % 2 === 0 ? target : stranger).post(accepts, draft),
      )
      t.equal(answers.filter(({ status }) => status === 201).length, 1)
      t.equal(answers.filter(({ status }) => status === 400).length, 15)
    })

    t.test('who had part in a zone and accepts it has it whole', async t => {
      const zone = await newZone()
      const path = `${base}/zones/${zone.id}`
      await owner.post(`${path}/shares`, { target_project_id: 'target' })
      const own = { name: `own.${zone.name}`, type: 'A', records: ['192.0.2.1'] }
      await target.post(`${path}/recordsets`, own)
      const { body: request } = await owner.post(`${path}/tasks/transfer_requests`)
      await target.post(accepts, { key: request.key, zone_transfer_request_id: request.id })
      t.match((await target.get(path)).body, { project_id: 'target', shared: false })
      const { body: back } = await target.post(`${path}/tasks/transfer_requests`)
      await owner.post(accepts, { key: back.key, zone_transfer_request_id: back.id })
      const { body: list } = await owner.get(`${path}/recordsets`)
      const projects = list.recordsets.map((row: { project_id: string }) => row.project_id)
      t.same(new Set(projects), new Set(['owner']))
    })
  })
}

t.test('the singular path is the specification’s, and nothing in Designate', async t => {
  const zone = await newZone()
  const { body: request } = await owner.post(`/v2/zones/${zone.id}/tasks/transfer_requests`)
  const draft = { key: request.key, zone_transfer_request_id: request.id }
  t.match(await target.post('/dns/v2/zones/tasks/transfer_accept', draft), { status: 405 })
  const { status, body } = await target.post('/v2/zones/tasks/transfer_accept', draft)
  t.equal(status, 201)
  t.equal(body.links.self, `${api.url}/v2/zones/tasks/transfer_accepts/${body.id}`)
  t.equal((await target.get(`/v2/zones/tasks/transfer_accept/${body.id}`)).status, 200)
  t.equal((await api.admin.get('/v2/zones/tasks/transfer_accept')).status, 200)
})
