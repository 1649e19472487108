import t from 'tap'
import type { ApiClient } from '../helpers/api-client.ts'
import { serverFolder } from '../helpers/server-folder.ts'
import { until } from '../helpers/until.ts'
import { startWholeServer, type WholeServer } from '../helpers/whole-server.ts'

// Zones that are deleted, listed and restored.

type Member = { readonly client: ApiClient; readonly projectId: string }

async function memberOf(server: WholeServer, name: string): Promise<Member> {
  const projectId = await server.makeProject(name)
  const account = await server.makeAccount({ name: `${name}-user`, projectId, role: 'member' })
  return { client: server.bearer(await server.login(account)), projectId }
}

/** All that can be seen of a zone's recordsets, but of those that follow from the zone. */
async function picture(client: ApiClient, zoneId: string): Promise<unknown> {
  const { body } = await client.get(`/v2/zones/${zoneId}/recordsets?limit=1000`)
  return body.recordsets.flatMap((row: { type: string; links: unknown }) =>
    row.type === 'SOA' || row.type === 'NS' ? [] : { ...row, links: undefined },
  )
}

/** Resolves when nothing is left of a zone. */
async function gone(client: ApiClient, zoneId: string): Promise<void> {
  await until(
    () => client.get(`/v2/zones/${zoneId}`),
    ({ status }) => status === 404,
  )
}

async function remove(client: ApiClient, zoneId: string): Promise<void> {
  await client.delete(`/v2/zones/${zoneId}`)
  await gone(client, zoneId)
}

const restore = (client: ApiClient, id: string) => client.post(`/v2/deleted_zones/${id}/restore`)

async function listed(client: ApiClient, query = ''): Promise<readonly string[]> {
  const { body } = await client.get(`/v2/deleted_zones${query}`)
  return body.deleted_zones.map(({ name }: { name: string }) => name)
}

async function makeZone(client: ApiClient, name: string, more: object = {}) {
  const { status, body } = await client.post('/v2/zones', {
    name,
    email: 'ops@example.com',
    ...more,
  })
  if (status !== 201) throw new Error(JSON.stringify(body))
  return body
}

t.test('a deleted zone comes back with its id, its recordsets and a newer serial', async t => {
  const dataDirectory = serverFolder(t)
  const server = await startWholeServer(t, { dataDirectory })
  const { client, projectId } = await memberOf(server, 'club')
  await server.admin.patch(`/v2/quotas/${projectId}`, { zone_recordsets: -1, zone_records: -1 })
  const zone = await makeZone(client, 'club.example.', { description: 'of the club', ttl: 700 })
  const path = `/v2/zones/${zone.id}`
  // More than are deleted with one commit, of all sizes, and one that has to be kept as text.
  const create = Array.from({ length: 730 }, (_, i) => ({
    name: `n${i}`,
    type: i % 3 === 0 ? 'TXT' : 'A',
    ...(i % 5 === 0 && { ttl: 60 + i, description: `description ${i}` }),
    records: i % 3 === 0 ? [`"text ${i}"`, `"${'x'.repeat(i % 200)}"`] : [`192.0.2.${i % 256}`],
  }))
  t.equal((await client.post(`${path}/changes`, { create })).status, 200)
  await client.post(`/v1/domains/${zone.id}/records`, {
    ...{ name: 'v1.club.example.', type: 'A', data: '192.0.2.1', description: 'of a record' },
  })
  const before = await picture(client, zone.id)
  const shown = (await client.get(path)).body
  t.equal((await client.delete(path)).status, 202)
  await gone(client, zone.id)
  const found = (await client.get(`/v2/deleted_zones/${zone.id}`)).body
  t.match(found, {
    id: zone.id,
    name: 'club.example.',
    project_id: projectId,
    serial: shown.serial,
  })
  t.same(await listed(client), ['club.example.'])
  const { status, body } = await restore(client, zone.id)
  t.equal(status, 200, body.message)
  t.match(body, { id: zone.id, description: 'of the club', ttl: 700, status: 'ACTIVE' })
  t.equal(body.created_at, shown.created_at)
  t.ok(body.serial > shown.serial && body.version > shown.version)
  t.same(await picture(client, zone.id), before)
  t.same(await listed(client), [])
  t.match(await restore(client, zone.id), { status: 404, body: { type: 'zone_not_found' } })
  const { history } = (await client.get(`${path}/history?limit=1`)).body
  t.match(history, [{ action: 'create', serial: body.serial, is_whole: true }])
  const { findings } = (await server.admin.post('/admin/check')).body
  t.same(findings, [])
})

t.test('what holds for a new zone holds for one that is restored', async t => {
  const server = await startWholeServer(t, { dataDirectory: serverFolder(t) })
  const { client, projectId } = await memberOf(server, 'club')
  const { client: other } = await memberOf(server, 'other')
  const zone = await makeZone(client, 'a.b.example.')
  const refused = async (type: string) => {
    const { body } = await restore(client, zone.id)
    t.equal(body.type, type, body.message)
    t.equal((await client.get(`/v2/zones/${zone.id}`)).status, 404)
  }
  const recordset = { name: 'www.deep.a.b.example.', type: 'A', records: ['192.0.2.1'] }
  await client.post(`/v2/zones/${zone.id}/recordsets`, recordset)
  t.match(await restore(client, zone.id), { status: 404 }, 'it is there')
  await remove(client, zone.id)

  t.equal((await restore(other, zone.id)).status, 404)
  t.equal((await other.get(`/v2/deleted_zones/${zone.id}`)).status, 404)
  t.same(await listed(other), [])

  await server.admin.patch(`/v2/quotas/${projectId}`, { zones: 0 })
  await refused('over_quota')
  await server.admin.patch(`/v2/quotas/${projectId}`, { zones: 10, zone_recordsets: 2 })
  await refused('over_quota')
  await server.admin.delete(`/v2/quotas/${projectId}`)

  const blacklist = (await server.admin.post('/v2/blacklists', { pattern: '^a\\.' })).body
  await refused('invalid_zone_name')
  await server.admin.delete(`/v2/blacklists/${blacklist.id}`)

  const taken = await makeZone(other, 'a.b.example.')
  await refused('duplicate_zone')
  await remove(other, taken.id)
  const above = await makeZone(other, 'b.example.')
  await refused('illegal_child')
  await remove(other, above.id)
  const below = await makeZone(other, 'x.a.b.example.')
  await refused('illegal_parent')
  await remove(other, below.id)

  const deep = await makeZone(client, 'deep.a.b.example.')
  await refused('invalid_recordset_location')
  await remove(client, deep.id)
  t.equal((await restore(client, zone.id)).status, 200)
  t.same(await listed(client), ['deep.a.b.example.'])
  t.same(await listed(other), ['x.a.b.example.', 'b.example.', 'a.b.example.'])
})

t.test('the list has pages and names, of all projects for administrators', async t => {
  const dataDirectory = serverFolder(t)
  const first = await startWholeServer(t, { dataDirectory })
  const { client } = await memberOf(first, 'club')
  await first.admin.patch('/v2/quotas/all', { zones: -1 })
  const names = Array.from({ length: 7 }, (_, i) => `z${i}.example.`)
  const ids = new Map<string, string>()
  for (const name of names) {
    const { id } = await makeZone(client, name)
    ids.set(name, id)
    await remove(client, id)
  }
  const newestFirst = names.toReversed()
  t.same(await listed(client), newestFirst)
  t.same(await listed(client, '?name=z3.*'), ['z3.example.'])
  const paged: string[] = []
  for (let next = '/v2/deleted_zones?limit=3'; next !== undefined; ) {
    const { body } = await client.get(next)
    t.ok(body.deleted_zones.length <= 3)
    paged.push(...body.deleted_zones.map(({ name }: { name: string }) => name))
    next = body.links.next
  }
  t.same(paged, newestFirst)
  t.same(await listed(first.admin), [])
  t.same(await listed(first.admin, '?all_projects=true'), newestFirst)
  t.match(await client.get('/v2/deleted_zones?marker=x'), { body: { type: 'invalid_marker' } })
  t.match(await client.get('/v2/deleted_zones?nonsense=x'), { status: 400 })

  // Twice deleted it is there once; and a server that is started again knows them all.
  const id = ids.get('z4.example.') ?? ''
  t.equal((await restore(client, id)).status, 200)
  await remove(client, id)
  await first.app.close()
  const second = await startWholeServer(t, { dataDirectory })
  const again = ['z4.example.', ...newestFirst.filter(name => name !== 'z4.example.')]
  t.same(await listed(second.admin, '?all_projects=true'), again)
  const restored = await second.admin.with({ 'x-auth-all-projects': 'true' })
  t.equal((await restore(restored, id)).status, 200)
})

t.test('a SECONDARY asks its masters again, and shares are gone', async t => {
  const server = await startWholeServer(t, { dataDirectory: serverFolder(t) })
  const { client } = await memberOf(server, 'club')
  const { client: friend, projectId: friendId } = await memberOf(server, 'friend')
  const masters = ['192.0.2.53']
  const copy = await makeZone(client, 'copy.example.', { type: 'SECONDARY', masters, email: null })
  const shared = await makeZone(client, 'shared.example.')
  const shares = `/v2/zones/${shared.id}/shares`
  t.equal((await client.post(shares, { target_project_id: friendId })).status, 201)
  const recordset = { name: 'of-friend', type: 'A', records: ['192.0.2.1'] }
  t.equal((await friend.post(`/v2/zones/${shared.id}/recordsets`, recordset)).status, 201)
  await client.with({ 'x-designate-delete-shares': 'true' }).delete(`/v2/zones/${shared.id}`)
  await gone(client, shared.id)
  await remove(client, copy.id)
  t.match(await restore(client, copy.id), { status: 200, body: { type: 'SECONDARY', masters } })
  t.equal((await restore(client, shared.id)).status, 200)
  t.same((await client.get(shares)).body.shared_zones, [])
  t.equal((await friend.get(`/v2/zones/${shared.id}`)).status, 404)
  const { body } = await client.get(`/v2/zones/${shared.id}/recordsets?name=of-friend.*`)
  t.match(body.recordsets, [{ records: ['192.0.2.1'] }])
})

t.test(
  'a signed zone comes back with its keys, and with its DS in a parent that is here',
  async t => {
    const server = await startWholeServer(t, { dataDirectory: serverFolder(t) })
    // Its clock passes hours, which logins do not outlive.
    const { admin: client } = server
    const parent = await makeZone(client, 'club.example.')
    const name = 'child.club.example.'
    const cut = { name, type: 'NS', records: ['ns1.example.org.'] }
    t.equal((await client.post(`/v2/zones/${parent.id}/recordsets`, cut)).status, 201)
    const zone = await makeZone(client, name)
    const state = async () => (await client.get(`/v2/zones/${zone.id}/dnssec`)).body
    const signed = () => until(state, ({ status }) => status === 'SIGNED')
    const ds = async () => {
      const { body } = await client.get(`/v2/zones/${parent.id}/recordsets?type=DS`)
      return body.recordsets.flatMap(({ records }: { records: string[] }) => records)
    }
    await client.put(`/v2/zones/${zone.id}/dnssec`, {})
    await signed()
    const before = await until(
      async () => {
        server.clock.advanceMillis(5 * 3_600_000)
        await server.app.runJob('roll-keys')
        return state()
      },
      ({ keys }) => keys[0].states.ds === 'OMNIPRESENT',
    )
    t.same(await ds(), before.ds)

    await remove(client, zone.id)
    t.same(await ds(), [])
    t.match(await restore(client, zone.id), { status: 200, body: { id: zone.id } })
    t.same(await ds(), before.ds)
    const after = await signed()
    const keysOf = ({ keys }: { keys: { id: string; dnskey: unknown }[] }) =>
      keys.map(({ id, dnskey }) => ({ id, dnskey }))
    t.same(keysOf(after), keysOf(before))
    await until(
      () => client.get(`/v2/zones/${zone.id}`),
      ({ body }) => body.status === 'ACTIVE',
    )
    const { findings } = (await server.admin.post('/admin/check')).body
    t.same(findings, [])
  },
)

t.test('a signed zone is not put back above a zone that it does not delegate', async t => {
  const server = await startWholeServer(t, { dataDirectory: serverFolder(t) })
  const { client } = await memberOf(server, 'club')
  const zone = await makeZone(client, 'club.example.')
  await client.put(`/v2/zones/${zone.id}/dnssec`, {})
  await until(
    () => client.get(`/v2/zones/${zone.id}/dnssec`),
    ({ body }) => body.status === 'SIGNED',
  )
  await remove(client, zone.id)
  const below = await makeZone(client, 'child.club.example.')
  t.match(await restore(client, zone.id), {
    status: 400,
    body: { type: 'bad_request', message: /create NS recordsets in it for/ },
  })
  await remove(client, below.id)
  t.equal((await restore(client, zone.id)).status, 200)
})

t.test(
  'a zone whose pool is gone comes back in the default one, with its name servers',
  async t => {
    const server = await startWholeServer(t, { dataDirectory: serverFolder(t) })
    const { admin } = server
    const ns = (hostname: string) => ({ ns_records: [{ hostname, priority: 1 }] })
    const pool = (await admin.post('/v2/pools', { name: 'other', ...ns('ns.other.example.') })).body
    const zone = await makeZone(admin, 'club.example.', { attributes: { pool_id: pool.id } })
    t.equal(zone.pool_id, pool.id)
    await remove(admin, zone.id)
    t.equal((await admin.delete(`/v2/pools/${pool.id}`)).status, 204)
    const { status, body } = await restore(admin, zone.id)
    t.equal(status, 200, body.message)
    t.not(body.pool_id, pool.id)
    const { nameservers } = (await admin.get(`/v2/zones/${zone.id}/nameservers`)).body
    const { recordsets } = (await admin.get(`/v2/zones/${zone.id}/recordsets?type=NS`)).body
    const hostnames = nameservers.map(({ hostname }: { hostname: string }) => hostname)
    t.same(recordsets[0].records, hostnames)
    t.notOk(hostnames.includes('ns.other.example.'))
    t.same((await admin.post('/admin/check')).body.findings, [])
  },
)
