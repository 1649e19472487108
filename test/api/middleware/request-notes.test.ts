import type { IncomingMessage } from 'node:http'
import t from 'tap'
import { Type } from 'typebox'
import { plain } from '../../../src/api/dialect.ts'
import { notePeer, peerOf } from '../../../src/api/middleware/request-notes.ts'
import { createApi } from '../../../src/api/server.ts'
import { startApi } from '../../helpers/api.ts'
import { silentLogger } from '../../helpers/log.ts'

function requestFrom(remoteAddress: string | undefined): IncomingMessage {
  return { socket: { remoteAddress } } as IncomingMessage
}

t.test('the address of the connection counts where nothing else is known', async t => {
  t.equal(peerOf(requestFrom('192.0.2.1')), '192.0.2.1')
  t.equal(peerOf(requestFrom('::ffff:192.0.2.1')), '192.0.2.1', 'in its own form')
  t.equal(peerOf(requestFrom('2001:db8::1')), '2001:db8::1')
  t.equal(peerOf(requestFrom(undefined)), '')
})

t.test('what a proxy says counts where it is an address', async t => {
  const request = requestFrom('127.0.0.1')
  for (const odd of [undefined, '', 'unknown', '_hidden', '192.0.2.1:80']) notePeer(request, odd)
  t.equal(peerOf(request), '127.0.0.1')
  notePeer(request, '192.0.2.7')
  t.equal(peerOf(request), '192.0.2.7')
})

t.test('only trusted proxies are believed, and the nearest stranger is the peer', async t => {
  const rows: readonly [readonly string[], string, string][] = [
    [[], '192.0.2.1', '127.0.0.1'],
    [['loopback'], '192.0.2.1', '192.0.2.1'],
    [['loopback'], '192.0.2.99, 192.0.2.1', '192.0.2.1'],
    [['loopback', '192.0.2.0/28'], '198.51.100.1, 192.0.2.1', '198.51.100.1'],
    [['198.51.100.0/24'], '192.0.2.1', '127.0.0.1'],
    [['loopback'], 'nonsense', '127.0.0.1'],
  ]
  const { identity } = await startApi(t)
  for (const [trustedProxies, forwardedFor, expected] of rows) {
    const handler = async ({ peer }: { readonly peer: string }) => ({ status: 200, text: peer })
    const route = {
      method: 'GET',
      path: '/peer',
      access: 'public',
      summary: 'Peer',
      answers: { 200: Type.String() },
      handler,
    } as const
    const api = createApi({
      mounts: [{ base: '/v2', dialect: plain, routes: [route] }],
      identity,
      logger: silentLogger,
      trustedProxies,
    })
    const { port } = await api.listen({ host: '127.0.0.1', port: 0 })
    const response = await fetch(`http://127.0.0.1:${port}/v2/peer`, {
      headers: { 'x-forwarded-for': forwardedFor },
    })
    t.equal(await response.text(), expected, `${trustedProxies} ${forwardedFor}`)
    await api.close()
  }
})
