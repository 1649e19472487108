import { setImmediate as turn } from 'node:timers/promises'
import t from 'tap'

import { Listeners } from '../../../src/transport/listeners.ts'
import { depth } from '../../helpers/depth.ts'
import { deadly, failing, silent } from '../../helpers/echo-responder.ts'
import {
  connectTo,
  echoModule,
  listenInThreads,
  unbatched,
} from '../../helpers/threaded-listeners.ts'

t.test('threads that answer UDP', { skip: unbatched }, async t => {
  for (const host of ['127.0.0.1', '::1']) {
    t.test(`answer by ${host} alone`, async t => {
      const listeners = await listenInThreads(t, { hosts: [host], greeting: 'hello, ' })
      const client = await connectTo(t, listeners.addresses[0])
      t.equal(await client.ask('you'), 'hello, you')
    })
  }

  t.test('answer by several addresses of both families, and by several threads', async t => {
    const listeners = await listenInThreads(t, { hosts: ['127.0.0.1', '::1'], count: 3 })
    for (const address of listeners.addresses) {
      for (let i = 0; i < 20; i += 1) {
        const client = await connectTo(t, address)
        t.equal(await client.ask(`${address.host} ${i}`), `${address.host} ${i}`)
      }
    }
    await listeners.close()
    t.match(listeners.udpCounters, { receivedCount: 40, sentCount: 40 })
  })

  t.test('answer from the address that was asked where they listen on all', async t => {
    const listeners = await listenInThreads(t, { hosts: ['0.0.0.0', '::'] })
    const [v4, v6] = listeners.addresses.map(({ port }) => port)
    for (const address of [
      { host: '127.0.0.1', port: v4! },
      { host: '127.0.0.2', port: v4! },
      { host: '127.1.2.3', port: v4! },
      { host: '::1', port: v6! },
    ]) {
      const client = await connectTo(t, address)
      for (const round of ['1', '2']) t.equal(await client.ask(round), round, address.host)
    }
  })

  t.test('lose none of thousands of queries and count each once', async t => {
    const listeners = await listenInThreads(t, { count: 2 })
    const clients = [0, 1, 2, 3].map(() => connectTo(t, listeners.addresses[0]))
    const windowCount = 50 * depth
    const windowSize = 100
    const queryCount = clients.length * windowCount * windowSize
    await Promise.all(
      clients.map(async connecting => {
        const client = await connecting
        for (let window = 0; window < windowCount; window += 1) {
          const sent = Array.from({ length: windowSize }, (_, i) => `${window}.${i}`)
          for (const text of sent) void client.send(text)
          const received = await client.receive(windowSize)
          if (received.join() !== sent.join()) t.strictSame(received, sent)
        }
      }),
    )
    await listeners.close()
    t.match(listeners.udpCounters, {
      receivedCount: queryCount,
      sentCount: queryCount,
      unsentCount: 0,
    })
  })

  t.test('go on after what is no query', async t => {
    const listeners = await listenInThreads(t, { greeting: '>' })
    const client = await connectTo(t, listeners.addresses[0])
    for (const octets of [0, 1, 65_000]) {
      const sent = 'z'.repeat(octets)
      t.equal(await client.ask(sent), `>${sent}`.slice(0, 1232), `${octets} octets`)
    }
    const garbage = Buffer.from(Array.from({ length: 500 }, (_, i) => (i * 7919) & 0xff))
    t.equal(await client.ask(garbage), `>${garbage.toString('latin1')}`)
    await client.send(silent)
    t.equal(await client.ask('and now?'), '>and now?')
    await listeners.close()
    t.match(listeners.udpCounters, { receivedCount: 6, sentCount: 5, silentCount: 1 })
  })

  t.test('report what should not occur, and answer the others', async t => {
    const reported: unknown[] = []
    const listeners = await listenInThreads(t, { report: error => reported.push(error) })
    const client = await connectTo(t, listeners.addresses[0])
    await client.send(failing)
    await client.send(failing)
    t.equal(await client.ask('fine'), 'fine')
    while (reported.length === 0) await turn()
    t.match(reported, [{ message: 'told to fail' }])
    await listeners.close()
    t.match(listeners.udpCounters, { failedCount: 2, sentCount: 1 })
  })

  t.test('are started again when one dies, and what was asked meanwhile is answered', async t => {
    const readers = { taken: 0, closed: 0 }
    const ended = Promise.withResolvers<unknown>()
    const listeners = await listenInThreads(t, {
      report: ended.resolve,
      threads: {
        count: 1,
        responder: echoModule,
        openReader: () => {
          readers.taken += 1
          const close = () => {
            readers.closed += 1
          }
          return { handle: '', close }
        },
      },
    })
    const client = await connectTo(t, listeners.addresses[0])
    t.equal(await client.ask('first'), 'first')
    await client.send(deadly)
    t.match(await ended.promise, { message: /started again/ })
    t.equal(await client.ask('second'), 'second')
    // TCP has one, and so had each of the two lives.
    t.strictSame(readers, { taken: 3, closed: 1 })
    // An answer is counted once it is sent, and may be here before.
    await listeners.close()
    t.match(listeners.udpCounters, { receivedCount: 2, sentCount: 2 })
    t.strictSame(readers, { taken: 3, closed: 3 })
  })

  t.test('answer what had arrived before they end, and give the address back', async t => {
    const listeners = await listenInThreads(t, { hosts: ['127.0.0.1', '::1'], count: 2 })
    const clients = await Promise.all(listeners.addresses.map(address => connectTo(t, address)))
    const sent = Array.from({ length: 200 }, (_, i) => `${i}`)
    for (const client of clients) for (const text of sent) await client.send(text)
    await Promise.all([listeners.close(), listeners.close()])
    for (const client of clients) t.strictSame(await client.receive(sent.length), sent)
    const again = await Listeners.open({
      addresses: listeners.addresses,
      answer: () => undefined,
      report: error => t.error(error),
    })
    await again.close()
  })
})
