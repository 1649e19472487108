import { once } from 'node:events'
import { connect } from 'node:net'
import t, { type Test } from 'tap'
import { plain } from '../../src/api/dialect.ts'
import type { Mount } from '../../src/api/route-table.ts'
import { startApi } from '../helpers/api.ts'

// One connection that sends thousands of requests without waiting for answers: it must not hold up the others.

const pipelinedCount = 5_000
/** How many requests of a connection may be worked on at once: one, and one whose head came with the end of its body. */
const maxAtOnce = 2

/** A path for anybody. */
function publicMount(path: string, work: () => Promise<void>): Mount {
  const handler = async () => {
    await work()
    return { status: 204 }
  }
  const route = {
    method: 'GET',
    path,
    access: 'public',
    summary: 'Works',
    answers: { 204: null },
    handler,
  } as const
  return { base: '/v2', dialect: plain, routes: [route] }
}

/** Counts the requests that are being worked on, each for a turn of the event loop. */
function countingMount() {
  const counts = { atOnce: 0, most: 0, answered: 0 }
  const mounts = (): readonly Mount[] => [
    publicMount('/counted', async () => {
      counts.atOnce += 1
      counts.most = Math.max(counts.most, counts.atOnce)
      await new Promise(resolve => setImmediate(resolve))
      counts.atOnce -= 1
      counts.answered += 1
    }),
  ]
  return { mounts, counts }
}

/** Sends the requests on one connection and reads the answers away. */
async function sendPipelined(t: Test, url: string, requests: string) {
  const { hostname, port } = new URL(url)
  const socket = connect(Number(port), hostname)
  t.teardown(() => socket.destroy())
  await once(socket, 'connect')
  socket.write(requests)
  const received = { text: '' }
  socket.on('data', chunk => {
    received.text += chunk
  })
  return { socket, received }
}

t.test('of one connection few requests are worked on at once, and all are answered', async t => {
  const { mounts, counts } = countingMount()
  const api = await startApi(t, { mounts })
  const request = 'GET /v2/counted HTTP/1.1\r\nHost: x\r\n\r\n'
  const last = 'GET /healthz HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n'
  const { socket, received } = await sendPipelined(t, api.url, request.repeat(500) + last)
  await once(socket, 'close')
  t.ok(counts.most <= maxAtOnce, `${counts.most} at once`)
  t.equal(counts.answered, 500)
  t.equal(received.text.match(/HTTP\/1\.1 204 /g)?.length, 500)
  t.match(received.text, /HTTP\/1\.1 200 OK/)
})

t.test('requests with bodies are no way round it', async t => {
  const { mounts, counts } = countingMount()
  const api = await startApi(t, { mounts })
  const head = 'GET /v2/counted HTTP/1.1\r\nHost: x\r\n'
  const requests = [
    `${head}Content-Length: 3\r\n\r\nabc`,
    `${head}Content-Length: 4\r\n\r\n\r\n\r\n`,
    `${head}Transfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\n\r\n`,
  ].join('')
  const { socket } = await sendPipelined(t, api.url, requests.repeat(100))
  while (counts.answered < 300) await once(socket, 'data')
  t.ok(counts.most <= maxAtOnce, `${counts.most} at once`)
})

t.test('another client has its turn between them', async t => {
  const { mounts, counts } = countingMount()
  const api = await startApi(t, { mounts })
  const request = 'GET /v2/counted HTTP/1.1\r\nHost: x\r\n\r\n'
  const { socket } = await sendPipelined(t, api.url, request.repeat(pipelinedCount))
  await once(socket, 'data')
  const { status } = await api.anonymous.get('/healthz')
  t.equal(status, 200)
  t.ok(counts.answered < pipelinedCount / 2, `${counts.answered} answered before`)
})

t.test('a request that takes long holds the rest of its connection', async t => {
  const { promise: released, resolve: release } = Promise.withResolvers<void>()
  let begunCount = 0
  const mounts = (): readonly Mount[] => [
    publicMount('/held', async () => {
      begunCount += 1
      await released
    }),
  ]
  const api = await startApi(t, { mounts })
  const request = 'GET /v2/held HTTP/1.1\r\nHost: x\r\n\r\n'
  await sendPipelined(t, api.url, request.repeat(pipelinedCount))
  for (let i = 0; i < 20; i++) await api.anonymous.get('/healthz')
  t.equal(begunCount, 1)
  release()
})
