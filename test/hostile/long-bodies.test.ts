import { connect, type Socket } from 'node:net'
import t, { type Test } from 'tap'
import { Type } from 'typebox'
import { plain } from '../../src/api/dialect.ts'
import { route } from '../../src/api/route.ts'
import { startApi, type TestApi } from '../helpers/api.ts'
import type { ApiClient } from '../helpers/api-client.ts'

// A project that sends many long bodies at once and ends none of them, beside one that sends its own.

const mebi = 2 ** 20
const longest = 32 * mebi
const textBody = { mediaType: 'text/dns', maxOctets: longest }
const files = {
  base: '/v2',
  dialect: plain,
  routes: [
    route('POST /files', {
      rule: 'create_zone',
      summary: 'Takes a text',
      answers: { 201: Type.Unknown() },
      bodySchema: Type.Object({}),
      textBody,
      handler: async ({ body }) => ({ status: 201, body: { length: String(body).length } }),
    }),
  ],
}

/** Begins to send a body that never ends, and resolves with the status of the answer where one comes before that. */
async function beginBody(api: TestApi, token: string, octets: number) {
  const socket = connect(Number(new URL(api.url).port), '127.0.0.1')
  const answered = new Promise<number>(resolve => {
    socket.once('data', data => resolve(Number(data.toString('latin1').split(' ')[1])))
  })
  socket.on('error', () => undefined)
  socket.write(
    `POST /v2/files HTTP/1.1\r\nhost: x\r\nx-auth-token: ${token}\r\n` +
      `content-type: text/dns\r\ncontent-length: ${longest}\r\n\r\n`,
  )
  const written = new Promise<void>(resolve =>
    socket.write(Buffer.alloc(octets, 'a'), () => resolve()),
  )
  await Promise.race([written, answered])
  return { socket, answered }
}

function tokenOf(client: ApiClient): string {
  return client.headers['x-auth-token'] ?? ''
}

for (const [count, octets] of [
  [4, 25 * mebi],
  [70, mebi],
] as const) {
  t.test(`${count} bodies on their way in are bounded by project`, t => hold(t, count, octets))
}

async function hold(t: Test, count: number, octets: number): Promise<void> {
  const api = await startApi(t, { mounts: () => [files] })
  const hostile = tokenOf(await api.clientOf({ project: 'one' }))
  const other = await api.clientOf({ project: 'two' })
  const sockets: Socket[] = []
  t.teardown(() => {
    for (const socket of sockets) socket.destroy()
  })
  const answers: Promise<number>[] = []
  for (let i = 0; i < count; i += 1) {
    const { socket, answered } = await beginBody(api, hostile, octets)
    sockets.push(socket)
    answers.push(answered)
  }
  t.equal(await Promise.any(answers), 429, 'all of them are more than a project may have')
  const text = 'a'.repeat(2 * mebi)
  const reply = await other.call('POST', '/v2/files', {
    body: text,
    headers: { 'content-type': 'text/dns' },
  })
  t.match(reply, { status: 201, body: { length: text.length } }, 'nobody else notices')
}
