import t from 'tap'
import type { ApiClient } from '../helpers/api-client.ts'
import { serverFolder } from '../helpers/server-folder.ts'
import { until } from '../helpers/until.ts'
import { startWholeServer } from '../helpers/whole-server.ts'

// How far back a project sees its zones, where an administrator limits it.

const dayMillis = 86_400_000

const server = await startWholeServer(t, { dataDirectory: serverFolder(t) })
const { admin, clock } = server

/** A member of a project, who logs in again after days. */
async function memberOf(name: string) {
  const projectId = await server.makeProject(name)
  const account = await server.makeAccount({ name: `${name}-user`, projectId, role: 'member' })
  const logIn = async () => server.bearer(await server.login(account))
  return { projectId, logIn }
}

async function makeZone(client: ApiClient, name: string): Promise<string> {
  return (await client.post('/v2/zones', { name, email: 'ops@example.com' })).body.id
}

async function removeZone(client: ApiClient, id: string): Promise<void> {
  await client.delete(`/v2/zones/${id}`)
  await until(
    () => client.get(`/v2/zones/${id}`),
    ({ status }) => status === 404,
  )
}

t.test('changes, undo and past states go as many days back as the project has', async t => {
  const { projectId, logIn } = await memberOf('club')
  let client = await logIn()
  const id = await makeZone(client, 'club.example.')
  const path = `/v2/zones/${id}`
  const row = { name: 'www', type: 'A', records: ['192.0.2.1'] }
  const www = `${path}/recordsets/${(await client.post(`${path}/recordsets`, row)).body.id}`
  const history = async () => (await client.get(`${path}/history`)).body.history
  const [made] = await history()
  clock.advanceMillis(3 * dayMillis)
  client = await logIn()
  await client.put(www, { records: ['192.0.2.2'] })
  clock.advanceMillis(dayMillis)
  client = await logIn()
  await client.put(www, { records: ['192.0.2.3'] })
  const all = await history()
  t.equal(all.length, 4)
  const states = async (serials: readonly number[]) =>
    Promise.all(
      serials.map(async serial => (await client.get(`${path}/history/zone?at=${serial}`)).status),
    )
  const serials = all.map(({ serial }: { serial: number }) => serial)
  t.same(await states(serials), [200, 200, 200, 200])
  // Each is released once it is sent, or refused: a project may have eight at a time.
  for (let i = 0; i < 9; i += 1) t.same(await states([serials[0], 1]), [200, 404])
  t.equal((await admin.patch(`/v2/quotas/${projectId}`, { history_days: 2 })).status, 200)
  t.same(await history(), all.slice(0, 2))
  t.same((await client.get(`${path}/history?format=ndjson`)).text.split('\n').length, 3)
  // What was there when the two days began is known; what was there before it is not.
  t.same(await states(serials), [200, 200, 200, 404])
  t.equal((await client.get(`${path}/history/changes?from=${serials[3]}`)).status, 404)
  const undo = (body: object) => client.post(`${path}/undo`, body)
  t.match(await undo({ change: made.id }), { status: 404, body: { type: 'not_found' } })
  t.match(await undo({ serial: made.serial }), { status: 404, body: { type: 'not_found' } })
  t.equal((await undo({ change: all[0].id })).status, 200)
  await admin.patch(`/v2/quotas/${projectId}`, { history_days: -1 })
  t.equal((await history()).length, 5)
})

t.test('deleted zones can be restored as many days as the project has', async t => {
  const { projectId, logIn } = await memberOf('shop')
  const other = await memberOf('other')
  let client = await logIn()
  await admin.patch(`/v2/quotas/${projectId}`, { deleted_zone_days: 1 })
  const early = await makeZone(client, 'early.example.')
  await removeZone(client, early)
  const kept = await makeZone(await other.logIn(), 'kept.example.')
  await removeZone(await other.logIn(), kept)
  clock.advanceMillis(dayMillis / 2)
  client = await logIn()
  const late = await makeZone(client, 'late.example.')
  await removeZone(client, late)
  const listed = async (from: ApiClient) =>
    (await from.get('/v2/deleted_zones')).body.deleted_zones.map(({ id }: { id: string }) => id)
  t.same(await listed(client), [late, early])
  clock.advanceMillis(dayMillis / 2 + 1)
  client = await logIn()
  t.same(await listed(client), [late])
  for (const call of [
    client.get(`/v2/deleted_zones/${early}`),
    client.post(`/v2/deleted_zones/${early}/restore`),
    client.get(`/v2/zones/${early}/history`),
  ])
    t.match(await call, { status: 404, body: { type: 'zone_not_found' } })
  t.equal((await client.post(`/v2/deleted_zones/${late}/restore`)).status, 200)
  t.same(await listed(await other.logIn()), [kept], 'no limit unless it is set')
})
