import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import DNS from 'dns2'
import t, { type Test } from 'tap'
import type { Answer } from '../../src/transport/answer.ts'
import { UdpListener } from '../../src/transport/udp.ts'
import { until } from '../helpers/until.ts'

const echo: Answer = (request, _transport, buffer) => {
  buffer.set(request)
  return buffer.subarray(0, request.length)
}

/** Answers any question with 192.0.2.7 the way dns2 would, so that its client is content. */
const dns2Answer: Answer = request => {
  const response = DNS.Packet.createResponseFromRequest(DNS.Packet.parse(Buffer.from(request)))
  const [question] = response.questions
  response.answers.push(
    DNS.Packet.createResourceFromQuestion(question!, { ttl: 60, address: '192.0.2.7' }),
  )
  return response.toBuffer()
}

async function listen(
  t: Test,
  { host = '127.0.0.1', answer = echo, reported = [] as unknown[] } = {},
): Promise<UdpListener> {
  const report = (error: unknown) => reported.push(error)
  const listener = await UdpListener.open({ address: { host, port: 0 }, answer, report })
  t.teardown(() => listener.close())
  return listener
}

async function ask(listener: UdpListener, requests: readonly Buffer[]): Promise<string[]> {
  const { host, port } = listener.address
  const socket = createSocket(host.includes(':') ? 'udp6' : 'udp4')
  const responses: string[] = []
  try {
    for (const request of requests) {
      socket.send(request, port, host)
      const [response] = (await once(socket, 'message')) as [Buffer]
      responses.push(response.toString('hex'))
    }
  } finally {
    socket.close()
  }
  return responses
}

for (const host of ['127.0.0.1', '::1']) {
  t.test(`a datagram to ${host} is answered with what the answer function says`, async t => {
    const listener = await listen(t, { host })
    t.strictSame(await ask(listener, [Buffer.from('0102', 'hex')]), ['0102'])
  })

  t.test(`a dns2 client of ${host} gets its answer`, async t => {
    const listener = await listen(t, { host, answer: dns2Answer })
    const resolve = DNS.UDPClient({
      dns: host,
      port: listener.address.port,
      socketType: host === '::1' ? 'udp6' : 'udp4',
    })
    const response = await resolve('www.example.com')
    t.equal(response.answers[0]?.address, '192.0.2.7')
  })
}

t.test('the octets arrive raw, unparsed: also those that are no message', async t => {
  const seen: string[] = []
  const listener = await listen(t, {
    answer: (request, transport) => {
      seen.push(`${transport} ${Buffer.from(request).toString('hex')}`)
      return Uint8Array.of(1)
    },
  })
  await ask(listener, [Buffer.from('ff', 'hex'), Buffer.alloc(0), Buffer.alloc(12, 0xff)])
  t.strictSame(seen, ['udp ff', 'udp ', `udp ${'ff'.repeat(12)}`])
})

t.test('answers made in the same buffer do not spoil each other', async t => {
  const listener = await listen(t)
  const socket = createSocket('udp4')
  t.teardown(() => socket.close())
  const wanted = new Set(Array.from({ length: 50 }, (_, i) => `q${i}`))
  const done = new Promise<void>(resolve => {
    socket.on('message', message => {
      wanted.delete(message.toString())
      if (wanted.size === 0) resolve()
    })
  })
  for (const text of wanted) socket.send(text, listener.address.port, '127.0.0.1')
  await done
  t.equal(wanted.size, 0)
})

t.test('no answer means no datagram, and the next query is answered', async t => {
  const listener = await listen(t, {
    answer: (request, ...how) => (request[0] === 0 ? undefined : echo(request, ...how)),
  })
  const socket = createSocket('udp4')
  t.teardown(() => socket.close())
  for (const text of ['\0silent', 'loud']) socket.send(text, listener.address.port, '127.0.0.1')
  const [response] = (await once(socket, 'message')) as [Buffer]
  t.equal(response.toString(), 'loud')
})

t.test('an answer function that throws is reported and does not stop the listener', async t => {
  const reported: unknown[] = []
  const broken = new Error('broken')
  const listener = await listen(t, {
    reported,
    answer: (request, ...how) => {
      if (request[0] === 0) throw broken
      return echo(request, ...how)
    },
  })
  const socket = createSocket('udp4')
  t.teardown(() => socket.close())
  for (const text of ['\0', 'next']) socket.send(text, listener.address.port, '127.0.0.1')
  await once(socket, 'message')
  t.strictSame(reported, [broken])
})

t.test('a datagram the kernel refuses is counted, not reported', async t => {
  const reported: unknown[] = []
  // Longer than any datagram can be: EMSGSIZE.
  const listener = await listen(t, {
    reported,
    answer: (request, ...how) =>
      request[0] === 0 ? new Uint8Array(70_000) : echo(request, ...how),
  })
  const socket = createSocket('udp4')
  t.teardown(() => socket.close())
  for (const text of ['\0', 'next']) socket.send(text, listener.address.port, '127.0.0.1')
  await once(socket, 'message')
  await until(() => listener.counters.unsentCount > 0)
  t.strictSame(listener.counters, { receivedCount: 2, sentCount: 1, unsentCount: 1 })
  t.strictSame(reported, [])
})

t.test('IPv4 and IPv6 can have the same port', async t => {
  const open = async (host: string, port: number) => {
    const options = { address: { host, port }, answer: echo, report: () => undefined }
    const listener = await UdpListener.open(options)
    t.teardown(() => listener.close())
    return listener.address
  }
  // The port that one family has free may be somebody else's in the other.
  const ports = await until(async () => {
    const { port } = await open('::', 0)
    const other = await open('0.0.0.0', port).catch(error => {
      if (error.code !== 'EADDRINUSE') throw error
    })
    return other && [port, other.port]
  })
  t.equal(ports?.[0], ports?.[1])
})

t.test('a port that is taken is refused with the system error', async t => {
  const first = await listen(t)
  await t.rejects(
    UdpListener.open({ address: first.address, answer: echo, report: () => undefined }),
    { code: 'EADDRINUSE' },
  )
})

t.test('closing twice is closing once', async t => {
  const listener = await listen(t)
  await t.resolves(Promise.all([listener.close(), listener.close()]))
})
