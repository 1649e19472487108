import t, { type Test } from 'tap'
import type { ApiClient } from '../helpers/api-client.ts'
import { serverFolder } from '../helpers/server-folder.ts'
import { until } from '../helpers/until.ts'
import { startWholeServer, type WholeServer } from '../helpers/whole-server.ts'
import { kindOf, transferFrom } from '../helpers/zone-difference.ts'

// A zone that is taken over: from SECONDARY of another server to PRIMARY, the other one being given up.

const apex = 'moved.example.'
/** More than one commit takes, with a CNAME, a cut, a DNAME and a type of no name. */
const file = [
  `$ORIGIN ${apex}`,
  '@ 900 IN SOA ns.old.example. j\\.doe.moved.example. 2026112301 7200 600 864000 60',
  '@ 900 IN NS ns.old.example.',
  '@ 300 IN MX 10 mail',
  'mail 300 IN A 192.0.2.25',
  'www 300 IN CNAME mail',
  'sub 300 IN NS ns.sub',
  'ns.sub 300 IN A 192.0.2.53',
  'gone 300 IN DNAME example.net.',
  'odd 300 IN TYPE65400 \\# 2 abcd',
  ...Array.from({ length: 2500 }, (_, i) => `host${i} 300 IN A 198.51.100.${i % 250}`),
].join('\n')

type Copied = {
  readonly server: WholeServer
  readonly id: string
  readonly give: () => Promise<void>
}

/** A server that has the zone as a SECONDARY of another. */
async function copied(t: Test, dataDirectory: string): Promise<Copied> {
  const old = await startWholeServer(t, {
    dataDirectory: serverFolder(t),
    environment: { ZONEWRIGHT_NAMESERVERS: 'ns.old.example.' },
  })
  await withoutQuotas(old.admin)
  const { body: task } = await old.admin.call('POST', '/v2/zones/tasks/imports', {
    body: file,
    headers: { 'content-type': 'text/dns' },
  })
  const { body: imported } = await until(
    () => old.admin.get(`/v2/zones/tasks/imports/${task.id}`),
    ({ body }) => body.status !== 'PENDING',
  )
  if (imported.status !== 'COMPLETE') throw new Error(imported.message)
  await old.admin.patch(`/v2/zones/${imported.zone_id}`, {
    attributes: { allow_transfer: '127.0.0.1' },
  })
  const server = await startWholeServer(t, {
    dataDirectory,
    environment: { ZONEWRIGHT_NAMESERVERS: 'ns1.new.example.,ns2.new.example.' },
  })
  await withoutQuotas(server.admin)
  const [master] = old.app.dns
  const draft = { name: apex, type: 'SECONDARY', masters: [`127.0.0.1:${master?.port}`] }
  const { body } = await server.admin.post('/v2/zones', draft)
  await until(
    () => server.admin.get(`/v2/zones/${body.id}`),
    answer => answer.body.status === 'ACTIVE' && answer.body.serial !== 1,
  )
  return { server, id: body.id, give: () => old.app.close() }
}

/** Lets the administrator's project have as much as it wants. */
async function withoutQuotas(admin: ApiClient): Promise<void> {
  const { body } = await admin.post('/v2/zones', { name: 'own.example.', email: 'a@example.com' })
  const none = { zone_recordsets: -1, zone_records: -1, api_export_size: -1 }
  await admin.patch(`/v2/quotas/${body.project_id}`, none)
}

/** What is answered of the zone, but for SOA and NS of its apex. */
async function content({ app }: WholeServer): Promise<readonly string[]> {
  const records = await transferFrom(app.dns[0] as { host: string; port: number }, apex)
  if (kindOf(records) !== 'zone') throw new Error('no whole zone')
  const kept = new RegExp(`^${apex.replaceAll('.', '\\.')} .* (?:SOA|NS) `)
  return records.filter(line => !kept.test(line)).toSorted()
}

t.test('a SECONDARY becomes a PRIMARY with the same content', async t => {
  const dataDirectory = serverFolder(t)
  const { server, id, give } = await copied(t, dataDirectory)
  const { admin } = server
  await give()
  const path = `/v2/zones/${id}`
  await admin.patch(path, { attributes: { allow_transfer: '127.0.0.1' } })
  const before = { zone: (await admin.get(path)).body, content: await content(server) }
  t.equal(before.content.length, 2507)
  const promoted = await admin.post(`${path}/tasks/promote`)
  t.match(promoted, {
    status: 200,
    body: {
      type: 'PRIMARY',
      masters: null,
      status: 'ACTIVE',
      email: 'j.doe@moved.example',
      ttl: 900,
      serial: before.zone.serial + 1,
    },
  })
  t.same(await content(server), before.content)
  const servers = await admin.get(`${path}/recordsets?type=NS&name=${apex}`)
  t.match(servers.body.recordsets, [{ records: ['ns1.new.example.', 'ns2.new.example.'] }])
  const { body } = await admin.get(`${path}/history?limit=2`)
  t.match(body.history, [
    { serial: promoted.body.serial, fields: [{ name: 'type', before: 'SECONDARY' }, {}, {}, {}] },
    { fields: [{ name: 'attributes' }] },
  ])
  for (const dryRun of [true, false])
    t.match(await admin.post(`${path}/undo`, { change: body.history[0].id, dry_run: dryRun }), {
      status: 400,
      body: { message: 'A zone that was made a PRIMARY does not become a SECONDARY' },
    })
  const { body: found } = await admin.get(`${path}/recordsets?name=www.${apex}`)
  const records = ['host1.moved.example.']
  const changed = await admin.put(`${path}/recordsets/${found.recordsets[0].id}`, { records })
  t.match(changed, { status: 200, body: { records } })
  t.same((await admin.post('/admin/check')).body.findings, [])
  t.match(await admin.post(`${path}/tasks/promote`), {
    status: 400,
    body: { message: 'The zone is a PRIMARY already' },
  })
  await server.app.close()
  const again = await startWholeServer(t, { dataDirectory })
  t.match((await again.admin.get(path)).body, { type: 'PRIMARY', serial: before.zone.serial + 2 })
  t.equal((await content(again)).length, before.content.length)
  t.same((await again.admin.post('/admin/check')).body.findings, [])
})

t.test('the kind that a client of PowerDNS asks for makes it a PRIMARY as well', async t => {
  const { server, id, give } = await copied(t, serverFolder(t))
  const { admin } = server
  await give()
  await admin.patch(`/v2/zones/${id}`, { attributes: { allow_transfer: '127.0.0.1' } })
  const before = await content(server)
  const path = `/api/v1/servers/localhost/zones/${apex}`
  t.equal((await admin.put(path, { kind: 'Native', masters: [] })).status, 204)
  t.match((await admin.get(`/v2/zones/${id}`)).body, { type: 'PRIMARY', masters: null })
  t.same(await content(server), before)
  t.equal((await admin.put(path, { kind: 'Slave', masters: ['127.0.0.1:9'] })).status, 422)
})

t.test('one without a whole copy stays what it is', async t => {
  const { admin } = await startWholeServer(t, { dataDirectory: serverFolder(t) })
  const draft = { name: apex, type: 'SECONDARY', masters: ['127.0.0.1:9'] }
  const { id } = (await admin.post('/v2/zones', draft)).body
  t.match(await admin.post(`/v2/zones/${id}/tasks/promote`), {
    status: 400,
    body: { message: 'There is no whole copy of the zone yet' },
  })
  const path = `/api/v1/servers/localhost/zones/${apex}`
  t.match(await admin.put(path, { kind: 'Native' }), {
    status: 422,
    body: { error: 'There is no whole copy of the zone yet' },
  })
  t.match((await admin.get(`/v2/zones/${id}`)).body, { type: 'SECONDARY' })
})
