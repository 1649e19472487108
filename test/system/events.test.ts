import t from 'tap'
import { Appliance } from '../helpers/appliance.ts'
import { newMember } from '../helpers/members.ts'
import { serverFolder } from '../helpers/server-folder.ts'

// A client that follows changes goes on where it was when the server was killed: every change that was
// acknowledged is told once, in order, and none of another project.

type Told = { readonly id: string; readonly type: string; readonly name: string }

type Following = {
  readonly token: string
  readonly lastId?: string | undefined
  /** The name whose event is the last to wait for; undefined: until the server is gone. */
  readonly until?: string
}

/** Follows the stream from an id on; with the last id it was told. */
async function follow(
  server: Appliance,
  { token, lastId, until }: Following,
): Promise<{ readonly told: readonly Told[]; readonly lastId: string | undefined }> {
  const response = await fetch(`${server.apiUrl}/v2/events`, {
    headers: { 'x-auth-token': token, ...(lastId !== undefined && { 'last-event-id': lastId }) },
  })
  const reader = (response.body as ReadableStream<Uint8Array>).getReader()
  const told: Told[] = []
  let last = lastId
  let rest = ''
  for (;;) {
    const value = await nextOf(reader)
    if (value === undefined) {
      if (until === undefined) return { told, lastId: last }
      throw new Error(`the stream has ended; told: ${told.map(({ type }) => type)}`)
    }
    const blocks = (rest + Buffer.from(value).toString('utf8')).split('\n\n')
    rest = blocks.pop() ?? ''
    for (const block of blocks) {
      const { id, event } = parseBlock(block)
      last = id ?? last
      if (event === undefined) continue
      told.push(event)
      if (event.name !== until) continue
      await reader.cancel()
      return { told, lastId: last }
    }
  }
}

/** Undefined at the end, and where the server is gone. */
async function nextOf(
  reader: ReadableStreamDefaultReader<Uint8Array>,
): Promise<Uint8Array | undefined> {
  try {
    return (await reader.read()).value
  } catch {
    return undefined
  }
}

function parseBlock(block: string): { readonly id?: string; readonly event?: Told } {
  const lines = block.split('\n').map(line => line.split(/: (.*)/s) as [string, string])
  const fields = new Map(lines)
  const [id, type, data] = ['id', 'event', 'data'].map(name => fields.get(name))
  if (id === undefined || type === undefined) return id === undefined ? {} : { id }
  return { id, event: { id, type, name: JSON.parse(data ?? '{}').payload?.name ?? '' } }
}

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

  // Told by no stream, and gone again when they are told: what is told of them is in the journal alone.
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
