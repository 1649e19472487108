import { EventEmitter, once } from 'node:events'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { connect, createServer } from 'node:net'
import t, { type Test } from 'tap'
import { PacedConnection } from '../../src/api/paced-connection.ts'

/** Both ends of a connection, and the pieces that were handed on. */
async function openPair(t: Test) {
  const server = createServer({ allowHalfOpen: true }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  const port = typeof address === 'object' ? (address?.port ?? 0) : 0
  const client = connect({ port, host: '127.0.0.1', allowHalfOpen: true })
  const [socket] = await once(server, 'connection')
  const paced = new PacedConnection(socket)
  const pieces: string[] = []
  paced.on('data', piece => pieces.push(String(piece)))
  t.teardown(() => {
    client.destroy()
    server.close()
  })
  const received = async (text: string) => {
    while (!pieces.join('').endsWith(text)) await once(paced, 'data')
  }
  return { client, paced, pieces, received }
}

/** A request that the parser made, and its response. */
function exchange({ isComplete }: { readonly isComplete: boolean }) {
  const request = { complete: isComplete } as IncomingMessage
  const response = new EventEmitter() as ServerResponse
  return { request, response, answer: () => response.emit('close') }
}

const head = (name: string) => `GET /${name} HTTP/1.1\r\nHost: x\r\n\r\n`

t.test('heads are handed on one at a time, however they arrive', async t => {
  const { client, pieces, received } = await openPair(t)
  client.write(head('a') + head('b') + head('c'))
  await received(head('c'))
  t.same(pieces, [head('a'), head('b'), head('c')])
})

t.test('while a request waits for its answer the next is held', async t => {
  const { client, paced, pieces, received } = await openPair(t)
  const first = exchange({ isComplete: true })
  paced.once('data', () => paced.began(first.request, first.response))
  client.write(head('a') + head('b'))
  await received(head('a'))
  await new Promise(resolve => setImmediate(resolve))
  t.same(pieces, [head('a')])
  t.equal(paced.unansweredCount, 1)
  first.answer()
  t.equal(paced.unansweredCount, 0)
  t.same(pieces, [head('a')], 'not at once: others have their turn before')
  await received(head('b'))
})

t.test('the body of the request that is worked on is handed on', async t => {
  const { client, paced, received } = await openPair(t)
  const first = exchange({ isComplete: false })
  paced.once('data', () => paced.began(first.request, first.response))
  client.write(`${head('a')}body`)
  await received('body')
})

t.test('the end of the client is handed on, though an answer is under way', async t => {
  const { client, paced, received } = await openPair(t)
  const first = exchange({ isComplete: true })
  paced.once('data', () => paced.began(first.request, first.response))
  client.write(head('a'))
  await received(head('a'))
  client.end()
  await once(paced, 'end')
})

t.test('the end comes after what was held before it', async t => {
  const { client, paced, pieces } = await openPair(t)
  client.end(head('a') + head('b'))
  await once(paced, 'end')
  t.same(pieces, [head('a'), head('b')])
})

t.test('what is written reaches the client, in order', async t => {
  const { client, paced } = await openPair(t)
  paced.cork()
  for (const text of ['a', 'b', 'c']) paced.write(text)
  paced.uncork()
  paced.destroySoon()
  let text = ''
  for await (const chunk of client) text += chunk
  t.equal(text, 'abc')
})

t.test('silence is told to whoever listens for it', async t => {
  const { paced } = await openPair(t)
  const isSilent = once(paced, 'timeout')
  paced.setTimeout(1)
  await isSilent
})

t.test('a client that is gone closes it', async t => {
  const { client, paced } = await openPair(t)
  paced.on('error', () => undefined)
  const isClosed = new Promise(resolve => paced.once('close', resolve))
  client.resetAndDestroy()
  await isClosed
  t.equal(paced.destroyed, true)
})
