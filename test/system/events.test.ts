import t from 'tap'
import { Appliance } from '../helpers/appliance.ts'
import { follow } from '../helpers/followed-events.ts'
import { newMember } from '../helpers/members.ts'
import { serverFolder } from '../helpers/server-folder.ts'

// A client that follows changes resumes where it was when the server was killed: it receives every acknowledged
// change once, in order, and none of another project.

type Zone = { readonly id: string; readonly name: string }

async function createZone(server: Appliance, token: string, name: string): Promise<Zone> {
  const response = await fetch(`${server.apiUrl}/v2/zones`, {
    method: 'POST',
    headers: { 'x-auth-token': token, 'content-type': 'application/json' },
    body: JSON.stringify({ name, email: 'ops@example.net' }),
  })
  return (await response.json()) as Zone
}

const deleteZone = (server: Appliance, token: string, { id }: Zone) =>
  fetch(`${server.apiUrl}/v2/zones/${id}`, { method: 'DELETE', headers: { 'x-auth-token': token } })

t.test('events go on behind kill -9 and restarts, each once and only the own', async t => {
  const dataDirectory = serverFolder(t)
  let server = await Appliance.start({ dataDirectory })
  t.teardown(() => server.kill())
  const { token: mine } = await newMember(server, 'mine')
  const { token: theirs } = await newMember(server, 'theirs')
  const first = await createZone(server, mine, 'first.example.')
  // The stream is asked for everything, so that nothing depends on when it was opened.
  const before = await follow(server, { token: mine, lastId: '0', until: 'first.example.' })
  t.same(
    before.told.map(({ type, name }) => `${type} ${name}`),
    ['dns.zone.create first.example.'],
  )

  // Sent on no stream before, and deleted again when their events are sent: these come from the journal alone.
  const second = await createZone(server, mine, 'second.example.')
  await createZone(server, theirs, 'theirs.example.')
  await deleteZone(server, mine, first)
  await deleteZone(server, mine, second)
  await server.kill()

  server = await Appliance.start({ dataDirectory })
  await createZone(server, mine, 'third.example.')
  const after = await follow(server, {
    token: mine,
    lastId: before.lastId,
    until: 'third.example.',
  })
  t.same(
    after.told.map(({ type, name }) => `${type} ${name}`),
    [
      'dns.zone.create second.example.',
      'dns.zone.delete first.example.',
      'dns.zone.delete second.example.',
      'dns.zone.create third.example.',
    ],
  )
  t.equal(await server.stop(), 0)

  // An orderly stop has written all documents: a start needs nothing of the journal any more.
  server = await Appliance.start({ dataDirectory })
  await createZone(server, mine, 'fourth.example.')
  const all = await follow(server, { token: mine, lastId: '0', until: 'fourth.example.' })
  t.same(
    all.told.map(({ id }) => id),
    [...before.told, ...after.told].map(({ id }) => id).concat(all.told.at(-1)?.id ?? ''),
    'the same events with the same ids',
  )
})

t.test('a follower of busy writers misses nothing when the server is killed', async t => {
  const dataDirectory = serverFolder(t)
  let server = await Appliance.start({ dataDirectory })
  t.teardown(() => server.kill())
  const { token, projectId } = await newMember(server, 'busy')
  await server.json('PATCH', `/v2/quotas/${projectId}`, { zones: -1 })
  const acknowledged: string[] = []
  const write = async (writer: number) => {
    for (let i = 0; ; i += 1) {
      const name = `zone-${writer}-${i}.example.`
      const zone = await createZone(server, token, name).catch(() => undefined)
      if (zone === undefined) return
      acknowledged.push(zone.name)
      if (acknowledged.length === 300) void server.kill()
    }
  }
  const following = follow(server, { token, lastId: '0' })
  await Promise.all([0, 1, 2, 3, 4, 5, 6, 7].map(write))
  const before = await following

  server = await Appliance.start({ dataDirectory })
  await createZone(server, token, 'last.example.')
  const after = await follow(server, { token, lastId: before.lastId, until: 'last.example.' })
  const told = [...before.told, ...after.told]
  const created = told.filter(({ type }) => type === 'dns.zone.create').map(({ name }) => name)
  t.ok(before.told.length > 0, 'something was reported before')
  t.notOk(told.some(({ type }) => type === 'dns.events.gap'))
  t.equal(new Set(told.map(({ id }) => id)).size, told.length, 'nothing is told twice')
  t.same(
    acknowledged.filter(name => !created.includes(name)),
    [],
    'all that was acknowledged is reported',
  )
  const { zones } = await server.json<{ zones: { name: string }[] }>(
    'GET',
    '/v2/zones?limit=1000&all_projects=true',
  )
  t.same(created.sort(), zones.map(({ name }) => name).sort(), 'and nothing that is not there')
})
