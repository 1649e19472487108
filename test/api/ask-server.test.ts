import { once } from 'node:events'
import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import t, { type Test } from 'tap'
import { type AdminProof, askServer } from '../../src/api/ask-server.ts'

async function serve(t: Test, answer: RequestListener): Promise<string> {
  const server = createServer(answer).listen(0, '127.0.0.1')
  t.teardown(() => server.close())
  await once(server, 'listening')
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

const request = { method: 'PUT', path: '/v2/x', what: 'do it' }
const unavailable = (message: RegExp) => ({ name: 'ServerUnavailableError', message })

t.test('the proof goes with the request, and what is answered is read', async t => {
  const url = await serve(t, ({ method, url: path, headers }, response) => {
    const { authorization } = headers
    response.end(JSON.stringify([method, path, headers['x-auth-token'], authorization]))
  })
  const ask = (proof: AdminProof) => askServer({ url, proof }, request)
  t.same(await ask({ kind: 'token', token: 'abc' }), ['PUT', '/v2/x', 'abc', null])
  t.same(await ask({ kind: 'none' }), ['PUT', '/v2/x', null, null])
  const password = { kind: 'password', user: 'admin', password: 'p:w' } as const
  t.same(await ask(password), ['PUT', '/v2/x', null, `Basic ${btoa('admin:p:w')}`])
})

t.test('a refusal and silence say which server, and why', async t => {
  const proof = { kind: 'none' } as const
  const refusing = await serve(t, (_, response) => response.writeHead(403).end('not you'))
  await t.rejects(
    askServer({ url: refusing, proof }, request),
    unavailable(/^http:.* does not do it: 403 not you$/),
  )
  const odd = await serve(t, (_, response) => response.end('not JSON'))
  t.equal(await askServer({ url: odd, proof }, request), undefined)
  const silent = await serve(t, ({ socket }) => socket.destroy())
  await t.rejects(askServer({ url: silent, proof }, request), unavailable(/does not answer/))
})
