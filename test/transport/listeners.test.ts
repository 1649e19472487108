import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import type { IncomingMessage } from 'node:http'
import { get } from 'node:https'
import { createServer } from 'node:net'
import t from 'tap'
import type { Answer } from '../../src/transport/answer.ts'
import { Listeners, type ThreadsOptions } from '../../src/transport/listeners.ts'
import { UdpListener } from '../../src/transport/udp.ts'
import { freePort } from '../helpers/free-port.ts'
import { TcpClient } from '../helpers/tcp-client.ts'
import { makeTestCertificate } from '../helpers/test-certificate.ts'
import { connectTo, echoModule, listenInThreads, unbatched } from '../helpers/threaded-listeners.ts'

const nameTransport: Answer = (_request, transport) => Buffer.from(transport)
const common = { answer: nameTransport, report: () => undefined }

t.test('each address answers over UDP and TCP on one port', async t => {
  const listeners = await Listeners.open({
    ...common,
    addresses: [
      { host: '127.0.0.1', port: 0 },
      { host: '::1', port: 0 },
    ],
  })
  t.teardown(() => listeners.close())
  t.strictSame(
    listeners.addresses.map(address => address.host),
    ['127.0.0.1', '::1'],
  )
  for (const address of listeners.addresses) {
    const client = await TcpClient.connect(address)
    t.teardown(() => client.socket.destroy())
    t.equal(await client.ask('?'), 'tcp')
    const socket = createSocket(address.host === '::1' ? 'udp6' : 'udp4')
    t.teardown(() => socket.close())
    socket.send('?', address.port, address.host)
    const [response] = (await once(socket, 'message')) as [Buffer]
    t.equal(response.toString(), 'udp')
  }
})

t.test('one address that is taken opens none', async t => {
  const taken = await UdpListener.open({ ...common, address: { host: '127.0.0.1', port: 0 } })
  t.teardown(() => taken.close())
  const port = await freePort()
  const addresses = [{ host: '127.0.0.1', port }, taken.address]
  await t.rejects(Listeners.open({ ...common, addresses }), {
    name: 'ListenError',
    code: 'EADDRINUSE',
    message: new RegExp(`127\\.0\\.0\\.1:${taken.address.port} \\(UDP\\)`),
  })
  const again = await Listeners.open({ ...common, addresses: [{ host: '127.0.0.1', port }] })
  t.teardown(() => again.close())
  t.equal(again.addresses[0]?.port, port)
})

t.test('a configured port that is taken for TCP only is refused, and UDP given back', async t => {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.teardown(() => server.close())
  const { port } = server.address() as { port: number }
  const address = { host: '127.0.0.1', port }
  await t.rejects(Listeners.open({ ...common, addresses: [address] }), {
    code: 'EADDRINUSE',
    message: /\(TCP\)/,
  })
  const udp = await UdpListener.open({ ...common, address })
  await t.resolves(udp.close())
})

const local = { host: '127.0.0.1', port: 0 }

t.test('TLS has addresses of its own, with threads and without', async t => {
  const tls = { addresses: [local, { host: '::1', port: 0 }], credentials: makeTestCertificate() }
  const openReader = () => ({ handle: '', close: () => undefined })
  const threads = { count: 1, openReader, responder: echoModule }
  for (const [answer, options] of [
    ['tcp', {}],
    ['?', { threads }],
  ] as const) {
    const listeners = await Listeners.open({ ...common, ...options, addresses: [local], tls })
    t.teardown(() => listeners.close())
    t.same(
      listeners.tlsAddresses.map(({ host }) => host),
      ['127.0.0.1', '::1'],
    )
    for (const address of listeners.tlsAddresses) {
      const client = await TcpClient.connectSecurely(address)
      t.teardown(() => client.socket.destroy())
      t.equal(await client.ask('?'), answer)
    }
    t.match(listeners.tlsCounters, { handshakeCount: 2, responseCount: 2 })
    await listeners.renewCertificate(makeTestCertificate({ hostName: 'renewed.example.net' }))
    const client = await TcpClient.connectSecurely(listeners.tlsAddresses[0]!)
    t.teardown(() => client.socket.destroy())
    t.equal(client.socket.getPeerCertificate().subject?.CN, 'renewed.example.net')
  }
})

t.test('so has HTTPS, by the same threads and with the same certificate', async t => {
  const tls = { addresses: [], httpsAddresses: [local], credentials: makeTestCertificate() }
  const listeners = await listenInThreads(t, { tls })
  t.same(listeners.tlsAddresses, [])
  const [{ port } = local] = listeners.httpsAddresses
  const ask = async (ca: string) => {
    const message = Buffer.alloc(12).toString('base64url')
    const url = `https://127.0.0.1:${port}/dns-query?dns=${message}`
    const [response] = (await once(get(url, { ca, agent: false }), 'response')) as [IncomingMessage]
    response.resume()
    return response.statusCode
  }
  t.equal(await ask(tls.credentials.certificate), 200)
  t.match(listeners.tlsCounters, { handshakeCount: 1, responseCount: 1 })
  const renewed = makeTestCertificate()
  await listeners.renewCertificate(renewed)
  t.equal(await ask(renewed.certificate), 200)
})

t.test('without a certificate there is no TLS, and nothing to renew', async t => {
  const listeners = await Listeners.open({ ...common, addresses: [local] })
  t.teardown(() => listeners.close())
  t.same([listeners.tlsAddresses, listeners.tlsCounters], [[], undefined])
  await t.resolves(listeners.renewCertificate(makeTestCertificate()))
})

t.test('an address that is taken for TLS is named with its setting, and opens none', async t => {
  const taken = createServer().listen(0, '127.0.0.1')
  await once(taken, 'listening')
  t.teardown(() => taken.close())
  const { port } = taken.address() as { port: number }
  const address = { ...local, port: await freePort() }
  const tls = { addresses: [{ ...local, port }], credentials: makeTestCertificate() }
  await t.rejects(Listeners.open({ ...common, addresses: [address], tls }), {
    name: 'ListenError',
    message: new RegExp(`127\\.0\\.0\\.1:${port} \\(TLS\\).* ZONEWRIGHT_DNS_TLS_LISTEN`),
  })
  const again = await Listeners.open({ ...common, addresses: [address] })
  t.teardown(() => again.close())
  t.strictSame(again.addresses, [address])
})

t.test('an address this machine does not have is named', async t => {
  await t.rejects(Listeners.open({ ...common, addresses: [{ host: '192.0.2.1', port: 0 }] }), {
    code: 'EADDRNOTAVAIL',
    message: /192\.0\.2\.1:0/,
  })
})

t.test('threads that cannot be had are replaced, and the reason is reported', async t => {
  const openReader = () => ({ handle: '', close: () => undefined })
  const load = () => Promise.reject(new Error('none'))
  const rows: readonly (readonly [string, Partial<ThreadsOptions>, RegExp, string])[] = [
    ['without koffi UDP has none', { load, responder: echoModule }, /koffi/, '?'],
    ['without a responder nobody has', { responder: 'data:text/javascript,' }, /openR/, 'tcp'],
  ]
  for (const [title, threads, expected, tcpAnswer] of rows) {
    const reasons: string[] = []
    const listeners = await Listeners.open({
      ...common,
      addresses: [{ host: '127.0.0.1', port: 0 }],
      threads: { count: 2, openReader, ...threads },
      onFallback: reason => reasons.push(reason),
    })
    t.teardown(() => listeners.close())
    const client = await connectTo(t, listeners.addresses[0])
    t.equal(await client.ask('?'), 'udp', title)
    const tcpClient = await TcpClient.connect(listeners.addresses[0]!)
    t.equal(await tcpClient.ask('?'), tcpAnswer, title)
    tcpClient.socket.destroy()
    t.match(reasons, [expected])
    t.match(listeners.udpCounters, { receivedCount: 1, sentCount: 1 })
  }
})

t.test('an address that is taken is named, with threads too', { skip: unbatched }, async t => {
  const first = await listenInThreads(t)
  await t.rejects(listenInThreads(t, { addresses: first.addresses }), {
    name: 'ListenError',
    code: 'EADDRINUSE',
    message: /\(UDP\)/,
  })
})
