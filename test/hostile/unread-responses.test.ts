import { connect, type Socket } from 'node:net'
import t, { type Test } from 'tap'
import { Type } from 'typebox'
import { plain } from '../../src/api/dialect.ts'
import { route } from '../../src/api/route.ts'
import { inTurns } from '../../src/time-slice.ts'
import { startApi } from '../helpers/api.ts'
import { until } from '../helpers/until.ts'

// A project that asks for long lists and does not read them, beside one that reads its own.

const text = JSON.stringify({ rows: 'x'.repeat(20 * 2 ** 20) })
let madeCount = 0
const lists = {
  base: '/v2',
  dialect: plain,
  routes: [
    route('GET /rows', {
      rule: 'get_zone',
      summary: 'Lists much',
      answers: { 200: Type.Unknown() },
      handler: async () => {
        madeCount += 1
        return { status: 200, headers: { 'content-type': 'application/json' }, text }
      },
    }),
    route('GET /sums', {
      rule: 'get_zone',
      summary: 'Adds up much',
      answers: { 200: Type.Unknown() },
      handler: async () => {
        madeCount += 1
        const headers = { 'content-type': 'application/json' }
        return { status: 200, headers, stream: () => inTurns([text]), heldOctets: text.length }
      },
    }),
  ],
}

for (const path of ['/v2/rows', '/v2/sums'])
  t.test(`responses that nobody reads are bounded by project: ${path}`, t => bounded(t, path))

async function bounded(t: Test, path: string): Promise<void> {
  const madeBefore = madeCount
  const api = await startApi(t, { mounts: () => [lists] })
  const hostile = await api.clientOf({ project: 'one' })
  const other = await api.clientOf({ project: 'two' })
  const token = hostile.headers['x-auth-token']
  const sockets: Socket[] = []
  t.teardown(() => {
    for (const socket of sockets) socket.destroy()
  })
  for (let i = 1; i <= 3; i += 1) {
    const socket = connect(Number(new URL(api.url).port), '127.0.0.1')
    sockets.push(socket.pause())
    socket.write(`GET ${path} HTTP/1.1\r\nhost: x\r\nx-auth-token: ${token}\r\n\r\n`)
    await until(() => madeCount === madeBefore + i)
  }
  t.match(await hostile.get(path), { status: 429, body: { type: 'too_many_requests' } })
  t.equal((await other.get(path)).status, 200)
  for (const socket of sockets) socket.destroy()
  await until(
    () => hostile.get(path),
    ({ status }) => status === 200,
  )
}
