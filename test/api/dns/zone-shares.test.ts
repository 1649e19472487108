import t from 'tap'
import { startDnsApi } from '../../helpers/dns-api.ts'

const { dns, api } = await startDnsApi(t)
const owner = await api.clientOf({ project: 'owner' })
const sharee = await api.clientOf({ project: 'sharee' })
const reader = await api.clientOf({ project: 'owner', role: 'reader' })
const stranger = await api.clientOf({ project: 'stranger' })

const all = api.admin.with({ 'x-auth-all-projects': 'true' })
for (const project of ['owner']) await all.patch(`/v2/quotas/${project}`, { zones: -1 })

const unknownId = '5b1c7f40-7d4e-4a53-9f0c-0a3c5b0f1d11'
let zoneCount = 0

/** Creates a zone of the owner's. */
async function newZone() {
  zoneCount += 1
  const body = { name: `shared-${zoneCount}.example.`, email: 'ops@example.com' }
  return (await owner.post('/v2/zones', body)).body
}

/** Creates a zone that the sharee has part in. */
async function sharedZone() {
  const zone = await newZone()
  const path = `/v2/zones/${zone.id}/shares`
  const { body: share } = await owner.post(path, { target_project_id: 'sharee' })
  return { zone, share }
}

function addressesAt(name: string) {
  return { name, type: 'A', records: ['192.0.2.1'] }
}

for (const [base, denied] of [
  ['/v2', 401],
  ['/dns/v2', 403],
] as const) {
  t.test(`under ${base}`, async t => {
    t.test(
      'a share that an administrator makes for all projects is the zone’s owner’s',
      async t => {
        const zone = await newZone()
        const path = `${base}/zones/${zone.id}/shares`
        const { body } = await all.post(path, { target_project_id: 'sharee' })
        t.match(body, { project_id: 'owner', target_project_id: 'sharee' })
      },
    )

    t.test('the name servers of a zone are not told to whom it is shared with', async t => {
      const { zone } = await sharedZone()
      const path = `${base}/zones/${zone.id}/nameservers`
      t.match(await owner.get(path), { status: 200 })
      t.match(await sharee.get(path), { status: 404, body: { type: 'zone_not_found' } })
      t.match(await all.get(path), { status: 200 })
    })

    t.test('POST shares a zone: 201 with the share and where it is', async t => {
      const zone = await newZone()
      const path = `${base}/zones/${zone.id}/shares`
      const { status, headers, body } = await owner.post(path, { target_project_id: 'sharee' })
      t.equal(status, 201)
      t.equal(headers.get('location'), `${api.url}${path}/${body.id}`)
      const { id, created_at: createdAt, ...rest } = body
      t.match(createdAt, /^\d{4}-.*\.\d{6}$/)
      t.same(rest, {
        zone_id: zone.id,
        project_id: 'owner',
        target_project_id: 'sharee',
        updated_at: null,
        links: { self: `${api.url}${path}/${id}`, zone: `${api.url}${base}/zones/${zone.id}` },
      })
      t.same((await owner.get(`${path}/${id}`)).body, body)
      const list = await owner.get(path)
      t.same(list.body, { shared_zones: [body], links: { self: `${api.url}${path}` } })
      t.equal((await owner.get(`${path}?target_project_id=nobody`)).body.shared_zones.length, 0)
      t.match(await owner.delete(`${path}/${id}`), { status: 204, text: '' })
      t.match(await owner.get(`${path}/${id}`), {
        status: 404,
        body: { type: 'shared_zone_not_found' },
      })
    })

    t.test('what is refused', async t => {
      const { zone, share } = await sharedZone()
      const path = `${base}/zones/${zone.id}/shares`
      const rows: [rule: string, body: unknown, status: number, type: string][] = [
        ['the owner itself', { target_project_id: 'owner' }, 400, 'bad_request'],
        ['a second time', { target_project_id: 'sharee' }, 409, 'duplicate_shared_zone'],
        ['nobody', {}, 400, 'invalid_object'],
        ['an empty name', { target_project_id: '' }, 400, 'invalid_object'],
        ['an unknown key', { target_project_id: 'x', zone_id: 'x' }, 400, 'invalid_object'],
      ]
      for (const [rule, body, status, type] of rows) {
        t.match(await owner.post(path, body), { status, body: { type } }, rule)
      }
      const target = { target_project_id: 'third' }
      t.match(await reader.post(path, target), { status: denied, body: { type: 'forbidden' } })
      t.match(await sharee.post(path, target), { status: denied, body: { type: 'forbidden' } })
      t.match(await stranger.post(path, target), { status: 404, body: { type: 'zone_not_found' } })
      t.match(await stranger.get(path), { status: 404, body: { type: 'zone_not_found' } })
      t.match(await stranger.get(`${path}/${share.id}`), { status: 404 })
      t.match(await owner.delete(`${path}/${unknownId}`), { status: 404 })
      t.match(await api.anonymous.get(path), { status: 401 })
    })

    t.test('a sharee sees the zone, marked as shared, and not in its count', async t => {
      const { zone } = await sharedZone()
      t.match(await sharee.get(`${base}/zones/${zone.id}`), { status: 200, body: { shared: true } })
      t.match(await owner.get(`${base}/zones/${zone.id}`), { body: { shared: true } })
      const { body: list } = await sharee.get(`${base}/zones?limit=max`)
      t.ok(list.zones.some(({ id }: { id: string }) => id === zone.id))
      t.equal(list.metadata.total_count, 0)
      const { body: named } = await sharee.get(`${base}/zones?name=${zone.name}`)
      t.equal(named.zones.length, 1)
      t.equal(named.metadata.total_count, 0)
      const { body: recordsets } = await sharee.get(`${base}/zones/${zone.id}/recordsets`)
      t.equal(recordsets.metadata.total_count, 2, 'SOA and NS are read by it as well')
    })

    t.test('a sharee can do nothing to the zone as a whole', async t => {
      const { zone } = await sharedZone()
      const path = `${base}/zones/${zone.id}`
      const forbidden = { status: denied, body: { type: 'forbidden' } }
      t.match(await sharee.patch(path, { ttl: 60 }), forbidden)
      t.match(await sharee.delete(path), forbidden)
      t.match(await sharee.post(`${path}/tasks/transfer_requests`), forbidden)
      const below = { name: `sub.${zone.name}`, email: 'ops@example.com' }
      t.match(await sharee.post(`${base}/zones`, below), {
        status: denied,
        body: { type: 'illegal_child' },
      })
    })

    t.test('a sharee makes recordsets of its own, and changes those alone', async t => {
      const { zone, share } = await sharedZone()
      const path = `${base}/zones/${zone.id}/recordsets`
      const { body: theirs } = await owner.post(path, addressesAt(`theirs.${zone.name}`))
      const { body: own } = await sharee.post(path, addressesAt(`own.${zone.name}`))
      t.equal(theirs.project_id, 'owner')
      t.equal(own.project_id, 'sharee')
      const changed = { records: ['192.0.2.9'] }
      t.match(await sharee.put(`${path}/${own.id}`, changed), { body: changed })
      const forbidden = { status: denied, body: { type: 'forbidden' } }
      t.match(await sharee.put(`${path}/${theirs.id}`, changed), forbidden)
      t.match(await sharee.delete(`${path}/${theirs.id}`), forbidden)
      t.match(await owner.put(`${path}/${own.id}`, { records: ['192.0.2.10'] }), {
        body: { project_id: 'sharee' },
      })
      const { body: sorted } = await owner.get(`${path}?sort_key=tenant_id&sort_dir=desc&limit=1`)
      t.equal(sorted.recordsets[0].id, own.id)
      const shares = `${base}/zones/${zone.id}/shares/${share.id}`
      t.match(await owner.delete(shares), {
        status: 400,
        body: { type: 'shared_zone_has_recordsets' },
      })
      await sharee.delete(`${path}/${own.id}`)
      t.match(await owner.delete(shares), { status: 204 })
      t.match(await sharee.get(path), { status: 404 })
    })

    t.test('a sharee reads its own share and learns of no other', async t => {
      const { zone, share } = await sharedZone()
      const path = `${base}/zones/${zone.id}/shares`
      const { body: other } = await owner.post(path, { target_project_id: 'other' })
      t.equal((await owner.get(path)).body.shared_zones.length, 2)
      const { body: seen } = await sharee.get(path)
      t.same(
        seen.shared_zones.map(({ id }: { id: string }) => id),
        [share.id],
      )
      t.equal((await sharee.get(`${path}?marker=${share.id}`)).body.shared_zones.length, 0)
      t.match(await sharee.get(`${path}/${share.id}`), { status: 200 })
      t.match(await sharee.get(`${path}/${other.id}`), { status: 404 })
    })

    t.test('a shared zone is deleted with its shares, or not at all', async t => {
      const { zone } = await sharedZone()
      const path = `${base}/zones/${zone.id}`
      t.match(await owner.delete(path), { status: 400, body: { type: 'zone_is_shared' } })
      const deleting = owner.with({ 'x-designate-delete-shares': 'True' })
      t.equal((await deleting.delete(path)).status, 202)
      t.match(await owner.get(path), { status: 404 })
      t.equal(dns.store.count('zoneShares', 'byZone', zone.id), 0)
    })

    t.test('a shared zone can be abandoned as it is', async t => {
      const { zone } = await sharedZone()
      t.match(await all.post(`${base}/zones/${zone.id}/tasks/abandon`), { status: 204 })
      t.equal(dns.store.count('zoneShares', 'byZone', zone.id), 0)
    })
  })
}

t.test('own and shared zones are in one order, and paged as one list', async t => {
  const mixed = await api.clientOf({ project: 'mixed' })
  const expected: string[] = []
  for (let i = 0; i < 6; i += 1) {
    const by = i % 2 === 0 ? owner : mixed
    const body = { name: `z${i}.mixed-${i}.example.`, email: 'ops@example.com' }
    const { body: zone } = await by.post('/v2/zones', body)
    if (by === owner) {
      await owner.post(`/v2/zones/${zone.id}/shares`, { target_project_id: 'mixed' })
    }
    expected.push(zone.name)
  }
  for (const [query, names] of [
    ['', expected],
    ['&sort_dir=desc', expected.toReversed()],
    ['&sort_key=name', expected],
    ['&email=ops*', expected],
  ] as const) {
    const seen: string[] = []
    let next: string | undefined = `/v2/zones?limit=1${query}`
    while (next !== undefined) {
      const { body } = await mixed.get(next)
      seen.push(...body.zones.map(({ name }: { name: string }) => name))
      t.equal(body.metadata.total_count, 3, 'its own')
      next = body.links.next
    }
    t.same(seen, names, query)
  }
})

t.test('where projects are known, a zone is shared with one that exists', async t => {
  const known = await startDnsApi(t, { knowsProjects: true })
  const client = await known.api.clientOf({ project: 'owner' })
  await known.api.clientOf({ project: 'sharee' })
  const zone = { name: 'example.com.', email: 'ops@example.com' }
  const { body } = await client.post('/v2/zones', zone)
  for (const base of ['/v2', '/dns/v2']) {
    const refused = await client.post(`${base}/zones/${body.id}/shares`, {
      target_project_id: 'nobody',
    })
    t.match(refused, { status: 400, body: { type: 'invalid_project', message: /'nobody'/ } })
  }
  const sharee = { target_project_id: 'sharee' }
  t.match(await client.post(`/v2/zones/${body.id}/shares`, sharee), { status: 201 })
})
