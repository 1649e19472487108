import t from 'tap'
import { Appliance } from '../helpers/appliance.ts'
import { newMember } from '../helpers/members.ts'

// A client that follows changes goes on where it was when the server was killed: every change that was
// acknowledged is told once, in order, and none of another project.

type Told = { readonly id: string; readonly type: string; readonly name: string }

/** Follows the stream from an id on until an event's name matches; with the last id it was told. */
async function follow(
  server: Appliance,
  { token, lastId, until }: { token: string; lastId?: string | undefined; until: string },
): Promise<{ readonly told: readonly Told[]; readonly lastId: string | undefined }> {
  const response = await fetch(`${server.apiUrl}/v2/events`, {
    headers: { 'x-auth-token': token, ...(lastId !== undefined && { 'last-event-id': lastId }) },
  })
  const reader = (response.body as ReadableStream<Uint8Array>).getReader()
  const told: Told[] = []
  let last = lastId
  let rest = ''
  for (;;) {
    const { value, done } = await reader.read()
    if (done) throw new Error(`the stream has ended; told: ${told.map(({ type }) => type)}`)
    const blocks = (rest + Buffer.from(value).toString('utf8')).split('\n\n')
    rest = blocks.pop() ?? ''
    for (const block of blocks) {
      const fields = new Map(
        block.split('\n').map(line => line.split(/: (.*)/s) as [string, string]),
      )
      const [id, type, data] = ['id', 'event', 'data'].map(name => fields.get(name))
      last = id ?? last
      if (type === undefined) continue
      const name = JSON.parse(data ?? '{}').payload?.name ?? ''
      told.push({ id: id ?? '', type, name })
      if (name !== until) continue
      await reader.cancel()
      return { told, lastId: last }
    }
  }
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
  const dataDirectory = t.testdir()
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
