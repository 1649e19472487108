import { once } from 'node:events'
import { request } from 'node:http'
import { connect, createServer, type Socket } from 'node:net'
import t from 'tap'
import { Type } from 'typebox'
import { plain } from '../../src/api/dialect.ts'
import type { Mount } from '../../src/api/route-table.ts'
import { createApi } from '../../src/api/server.ts'
import { startApi } from '../helpers/api.ts'
import { silentLogger } from '../helpers/log.ts'
import { thingMounts } from '../helpers/things.ts'

/** A route whose handler waits until the test lets it go on. */
function slowMount() {
  const entered = Promise.withResolvers<void>()
  const released = Promise.withResolvers<void>()
  const mounts = (): readonly Mount[] => [
    {
      base: '/v2',
      dialect: plain,
      routes: [
        {
          method: 'GET',
          path: '/slow',
          rule: 'get_zone',
          summary: 'Waits',
          answers: { 200: Type.Unknown() },
          handler: async () => {
            entered.resolve()
            await released.promise
            return { status: 200, body: { isDone: true } }
          },
        },
      ],
    },
  ]
  return { mounts, entered: entered.promise, release: released.resolve }
}

t.test('close lets a request in flight finish', async t => {
  const { mounts, entered, release } = slowMount()
  const api = await startApi(t, { mounts })
  const answer = api.admin.get('/v2/slow')
  await entered
  const closed = api.close()
  release()
  const { status, body, headers } = await answer
  t.equal(status, 200)
  t.same(body, { isDone: true })
  t.equal(headers.get('connection'), 'close')
  await closed
  await t.rejects(api.admin.get('/v2/slow'), 'nobody listens any more')
})

t.test('close does not wait for idle connections, nor twice', async t => {
  const api = await startApi(t, { mounts: thingMounts })
  const { hostname, port } = new URL(api.url)
  const socket = connect(Number(port), hostname)
  await once(socket, 'connect')
  await api.admin.get('/v2/things/x')
  const ended = once(socket, 'close')
  socket.resume()
  const patient = { deadlineMs: 3_600_000 }
  await Promise.all([api.close(patient), api.close(patient)])
  await ended
  await api.close()
  t.equal(socket.destroyed, true)
})

t.test('close cuts off at the deadline what does not finish', async t => {
  const { mounts, entered, release } = slowMount()
  const api = await startApi(t, { mounts })
  const answer = api.admin.get('/v2/slow').then(
    () => 'answered',
    () => 'cut off',
  )
  await entered
  await api.close({ deadlineMs: 1 })
  t.equal(await answer, 'cut off')
  release()
})

t.test('an address in use is told to who wants to listen', async t => {
  const other = createServer().listen(0, '127.0.0.1')
  await once(other, 'listening')
  t.teardown(() => other.close())
  const address = other.address()
  const port = typeof address === 'object' ? (address?.port ?? 0) : 0
  await t.rejects(startApi(t, { port }), { code: 'EADDRINUSE' })
})

t.test('a slash too many between address and path does no harm', async t => {
  const api = await startApi(t, { mounts: thingMounts })
  for (const path of ['/v2//things/x', '/v2///things/x?a=1']) {
    const { status, body } = await api.admin.get(path)
    t.match({ status, body }, { status: 200, body: { path: '/things/x' } }, path)
  }
  t.equal((await api.admin.get('/v2/things//x')).status, 404, 'within a path it does')
})

t.test('a request may be for a whole address (RFC 9112 3.2.2)', async t => {
  const { url } = await startApi(t, { mounts: thingMounts })
  const { hostname, port } = new URL(url)
  const asked = request({ hostname, port, path: `${url}/v2/nothing?a=b` }).end()
  const [{ statusCode }] = await once(asked, 'response')
  t.equal(statusCode, 401, 'the mount hides what does not exist')
  asked.destroy()
})

t.test('a request that is no HTTP is refused, and the server lives on', async t => {
  const api = await startApi(t, { mounts: thingMounts })
  const { hostname, port } = new URL(api.url)
  const socket = connect(Number(port), hostname)
  socket.write('\x16\x03\x01 nonsense\r\n\r\n')
  let text = ''
  for await (const chunk of socket) text += chunk
  t.match(text, /^HTTP\/1\.1 400 /)
  t.equal((await api.admin.get('/v2/things/x')).status, 200)
})

/** An idle connection of a client with an address of its own. */
async function connected({ url }: { readonly url: string }, localAddress: string): Promise<Socket> {
  const { hostname, port } = new URL(url)
  const socket = connect({ host: hostname, port: Number(port), localAddress })
  await once(socket, 'connect')
  return socket.resume()
}

const connectionCaps = { maxConnections: 4, maxConnectionsPerClient: 2 }

t.test('a client with too many connections loses its own', async t => {
  const api = await startApi(t, { mounts: thingMounts, connectionCaps })
  const other = await connected(api, '127.0.0.3')
  const [first] = [await connected(api, '127.0.0.2'), await connected(api, '127.0.0.2')]
  const closed = once(first, 'close')
  await connected(api, '127.0.0.2')
  await closed
  t.equal(other.destroyed, false)
  t.equal((await api.admin.get('/v2/things/x')).status, 200)
})

t.test('the connections of a trusted proxy are those of many clients', async t => {
  const trustedProxies = ['127.0.0.2']
  const api = await startApi(t, { mounts: thingMounts, connectionCaps, trustedProxies })
  const others = [await connected(api, '127.0.0.3'), await connected(api, '127.0.0.3')]
  await Promise.all([connected(api, '127.0.0.2'), connected(api, '127.0.0.2')])
  const closed = Promise.race(others.map(socket => once(socket, 'close')))
  const third = await connected(api, '127.0.0.2')
  await closed
  t.equal(third.destroyed, false)
})

t.test('an IPv6 address of a trusted proxy is known as one', async t => {
  const { identity } = await startApi(t)
  const trustedProxies = ['loopback']
  const parts = { identity, logger: silentLogger, connectionCaps, trustedProxies }
  const api = createApi({ ...parts, mounts: thingMounts() })
  t.teardown(() => api.close())
  const { port } = await api.listen({ host: '::1', port: 0 })
  const sockets: Socket[] = []
  for (let i = 0; i < 3; i += 1) {
    const socket = connect(port, '::1')
    sockets.push(socket)
    await once(socket, 'connect')
  }
  for (const socket of sockets) {
    socket.write('GET /v2/things/x HTTP/1.1\r\nhost: x\r\n\r\n')
    const [octets] = await Promise.race([once(socket, 'data'), once(socket, 'close')])
    t.match(String(octets), /^HTTP\/1\.1 401 /)
    socket.destroy()
  }
})
