import { once } from 'node:events'
import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import t, { type Test } from 'tap'
import { isLocal } from '../../src/api/middleware/local-request.ts'
import { passOn, type RatedAt } from '../../src/api/middleware/pass-on.ts'

async function serve(t: Test, listener: RequestListener): Promise<string> {
  const server = createServer(listener)
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.teardown(() => {
    server.closeAllConnections()
    server.close()
  })
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

/** A node that passes on what it does not rate, and says so where it cannot. */
const node = (t: Test, ratedAt: RatedAt, patienceMs?: number) =>
  serve(t, (request, response) => {
    const here = async () => void response.end('own answer')
    const patience = patienceMs !== undefined && { patienceMs }
    passOn(ratedAt, { request, response }, { here, ...patience }).catch(({ name, message }) =>
      response.writeHead(503).end(`${name}: ${message}`),
    )
  })

t.test('a request is passed on as it is, and its answer back', async t => {
  const url = await serve(t, async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk as Buffer)
    const { method, url: path, headers } = request
    const token = headers['x-auth-token']
    const answer = { method, path, token, host: headers.host, body: String(Buffer.concat(chunks)) }
    response.writeHead(202, { 'content-type': 'application/json', 'x-answer': 'yes' })
    response.end(JSON.stringify(answer))
  })
  const first = await node(t, () => ({ url }))
  const response = await fetch(`${first}/v2/summary?limit=2&begin=2026-10-05`, {
    method: 'POST',
    headers: { 'x-auth-token': 'token' },
    body: 'a body '.repeat(100_000),
  })
  t.equal(response.status, 202)
  t.equal(response.headers.get('x-answer'), 'yes')
  t.same(await response.json(), {
    method: 'POST',
    path: '/v2/summary?limit=2&begin=2026-10-05',
    token: 'token',
    host: new URL(first).host,
    body: 'a body '.repeat(100_000),
  })
})

t.test(
  'a request from elsewhere is not taken for one of the machine that passes it on',
  async t => {
    const url = await serve(t, (request, response) => {
      response.end(`${isLocal(request)} ${request.headers['x-forwarded-for']}`)
    })
    const passing = (remoteAddress: string) =>
      serve(t, (request, response) => {
        Object.defineProperty(request.socket, 'remoteAddress', { value: remoteAddress })
        const exchange = { request, response }
        void passOn(() => ({ url }), exchange, { here: async () => undefined })
      })
    const answerBy = async (at: string, headers = {}) => (await fetch(at, { headers })).text()
    t.equal(await answerBy(await passing('127.0.0.1')), 'true undefined')
    const elsewhere = await passing('192.0.2.9')
    t.equal(await answerBy(elsewhere), 'false 192.0.2.9')
    const forwarded = { 'x-forwarded-for': '203.0.113.5' }
    t.equal(await answerBy(elsewhere, forwarded), 'false 203.0.113.5, 192.0.2.9')
  },
)

t.test('where usage is rated it is answered, and passed on once at most', async t => {
  t.equal(await (await fetch(await node(t, () => 'here'))).text(), 'own answer')
  const nowhere = await fetch(await node(t, () => undefined, 0))
  t.equal(nowhere.status, 503)
  t.match(await nowhere.text(), /StoreUnavailableError: No node rates usage/)
  const places: string[] = []
  const one = await node(t, () => ({ url: places[1] ?? '' }))
  const other = await node(t, () => ({ url: places[0] ?? '' }))
  places.push(one, other)
  const toAndFro = await fetch(one)
  t.equal(toAndFro.status, 503)
  t.match(await toAndFro.text(), /No node rates usage/)
})

t.test('a request that the node has refused goes to the one that has taken over', async t => {
  const url = await serve(t, async (request, response) => {
    response.end(`${request.method} ${(await request.toArray()).join('')}`)
  })
  // Nobody listens on the first port.
  const places = ['http://127.0.0.1:1', 'http://127.0.0.1:1', url]
  const at = await node(t, () => ({ url: places.shift() ?? '' }))
  const response = await fetch(at, { method: 'PUT', body: 'a body' })
  t.equal(await response.text(), 'PUT a body')
  t.same(places, [])
})

t.test(
  'a node that does not answer is told of, and one that stops in between is not hidden',
  async t => {
    const silent = await serve(t, request => void request.socket.destroy())
    const refused = await fetch(await node(t, () => ({ url: silent })))
    t.equal(refused.status, 503)
    t.match(await refused.text(), /does not answer/)
    const url = await serve(t, (_request, response) => {
      response.writeHead(200, { 'content-length': '1000' })
      response.write('a part', () => response.destroy())
    })
    const response = await fetch(await node(t, () => ({ url })))
    t.equal(response.status, 200)
    await t.rejects(response.text())
  },
)
