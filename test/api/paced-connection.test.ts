import { EventEmitter, once } from 'node:events'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { connect, createServer } from 'node:net'
import t, { type Test } from 'tap'
import { PacedConnection } from '../../src/api/paced-connection.ts'
import { isTurnOverrun } from '../../src/time-slice.ts'

/** Both ends of a connection, and the pieces that were handed on. */
async function openPair(t: Test) {
  const server = createServer({ allowHalfOpen: true }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  const port = typeof address === 'object' ? (address?.port ?? 0) : 0
  const client = connect({ port, host: '127.0.0.1', allowHalfOpen: true })
  const [socket] = await once(server, 'connection')
  const pieces: string[] = []
  // In place of the HTTP server.
  const parser = new EventEmitter()
  socket.on('data', (piece: Buffer) => {
    pieces.push(String(piece))
    parser.emit('data')
  })
  socket.on('end', () => parser.emit('end'))
  const paced = new PacedConnection(socket)
  t.teardown(() => {
    client.destroy()
    server.close()
  })
  const received = async (text: string) => {
    while (!pieces.join('').endsWith(text)) await once(parser, 'data')
  }
  return { client, socket, parser, paced, pieces, received }
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
  const { client, parser, paced, pieces, received } = await openPair(t)
  const first = exchange({ isComplete: true })
  parser.once('data', () => paced.began(first.request, first.response))
  client.write(head('a') + head('b'))
  await received(head('a'))
  await new Promise(resolve => setImmediate(resolve))
  t.same(pieces, [head('a')])
  t.equal(paced.unanswered.length, 1)
  first.answer()
  t.equal(paced.unanswered.length, 0)
  t.same(pieces, [head('a')], 'not at once: others have their turn before')
  await received(head('b'))
})

t.test('the body of the request that is worked on is handed on', async t => {
  const { client, parser, paced, received } = await openPair(t)
  const first = exchange({ isComplete: false })
  parser.once('data', () => paced.began(first.request, first.response))
  client.write(`${head('a')}body`)
  await received('body')
})

t.test('the end of the client is handed on, though an answer is under way', async t => {
  const { client, parser, paced, received } = await openPair(t)
  const first = exchange({ isComplete: true })
  parser.once('data', () => paced.began(first.request, first.response))
  client.write(head('a'))
  await received(head('a'))
  client.end()
  await once(parser, 'end')
})

t.test(
  'what comes when the turn has no time left is handed on in a later one, first come first',
  async t => {
    const pairs = [await openPair(t), await openPair(t)]
    const order: string[] = []
    for (const [i, { parser }] of pairs.entries()) parser.on('data', () => order.push(`${i}`))
    await new Promise(resolve => setImmediate(resolve))
    while (!isTurnOverrun()) order.length = 0
    for (const { socket } of pairs) {
      socket.emit('data', Buffer.from(head('a').slice(0, 4)))
      socket.emit('data', Buffer.from(head('a').slice(4)))
    }
    t.same(order, [])
    for (const { received } of pairs) await received(head('a'))
    t.same(order, ['0', '1'])
    for (const { socket, pieces } of pairs) {
      t.same(pieces, [head('a')])
      t.notOk(socket.isPaused())
    }
  },
)

t.test('the end comes after what was held before it', async t => {
  const { client, parser, pieces } = await openPair(t)
  client.end(head('a') + head('b'))
  await once(parser, 'end')
  t.same(pieces, [head('a'), head('b')])
})

t.test('a server that pauses gets nothing until it resumes', async t => {
  const { client, socket, parser, pieces, received } = await openPair(t)
  parser.once('data', () => socket.pause())
  client.write(head('a') + head('b'))
  await received(head('a'))
  await new Promise(resolve => setImmediate(resolve))
  t.same(pieces, [head('a')])
  socket.resume()
  t.same(pieces, [head('a')], 'not within the call')
  await received(head('b'))
})

t.test('a server that resumes gets no request before its turn', async t => {
  const { client, socket, parser, paced, pieces, received } = await openPair(t)
  const first = exchange({ isComplete: true })
  parser.once('data', () => paced.began(first.request, first.response))
  client.write(head('a') + head('b'))
  await received(head('a'))
  socket.resume()
  await new Promise(resolve => setImmediate(resolve))
  t.same(pieces, [head('a')])
  t.ok(socket.isPaused(), 'the rest stays in the kernel')
  first.answer()
  await received(head('b'))
  t.notOk(socket.isPaused())
})
