import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import t from 'tap'
import { httpPost } from '../../../src/transport/outbound/http-post.ts'
import type { Reach } from '../../../src/transport/outbound/reach.ts'
import { anywhere } from '../../helpers/reach.ts'

t.test('a body is posted with its headers, and a redirect is not followed', async t => {
  const seen: string[] = []
  const server = createServer(async (request, response) => {
    const chunks = await request.setEncoding('utf8').toArray()
    const { 'x-a': header, authorization = '' } = request.headers
    seen.push(`${request.method} ${request.url} ${header} ${chunks.join('')}${authorization}`)
    response.writeHead(request.url === '/moved' ? 302 : 204, { location: '/elsewhere' }).end()
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.teardown(() => server.close())
  const { port } = server.address() as AddressInfo
  const url = `http://127.0.0.1:${port}`
  const options = { signal: new AbortController().signal, reach: anywhere }
  t.equal(await httpPost(`${url}/ok`, { headers: { 'x-a': 'b' }, body: '{}' }, options), 204)
  t.equal(await httpPost(`${url}/moved`, { headers: {}, body: '{}' }, options), 302)
  const asUser = `http://us%C3%A9r:p%40ss@127.0.0.1:${port}/ok`
  t.equal(await httpPost(asUser, { headers: { 'x-a': 'b' }, body: '{}' }, options), 204)
  const basic = `Basic ${Buffer.from('usér:p@ss').toString('base64')}`
  t.same(seen, ['POST /ok b {}', 'POST /moved undefined {}', `POST /ok b {}${basic}`])
})

t.test('what cannot be reached, or is not wanted any more, rejects', async t => {
  const options = { signal: new AbortController().signal, reach: anywhere }
  await t.rejects(httpPost('http://127.0.0.1:1/', { headers: {}, body: '' }, options))
  await t.rejects(
    httpPost(
      'http://127.0.0.1:1/',
      { headers: {}, body: '' },
      { signal: AbortSignal.abort(), reach: anywhere },
    ),
  )
})

t.test('nothing is sent to an address that is refused, nor where a name leads by now', async t => {
  let requestCount = 0
  const server = createServer((_request, response) => {
    requestCount += 1
    response.end()
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.teardown(() => server.close())
  const { port } = server.address() as AddressInfo
  const { signal } = new AbortController()
  // A name that is led elsewhere between two looks.
  const addresses = ['127.0.0.1', '192.0.2.1']
  const reach: Reach = {
    problemOf: address => (address === '127.0.0.1' ? 'a loopback address' : undefined),
    resolve: async () => addresses.splice(0, 1),
  }
  for (const host of ['127.0.0.1', 'rebinding.example']) {
    const sent = httpPost(`http://${host}:${port}/`, { headers: {}, body: '' }, { signal, reach })
    await t.rejects(sent, { message: /127.0.0.1 is a loopback address/ })
  }
  t.equal(requestCount, 0)
})
