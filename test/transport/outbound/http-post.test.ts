import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import t from 'tap'
import { httpPost } from '../../../src/transport/outbound/http-post.ts'

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
  const { signal } = new AbortController()
  t.equal(await httpPost(`${url}/ok`, { headers: { 'x-a': 'b' }, body: '{}' }, signal), 204)
  t.equal(await httpPost(`${url}/moved`, { headers: {}, body: '{}' }, signal), 302)
  const asUser = `http://us%C3%A9r:p%40ss@127.0.0.1:${port}/ok`
  t.equal(await httpPost(asUser, { headers: { 'x-a': 'b' }, body: '{}' }, signal), 204)
  const basic = `Basic ${Buffer.from('usér:p@ss').toString('base64')}`
  t.same(seen, ['POST /ok b {}', 'POST /moved undefined {}', `POST /ok b {}${basic}`])
})

t.test('what cannot be reached, or is not wanted any more, rejects', async t => {
  const { signal } = new AbortController()
  await t.rejects(httpPost('http://127.0.0.1:1/', { headers: {}, body: '' }, signal))
  await t.rejects(httpPost('http://127.0.0.1:1/', { headers: {}, body: '' }, AbortSignal.abort()))
})
