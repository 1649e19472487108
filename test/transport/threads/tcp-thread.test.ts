import { once } from 'node:events'
import { createServer } from 'node:net'
import t, { type Test } from 'tap'
import type { OnNotify, Report } from '../../../src/transport/answer.ts'
import type { EngineTls } from '../../../src/transport/tcp-engine.ts'
import { threadRestartCount } from '../../../src/transport/threads/supervised-thread.ts'
import { ThreadedTcp } from '../../../src/transport/threads/threaded-tcp.ts'
import { newTlsCounts, readTlsCounters } from '../../../src/transport/tls-counters.ts'
import { deadly, failing, silent } from '../../helpers/echo-responder.ts'
import { frame, TcpClient } from '../../helpers/tcp-client.ts'
import { makeTestCertificate } from '../../helpers/test-certificate.ts'
import { echoModule } from '../../helpers/threaded-listeners.ts'

async function start(
  t: Test,
  {
    report = error => t.error(error),
    limits = {},
    tls,
    onNotify = () => undefined,
  }: { report?: Report; limits?: object; tls?: EngineTls; onNotify?: OnNotify } = {},
): Promise<ThreadedTcp> {
  const engine = await ThreadedTcp.start({
    openReader: () => ({ handle: '', close: () => undefined }),
    responder: echoModule,
    limits,
    report,
    onNotify,
    tls,
  })
  t.teardown(() => engine.close())
  return engine
}

async function connect(t: Test, address: { host: string; port: number }): Promise<TcpClient> {
  const client = await TcpClient.connect(address)
  t.teardown(() => client.socket.destroy())
  return client
}

for (const host of ['127.0.0.1', '::1']) {
  t.test(`the thread answers by ${host}, many queries at once and in order`, async t => {
    const engine = await start(t)
    const client = await connect(t, await engine.listen({ host, port: 0 }))
    const texts = Array.from({ length: 2000 }, (_, i) => `query ${i}`)
    await client.write(Buffer.concat(texts.map(frame)))
    const answers: (string | undefined)[] = []
    for (const _ of texts) answers.push((await client.read())?.toString())
    t.strictSame(answers, texts)
  })
}

t.test(
  'what deserves no answer, or makes the responder fail, ends its connection alone',
  async t => {
    const reported: unknown[] = []
    const engine = await start(t, { report: error => reported.push(error) })
    const address = await engine.listen({ host: '127.0.0.1', port: 0 })
    const calm = await connect(t, address)
    for (const text of [silent, failing]) {
      const client = await connect(t, address)
      t.equal(await client.ask(text), undefined)
    }
    t.equal(await calm.ask('fine'), 'fine')
    t.match(reported, [{ message: 'told to fail' }])
  },
)

t.test('a thread that dies is followed by one at the same addresses', async t => {
  const died = Promise.withResolvers<unknown>()
  const engine = await start(t, { report: died.resolve })
  const address = await engine.listen({ host: '127.0.0.1', port: 0 })
  const client = await connect(t, address)
  const restartsBefore = threadRestartCount()
  await client.ask(deadly)
  t.match(await died.promise, { message: /started again/ })
  t.equal(threadRestartCount(), restartsBefore + 1)
  // Replies once it is at work.
  await engine.listen({ host: '::1', port: 0 })
  const next = await connect(t, address)
  t.equal(await next.ask('still there?'), 'still there?')
})

t.test('TLS is answered, counted, and renewed for the successor as well', async t => {
  const died = Promise.withResolvers<unknown>()
  const counts = newTlsCounts()
  const tls = { credentials: makeTestCertificate(), counts }
  const engine = await start(t, { report: died.resolve, tls })
  const local = { host: '127.0.0.1', port: 0 }
  const address = await engine.listen(local)
  const enter = async () => {
    const client = await TcpClient.connectSecurely(address)
    t.teardown(() => client.socket.destroy())
    return client
  }
  const nameOf = (client: Awaited<ReturnType<typeof enter>>) =>
    client.socket.getPeerCertificate().subject?.CN
  const before = await enter()
  t.equal(nameOf(before), 'dns.example.net')
  await engine.renew(makeTestCertificate({ hostName: 'renewed.example.net' }))
  const newcomer = await enter()
  t.equal(nameOf(newcomer), 'renewed.example.net')
  t.equal(await newcomer.ask('new here'), 'new here')
  t.equal(await before.ask('still here?'), 'still here?')
  t.match(readTlsCounters(counts), { handshakeCount: 2, responseCount: 2 })

  await before.ask(deadly)
  t.match(await died.promise, { message: /started again/ })
  // Replies once it is at work.
  await engine.listen(local)
  const after = await enter()
  t.equal(nameOf(after), 'renewed.example.net')
  t.equal(await after.ask('still there?'), 'still there?')
  t.match(readTlsCounters(counts), { handshakeCount: 3, responseCount: 3 })
})

t.test('an address that is taken is refused with the system error, others are not', async t => {
  const engine = await start(t)
  const taken = createServer().listen(0, '127.0.0.1')
  await once(taken, 'listening')
  t.teardown(() => taken.close())
  const { port } = taken.address() as { port: number }
  await t.rejects(engine.listen({ host: '127.0.0.1', port }), { code: 'EADDRINUSE' })
  const client = await connect(t, await engine.listen({ host: '127.0.0.1', port: 0 }))
  t.equal(await client.ask('?'), '?')
})

t.test('closing answers what has arrived, and gives the address back', async t => {
  const engine = await start(t, { limits: { lingerMs: 50 } })
  const address = await engine.listen({ host: '127.0.0.1', port: 0 })
  const client = await connect(t, address)
  t.equal(await client.ask('before'), 'before')
  await client.write(frame('last'))
  const closed = Promise.all([engine.close(), engine.close()])
  t.equal((await client.read())?.toString(), 'last')
  t.equal(await client.read(), undefined)
  client.socket.end()
  await closed
  const again = createServer().listen(address.port, address.host)
  await once(again, 'listening')
  again.close()
})
