import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import t from 'tap'
import { httpPost } from '../../../src/transport/outbound/http-post.ts'

t.test('a body is posted with its headers, and a redirect is not followed', async t => {
  const seen: string[] = []
  const server = createServer(async (request, response) => {
    const chunks = await request.setEncoding('utf8').toArray()
    seen.push(`${request.method} ${request.url} ${request.headers['x-a']} ${chunks.join('')}`)
    response.writeHead(request.url === '/moved' ? 302 : 204, { location: '/elsewhere' }).end()
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.teardown(() => server.close())
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const { signal } = new AbortController()
  t.equal(await httpPost(`${url}/ok`, { headers: { 'x-a': 'b' }, body: '{}' }, signal), 204)
  t.equal(await httpPost(`${url}/moved`, { headers: {}, body: '{}' }, signal), 302)
  t.same(seen, ['POST /ok b {}', 'POST /moved undefined {}'])
})

t.test('what cannot be reached, or is not wanted any more, rejects', async t => {
  const { signal } = new AbortController()
  await t.rejects(httpPost('http://127.0.0.1:1/', { headers: {}, body: '' }, signal))
  await t.rejects(httpPost('http://127.0.0.1:1/', { headers: {}, body: '' }, AbortSignal.abort()))
})
