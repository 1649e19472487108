import type { IncomingMessage } from 'node:http'
import t from 'tap'
import { isLocal } from '../../../src/api/middleware/local-request.ts'

function requestFrom(remoteAddress: string | undefined, host = 'localhost') {
  return { socket: { remoteAddress }, headers: { host } } as unknown as IncomingMessage
}

t.test('loopback peers are the machine itself, in either family', async t => {
  const rows: readonly [peer: string | undefined, expected: boolean][] = [
    ['127.0.0.1', true],
    ['127.255.255.254', true],
    ['::1', true],
    ['::ffff:127.0.0.1', true],
    ['128.0.0.1', false],
    ['192.0.2.1', false],
    ['::2', false],
    ['::ffff:192.0.2.1', false],
    ['2001:db8::1', false],
    ['', false],
    [undefined, false],
  ]
  for (const [peer, expected] of rows) t.equal(isLocal(requestFrom(peer)), expected, peer ?? 'none')
})

t.test('and it must be asked for by a name of its own', async t => {
  const rows: readonly [host: string, expected: boolean][] = [
    ['LOCALHOST:1', true],
    ['127.0.0.1', true],
    ['127.0.0.1:9001', true],
    ['[::1]', true],
    ['', false],
    ['localhost.', false],
    ['::1', false],
    ['example.com', false],
    ['127.0.0.1.example.com', false],
  ]
  for (const [host, expected] of rows)
    t.equal(isLocal(requestFrom('127.0.0.1', host)), expected, host)
})
