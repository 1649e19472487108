import { once } from 'node:events'
import { connect as connectPlainly, createServer, type Socket } from 'node:net'
import { type ConnectionOptions, connect, createSecureContext } from 'node:tls'
import t, { type Test } from 'tap'
import type { Answer } from '../../src/transport/answer.ts'
import { type TcpLimits, TcpListener } from '../../src/transport/tcp.ts'
import {
  newTlsCounts,
  readTlsCounters,
  type TlsCounters,
} from '../../src/transport/tls-counters.ts'
import { TlsGate } from '../../src/transport/tls-gate.ts'
import { Dice } from '../helpers/dice.ts'
import { frame, TcpClient } from '../helpers/tcp-client.ts'
import { makeTestCertificate } from '../helpers/test-certificate.ts'
import { until } from '../helpers/until.ts'

// What is said before the first query, by those who mean it and by those who do not. What comes after it is in
// `tcp.test.ts`.

const credentials = makeTestCertificate()

const echo: Answer = (request, _transport, buffer) => {
  buffer.set(request)
  return buffer.subarray(0, request.length)
}

/** Long enough that no test reaches it by accident. */
const patient = { handshakeMs: 60_000, idleMs: 60_000, messageMs: 60_000, lingerMs: 60_000 }

type Door = {
  readonly listener: TcpListener
  readonly gate: TlsGate
  counters(): TlsCounters
}

async function open(
  t: Test,
  { limits, shown = credentials }: { limits?: Partial<TcpLimits>; shown?: typeof credentials } = {},
): Promise<Door> {
  const counts = newTlsCounts()
  const gate = new TlsGate(shown, counts)
  const listener = await TcpListener.open({
    address: { host: '127.0.0.1', port: 0 },
    answer: echo,
    report: error => t.error(error),
    limits: { ...patient, ...limits },
    gate,
  })
  t.teardown(() => listener.close())
  return { listener, gate, counters: () => readTlsCounters(counts) }
}

async function enter(t: Test, { listener }: Door, options?: ConnectionOptions) {
  const client = await TcpClient.connectSecurely(listener.address, options)
  t.teardown(() => client.socket.destroy())
  return client
}

/** A connection without TLS. */
async function knock(t: Test, { listener }: Door): Promise<Socket> {
  const socket = connectPlainly({ ...listener.address, allowHalfOpen: true })
  t.teardown(() => socket.destroy())
  socket.on('error', () => undefined).resume()
  await once(socket, 'connect')
  return socket
}

t.test('who checks the certificate and its name is let in, by TLS 1.2 and 1.3', async t => {
  const door = await open(t)
  for (const version of ['TLSv1.2', 'TLSv1.3'] as const) {
    const client = await enter(t, door, {
      ca: credentials.certificate,
      rejectUnauthorized: true,
      servername: 'dns.example.net',
      maxVersion: version,
    })
    t.equal(client.socket.getProtocol(), version)
    t.equal(await client.ask('hello'), 'hello')
  }
  t.match(door.counters(), { handshakeCount: 2, failedCount: 0, responseCount: 2 })
})

t.test('a certificate with an RSA key is as good', async t => {
  const client = await enter(t, await open(t, { shown: makeTestCertificate({ keyType: 'rsa' }) }))
  t.equal(await client.ask('hello'), 'hello')
})

t.test('the protocol is called "dot", and need not be named (RFC 7858 section 3.1)', async t => {
  const door = await open(t)
  const naming = await enter(t, door, { ALPNProtocols: ['h2', 'dot'] })
  t.equal(naming.socket.alpnProtocol, 'dot')
  t.equal((await enter(t, door)).socket.alpnProtocol, false)
  await t.rejects(enter(t, door, { ALPNProtocols: ['h2'] }), {
    code: 'ERR_SSL_TLSV1_ALERT_NO_APPLICATION_PROTOCOL',
  })
  await until(() => door.counters().failedCount === 1)
})

t.test('what RFC 9325 advises against is refused', async t => {
  const door = await open(t, { shown: makeTestCertificate({ keyType: 'rsa' }) })
  const rows: readonly (readonly [string, ConnectionOptions])[] = [
    ['TLS 1.1', { minVersion: 'TLSv1.1', maxVersion: 'TLSv1.1', ciphers: 'ALL:@SECLEVEL=0' }],
    ['a key for all sessions', { maxVersion: 'TLSv1.2', ciphers: 'AES128-GCM-SHA256' }],
    ['CBC', { maxVersion: 'TLSv1.2', ciphers: 'ECDHE-RSA-AES128-SHA256' }],
  ]
  for (const [what, options] of rows)
    await t.rejects(enter(t, door, options), { code: /ALERT/ }, what)
  await until(() => door.counters().failedCount === rows.length)
  t.equal(door.counters().handshakeCount, 0)
})

for (const maxVersion of ['TLSv1.2', 'TLSv1.3'] as const) {
  t.test(`a session goes on in the next connection (${maxVersion})`, async t => {
    const door = await open(t)
    // As a client keeps it; a context of its own would forget.
    const secureContext = createSecureContext({ maxVersion })
    const first = await enter(t, door, { secureContext, maxVersion })
    await first.ask('hello')
    const session = first.socket.getSession()
    const second = await enter(t, door, { secureContext, maxVersion, session })
    t.equal(await second.ask('hello again'), 'hello again')
    t.ok(second.socket.isSessionReused())
    t.match(door.counters(), { handshakeCount: 2, resumedCount: 1 })
  })
}

t.test('a renewed certificate is shown to newcomers, and nobody is interrupted', async t => {
  const door = await open(t)
  const before = await enter(t, door)
  const renewed = makeTestCertificate({ hostName: 'renewed.example.net' })
  door.gate.renew(renewed)
  const after = await enter(t, door)
  t.equal(before.socket.getPeerCertificate().subject?.CN, 'dns.example.net')
  t.equal(after.socket.getPeerCertificate().subject?.CN, 'renewed.example.net')
  t.equal(await before.ask('still here'), 'still here')
  t.throws(() => door.gate.renew({ ...renewed, key: credentials.key }))
  const unmoved = await enter(t, door)
  t.equal(unmoved.socket.getPeerCertificate().subject?.CN, 'renewed.example.net')
})

for (const [what, octets] of [
  ['a DNS message in the clear', frame(Buffer.alloc(30, 1))],
  ['a request of HTTP', Buffer.from('GET / HTTP/1.1\r\nHost: dns.example.net\r\n\r\n')],
  ['a record of another kind', Buffer.from('160301000101', 'hex')],
] as const) {
  t.test(`${what} ends the connection`, async t => {
    const door = await open(t)
    const socket = await knock(t, door)
    socket.end(octets)
    await until(() => door.counters().failedCount === 1)
    await until(() => door.listener.connectionCount === 0)
    t.equal(door.counters().handshakeCount, 0)
  })
}

for (const leave of ['end', 'resetAndDestroy'] as const) {
  t.test(`who leaves before the handshake is forgotten (${leave})`, async t => {
    const door = await open(t)
    const socket = await knock(t, door)
    await until(() => door.listener.connectionCount === 1)
    socket[leave]()
    await until(() => door.listener.connectionCount === 0)
    t.equal(door.counters().failedCount, 1)
  })
}

t.test('a handshake must be over in time, however often an octet of it comes', async t => {
  const door = await open(t, { limits: { handshakeMs: 60 } })
  const [, slow] = [await knock(t, door), await knock(t, door)]
  // The head of a handshake of 16,000 octets.
  slow.write(Buffer.from('1603013e80', 'hex'))
  const trickle = setInterval(() => slow.write(Uint8Array.of(1)), 5)
  t.teardown(() => clearInterval(trickle))
  await until(() => door.counters().failedCount === 2)
  t.equal(door.listener.connectionCount, 0)
})

t.test(
  'a handshake that is cut, forged or left at any place costs its connection alone',
  async t => {
    const door = await open(t)
    const hello = await clientHello(t)
    const dice = new Dice(7)
    const ends = ['end', 'resetAndDestroy', 'destroy'] as const
    const count = 300
    const honest = await enter(t, door)
    for (let i = 0; i < count; i += 1) {
      const socket = await knock(t, door)
      const octets = Buffer.from(hello)
      if (i % 2 === 0) octets[dice.below(octets.length)] = dice.below(256)
      socket.write(octets.subarray(0, 1 + dice.below(octets.length)), () =>
        socket[dice.pick(ends)](),
      )
    }
    await until(() => door.counters().failedCount === count)
    await until(() => door.listener.connectionCount === 1)
    t.equal(await honest.ask('still here'), 'still here')
    t.equal(await (await enter(t, door)).ask('hello'), 'hello')
  },
)

/** The first octets of a client that means it. */
async function clientHello(t: Test): Promise<Buffer> {
  const server = createServer().listen(0, '127.0.0.1')
  t.teardown(() => server.close())
  await once(server, 'listening')
  const { port } = server.address() as { port: number }
  const client = connect({ host: '127.0.0.1', port, servername: 'dns.example.net' })
  client.on('error', () => undefined)
  const [socket] = (await once(server, 'connection')) as [Socket]
  const [octets] = (await once(socket, 'data')) as [Buffer]
  client.destroy()
  socket.destroy()
  return octets
}

t.test('after the handshake the longer time of a connection without queries counts', async t => {
  const door = await open(t, { limits: { handshakeMs: 60_000, idleMs: 60, lingerMs: 20 } })
  const client = await enter(t, door)
  t.equal(await client.read(), undefined)
  t.match(door.counters(), { handshakeCount: 1, failedCount: 0 })
})

t.test('handshakes that nobody finishes make room for who asks', async t => {
  const door = await open(t, { limits: { maxConnections: 20 } })
  const idlers = await Promise.all(Array.from({ length: 20 }, () => knock(t, door)))
  await until(() => door.listener.connectionCount === 20)
  for (let i = 0; i < 5; i += 1) t.equal(await (await enter(t, door)).ask('hello'), 'hello')
  await until(
    () => idlers.filter(({ closed, readableEnded }) => closed || readableEnded).length >= 5,
  )
  t.equal(door.listener.connectionCount, 20)
})

t.test('queries that come together in several records are answered in one', async t => {
  const client = await enter(t, await open(t))
  await client.ask('ready')
  client.socket.setMaxSendFragment(512)
  const records: number[] = []
  client.socket.on('data', octets => records.push(octets.length))
  const texts = Array.from({ length: 50 }, (_, i) => `a query of some octets, which is number ${i}`)
  const octets = Buffer.concat(texts.map(text => frame(text)))
  await client.write(octets)
  for (const text of texts) t.equal((await client.read())?.toString(), text)
  t.strictSame(records, [octets.length])
})

t.test('a forged record ends a session at once', async t => {
  const door = await open(t)
  const client = await enter(t, door)
  t.equal(await client.ask('hello'), 'hello')
  client.below.write(Buffer.concat([Buffer.from('1703030020', 'hex'), Buffer.alloc(32)]))
  await until(() => door.listener.connectionCount === 0)
  t.match(door.counters(), { handshakeCount: 1, failedCount: 0 })
})

t.test('closing waits for nobody who has not come through the handshake', async t => {
  const door = await open(t)
  await knock(t, door)
  await until(() => door.listener.connectionCount === 1)
  await door.listener.close()
  await until(() => door.listener.connectionCount === 0)
  t.equal(door.counters().failedCount, 1)
})
