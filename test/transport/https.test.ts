import { type EventEmitter, once } from 'node:events'
import type { IncomingMessage } from 'node:http'
import {
  type ClientHttp2Session,
  connect as connectHttp2,
  type OutgoingHttpHeaders,
  type Settings,
} from 'node:http2'
import { Agent, request as requestHttp1 } from 'node:https'
import { connect as connectPlainly } from 'node:net'
import { connect, type TLSSocket } from 'node:tls'
import t, { type Test } from 'tap'
import { parseName } from '../../src/dns/name.ts'
import type { Answer } from '../../src/transport/answer.ts'
import { type TcpLimits, TcpListener } from '../../src/transport/tcp.ts'
import { newTlsCounts, readTlsCounters } from '../../src/transport/tls-counters.ts'
import { TlsGate } from '../../src/transport/tls-gate.ts'
import { makeTestCertificate } from '../helpers/test-certificate.ts'
import { until } from '../helpers/until.ts'

// DNS over HTTPS (RFC 8484) as clients of HTTP/2 and HTTP/1.1 find it.

const credentials = makeTestCertificate()

/** A response of no records. */
const message = Buffer.from('000080000000000000000000', 'hex')
const encoded = message.toString('base64url')
const dnsMessage = { 'content-type': 'application/dns-message' }

const echo: Answer = (request, _transport, buffer) => {
  if (request.length < 12) return undefined
  buffer.set(request)
  return buffer.subarray(0, request.length)
}

/** Long enough that no test reaches it by accident. */
const patient = { handshakeMs: 60_000, idleMs: 60_000, writeMs: 60_000, lingerMs: 60_000 }

async function open(
  t: Test,
  { answer = echo, limits }: { answer?: Answer; limits?: Partial<TcpLimits> } = {},
) {
  const counts = newTlsCounts()
  const gate = new TlsGate(credentials, counts)
  const listener = await TcpListener.open({
    address: { host: '127.0.0.1', port: 0 },
    answer,
    report: error => t.error(error),
    limits: { ...patient, ...limits },
    gate,
    protocol: 'https',
  })
  t.teardown(() => listener.close())
  const url = `https://127.0.0.1:${listener.address.port}`
  return { listener, gate, url, counters: () => readTlsCounters(counts) }
}

function enter(t: Test, url: string): ClientHttp2Session {
  const session = connectHttp2(url, { ca: credentials.certificate })
  session.on('error', () => undefined)
  t.teardown(() => session.destroy())
  return session
}

/** Unlike `once`, it does not mind a reset. */
function closed(socket: EventEmitter): Promise<unknown> {
  return new Promise(resolve => socket.on('error', () => undefined).once('close', resolve))
}

type Response = {
  readonly status: number
  readonly headers: Readonly<Record<string, unknown>>
  readonly body: Buffer
}

async function ask(
  session: ClientHttp2Session,
  headers: OutgoingHttpHeaders,
  body?: Uint8Array,
): Promise<Response> {
  const stream = session.request({ ':path': '/dns-query', ...headers })
  stream.end(body)
  const [got] = (await once(stream, 'response')) as [Record<string, unknown>]
  const parts: Buffer[] = []
  for await (const part of stream) parts.push(part as Buffer)
  return { status: Number(got[':status']), headers: got, body: Buffer.concat(parts) }
}

/** The same by HTTP/1.1. */
async function askHttp1(
  url: string,
  { method, path, ...headers }: Record<string, string>,
  body?: Uint8Array,
  agent: Agent | false = false,
): Promise<Response> {
  const ca = credentials.certificate
  const request = requestHttp1(`${url}${path}`, { ca, method, headers, agent })
  request.end(body)
  const [response] = (await once(request, 'response')) as [IncomingMessage]
  const parts: Buffer[] = []
  for await (const part of response) parts.push(part as Buffer)
  return { status: response.statusCode ?? 0, headers: response.headers, body: Buffer.concat(parts) }
}

t.test('GET and POST are answered over HTTP/2 and HTTP/1.1', async t => {
  const { url, counters } = await open(t)
  const session = enter(t, url)
  const path = `/dns-query?dns=${encoded}`
  const responses = [
    await ask(session, { ':path': path }),
    await ask(session, { ':method': 'POST', ...dnsMessage }, message),
    await askHttp1(url, { method: 'GET', path }),
    await askHttp1(url, { method: 'POST', path: '/dns-query', ...dnsMessage }, message),
  ]
  for (const { status, headers, body } of responses) {
    t.equal(status, 200)
    t.match(headers, { ...dnsMessage, 'content-length': '12', 'cache-control': 'max-age=0' })
    t.same(body, message)
  }
  t.match(counters(), { handshakeCount: 3, responseCount: 4 })
})

t.test('over HTTP/1.1, one connection serves several requests', async t => {
  const { url, counters } = await open(t)
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })
  t.teardown(() => agent.destroy())
  const get = { method: 'GET', path: `/dns-query?dns=${encoded}` }
  const post = { method: 'POST', path: '/dns-query', ...dnsMessage }
  const rows: readonly (readonly [Record<string, string>, Uint8Array?])[] = [
    [get],
    [post, message],
    [{ ...get, path: '/' }],
    [{ ...get, method: 'HEAD' }],
    [get],
  ]
  for (const [head, body] of rows) await askHttp1(url, head, body, agent)
  t.match(counters(), { handshakeCount: 1 })
})

t.test('what cannot be answered has the status of HTTP for it', async t => {
  const { url } = await open(t)
  const session = enter(t, url)
  const large = Buffer.alloc(65_536)
  const rows: readonly (readonly [number, Record<string, string>, Uint8Array?])[] = [
    [404, { path: `/?dns=${encoded}`, method: 'GET' }],
    [400, { path: '/dns-query', method: 'GET' }],
    [400, { path: '/dns-query?dns=', method: 'GET' }],
    [400, { path: `/dns-query?dns=${encoded}%3D`, method: 'GET' }],
    [400, { path: `/dns-query?dns=${encoded}&dns=${encoded}`, method: 'GET' }],
    [400, { path: '/dns-query?dns=AAAA', method: 'GET' }],
    [400, { path: '/dns-query', method: 'POST', ...dnsMessage }, Buffer.alloc(3)],
    [405, { path: '/dns-query', method: 'PUT', ...dnsMessage }, message],
    [405, { path: `/dns-query?dns=${encoded}`, method: 'HEAD' }],
    [413, { path: '/dns-query', method: 'POST', ...dnsMessage }, large],
    [415, { path: '/dns-query', method: 'POST', 'content-type': 'text/plain' }, message],
    [415, { path: '/dns-query', method: 'POST' }, message],
    [200, { path: '/dns-query', method: 'POST', ...dnsMessage }, message],
  ]
  for (const [status, { path, method, ...headers }, body] of rows) {
    const what = `${method} ${path} ${headers['content-type']}`
    const two = await ask(session, { ':path': path, ':method': method, ...headers }, body)
    t.equal(two.status, status, what)
    if (status === 405) t.equal(two.headers.allow, 'GET, POST')
    const one = await askHttp1(url, { path, method, ...headers } as Record<string, string>, body)
    t.equal(one.status, status, `${what}, HTTP/1.1`)
  }
})

t.test('content without an announced length is cut off where it is too long', async t => {
  const { url } = await open(t)
  const stream = enter(t, url).request({ ':path': '/dns-query', ':method': 'POST', ...dnsMessage })
  stream.on('error', () => undefined)
  stream.write(Buffer.alloc(65_535))
  stream.write(Buffer.alloc(1))
  const [headers] = (await once(stream, 'response')) as [Record<string, unknown>]
  t.equal(headers[':status'], 413)
  stream.resume()
  await once(stream, 'close')
})

/** Sends the head of a POST over HTTP/1.1 and waits for its refusal. */
async function announce(t: Test, url: string, octets: number): Promise<TLSSocket> {
  const ca = credentials.certificate
  const socket = connect({ host: '127.0.0.1', port: Number(new URL(url).port), ca })
  const lines = ['POST /dns-query HTTP/1.1', 'host: x', `content-length: ${octets}`]
  socket.write([...lines, `content-type: ${dnsMessage['content-type']}`, '', ''].join('\r\n'))
  const [part] = (await once(socket, 'data')) as [Buffer]
  t.match(part.toString(), /^HTTP\/1\.1 413 .*connection: close/is)
  return socket
}

t.test('over HTTP/1.1, a client that sends on has the response', async t => {
  const { url } = await open(t)
  const parts = Array.from({ length: 50 }, () => Buffer.alloc(16_384))
  const socket = await announce(t, url, parts.length * 16_384)
  const isClosed = once(socket.resume(), 'close')
  for (const part of parts) {
    const { promise, resolve } = Promise.withResolvers<unknown>()
    socket.write(part, resolve)
    t.notOk(await promise)
  }
  const [hadError] = await isClosed
  t.equal(hadError, false)
})

t.test('over HTTP/1.1, a client that sends without end is cut off', async t => {
  const { url } = await open(t)
  const socket = await announce(t, url, 10 ** 12)
  const isClosed = closed(socket.resume())
  const pour = (error?: Error | null) => error ?? socket.write(Buffer.alloc(65_536), pour)
  pour()
  await isClosed
})

t.test('a zone is not sent', async t => {
  const request = Buffer.from('0000000000010000000000000000fc0001', 'hex')
  const answer: Answer = octets => ({
    octets: Uint8Array.from(octets),
    apex: parseName('.'),
    serial: undefined,
    signer: undefined,
    hasEdns: false,
  })
  const { url } = await open(t, { answer })
  const path = `/dns-query?dns=${request.toString('base64url')}`
  const { status, body } = await ask(enter(t, url), { ':path': path })
  t.equal(status, 200)
  t.equal(body.readUInt16BE(2), 0x8005)
})

t.test('who says nothing is let go, before TLS and after', async t => {
  const { listener: early } = await open(t, { limits: { handshakeMs: 20 } })
  const silent = connectPlainly(early.address)
  t.teardown(() => silent.destroy())
  await closed(silent.resume())
  await until(() => early.connectionCount === 0)
  const { listener } = await open(t, { limits: { idleMs: 20, lingerMs: 20 } })
  for (const protocol of ['h2', 'http/1.1']) {
    const idle = connect({
      ...listener.address,
      rejectUnauthorized: false,
      ALPNProtocols: [protocol],
    })
    t.teardown(() => idle.destroy())
    await closed(idle.resume())
    t.equal(idle.alpnProtocol, protocol)
  }
  await until(() => listener.connectionCount === 0)
})

t.test('who leaves a request unfinished is let go', async t => {
  const { url, listener } = await open(t, { limits: { writeMs: 20 } })
  const session = enter(t, url)
  const stream = session.request({ ':path': '/dns-query', ':method': 'POST', ...dnsMessage })
  stream.on('error', () => undefined)
  stream.write(message)
  await closed(session)
  await until(() => listener.connectionCount === 0)
  // On a busy machine a request may be unfinished for that long before all of it has come.
  const status = await until(async () => {
    const other = enter(t, url)
    const asked = ask(other, { ':path': `/dns-query?dns=${encoded}` }).then(({ status }) => status)
    return Promise.race([asked.catch(() => undefined), closed(other).then(() => undefined)])
  })
  t.equal(status, 200)
})

t.test('what is held for one client is bounded: who leaves more behind is let go', async t => {
  const { url, listener } = await open(t)
  const session = enter(t, url)
  const other = enter(t, url)
  t.equal((await ask(other, { ':path': `/dns-query?dns=${encoded}` })).status, 200)
  for (let i = 0; i < 20; i += 1) {
    const stream = session.request({ ':path': '/dns-query', ':method': 'POST', ...dnsMessage })
    stream.on('error', () => undefined)
    stream.write(Buffer.alloc(65_000))
  }
  await closed(session)
  await until(() => listener.connectionCount === 1)
  t.equal((await ask(other, { ':path': `/dns-query?dns=${encoded}` })).status, 200)
})

t.test('a client has so many connections, the idle ones make room', async t => {
  const { url, listener } = await open(t, { limits: { maxConnectionsPerClient: 1 } })
  const first = enter(t, url)
  await ask(first, { ':path': `/dns-query?dns=${encoded}` })
  const gone = closed(first)
  t.equal((await ask(enter(t, url), { ':path': `/dns-query?dns=${encoded}` })).status, 200)
  await gone
  t.equal(listener.connectionCount, 1)
})

t.test('a connection of HTTP/2 has up to 100 requests under way', async t => {
  const { url } = await open(t)
  const [settings] = (await once(enter(t, url), 'remoteSettings')) as [Settings]
  t.equal(settings.maxConcurrentStreams, 100)
})

t.test('closing answers what has arrived and takes no more', async t => {
  const { url, listener } = await open(t)
  const session = enter(t, url)
  const stream = session.request({ ':path': '/dns-query', ':method': 'POST', ...dnsMessage })
  stream.write(message)
  await ask(session, { ':path': `/dns-query?dns=${encoded}` })
  const finished = listener.close()
  const answered = once(stream, 'response') as Promise<[Record<string, unknown>]>
  await once(session, 'goaway')
  stream.end()
  t.equal((await answered)[0][':status'], 200)
  stream.resume()
  await finished
})
