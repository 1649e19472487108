import t, { type Test } from 'tap'
import { BatchSocket } from '../../../src/transport/threads/batch-socket.ts'
import { newDatagramBuffers } from '../../../src/transport/threads/datagram-buffers.ts'
import {
  closeDatagramSockets,
  openDatagramSockets,
} from '../../../src/transport/threads/datagram-socket.ts'
import { errors, messageFlags } from '../../../src/transport/threads/layout.ts'
import { openSystemCalls, type SystemCalls } from '../../../src/transport/threads/system-calls.ts'
import { connectTo, unbatched } from '../../helpers/threaded-listeners.ts'

/** Calls of which some fail as a test wants. */
type Faults = Partial<Pick<SystemCalls, 'recvmmsg' | 'sendmmsg' | 'errno'>>

t.test('a batch', { skip: unbatched }, async t => {
  const realCalls = await openSystemCalls()

  async function open(t: Test, faults: Faults = {}) {
    const calls = { ...realCalls, ...faults }
    const { sockets, address } = openDatagramSockets(calls, { host: '127.0.0.1', port: 0 }, 1)
    t.teardown(() => closeDatagramSockets(calls, sockets))
    const buffers = newDatagramBuffers()
    const batch = new BatchSocket({ calls, socket: sockets[0]!, buffers })
    const texts = (count: number) =>
      Array.from({ length: count }, (_, i) =>
        Buffer.from(buffers.requests[i]!.subarray(0, batch.requestOctets(i))).toString('latin1'),
      )
    const keep = (n: number, text: string, i: number) => {
      buffers.responses[n]!.set(Buffer.from(text, 'latin1'))
      batch.keep(n, text.length, i)
    }
    return { batch, texts, keep, connect: () => connectTo(t, address) }
  }

  t.test('has what has arrived, in order, up to 64', async t => {
    const { batch, texts, connect } = await open(t)
    const client = await connect()
    const sent = Array.from({ length: 70 }, (_, i) => `q${i}`)
    for (const text of sent) await client.send(text)
    t.equal(batch.receive(messageFlags.doNotWait), 64)
    t.strictSame(texts(64), sent.slice(0, 64))
    t.equal(batch.receive(messageFlags.doNotWait), 6)
    t.strictSame(texts(6), sent.slice(64))
    t.equal(batch.receive(messageFlags.doNotWait), 0)
  })

  t.test('of all lengths is received whole', async t => {
    const { batch, texts, connect } = await open(t)
    const client = await connect()
    const sent = [0, 1, 512, 4096, 65_507].map(octets => 'x'.repeat(octets))
    for (const text of sent) await client.send(Buffer.from(text))
    t.equal(batch.receive(messageFlags.doNotWait), sent.length)
    t.strictSame(texts(sent.length), sent)
  })

  t.test('is answered to who asked, also when others get no answer', async t => {
    const { batch, keep, connect } = await open(t)
    const clients = [await connect(), await connect(), await connect()]
    for (const [i, client] of clients.entries()) await client.send(`from ${i}`)
    t.equal(batch.receive(messageFlags.doNotWait), 3)
    keep(0, 'to 1', 1)
    keep(1, 'to 2', 2)
    t.equal(batch.send(2), 2)
    t.strictSame(await clients[1]?.receive(1), ['to 1'])
    t.strictSame(await clients[2]?.receive(1), ['to 2'])
    await clients[0]?.send('again')
    t.equal(batch.receive(messageFlags.doNotWait), 1)
    keep(0, 'to 0', 0)
    t.equal(batch.send(1), 1)
    t.strictSame(await clients[0]?.receive(1), ['to 0'])
  })

  t.test('goes on behind a datagram that the kernel refuses', async t => {
    let errno = 0
    let refusedCount = 0
    const { batch, keep, connect } = await open(t, {
      // As the kernel does it: what is before the bad one goes out, and the error comes with the next call.
      sendmmsg: (descriptor, messages, count, flags) => {
        const isFirst = count === 4
        if (isFirst) return realCalls.sendmmsg(descriptor, messages, 1, flags)
        if (count === 3 && refusedCount < 2) {
          refusedCount += 1
          errno = refusedCount === 1 ? errors.interrupted : errors.invalid
          return -1
        }
        return realCalls.sendmmsg(descriptor, messages, count, flags)
      },
      errno: () => errno,
    })
    const client = await connect()
    for (const text of ['a', 'b', 'c', 'd']) await client.send(text)
    const count = batch.receive(messageFlags.doNotWait)
    for (let i = 0; i < count; i += 1) keep(i, `answer ${i}`, i)
    t.equal(batch.send(count), 3)
    t.strictSame(await client.receive(3), ['answer 0', 'answer 2', 'answer 3'])
  })

  t.test('is given up when the kernel is too far behind', async t => {
    let callCount = 0
    const { batch, keep, connect } = await open(t, {
      sendmmsg: () => {
        callCount += 1
        return -1
      },
      errno: () => errors.again,
    })
    const client = await connect()
    await client.send('a')
    await client.send('b')
    for (let i = 0; i < batch.receive(messageFlags.doNotWait); i += 1) keep(i, 'answer', i)
    t.equal(batch.send(2), 0)
    t.equal(callCount, 1)
  })

  t.test('comes to nothing when a call is interrupted or a network is down', async t => {
    for (const errno of [errors.interrupted, errors.again, 111, 101]) {
      const { batch } = await open(t, { recvmmsg: () => -1, errno: () => errno })
      t.equal(batch.receive(0), 0)
    }
  })

  t.test('cannot be had from what is no socket', async t => {
    const { batch } = await open(t, { recvmmsg: () => -1, errno: () => errors.badDescriptor })
    t.throws(() => batch.receive(0), /error 9/)
  })
})
