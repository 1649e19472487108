import DNS from 'dns2'
import t, { type Test } from 'tap'
import { rcodes } from '../../src/dns/codes.ts'
import { parseName } from '../../src/dns/name.ts'
import type { Answer, Respond } from '../../src/transport/answer.ts'
import { type TcpLimits, TcpListener } from '../../src/transport/tcp.ts'
import { newTlsCounts } from '../../src/transport/tls-counters.ts'
import { TlsGate } from '../../src/transport/tls-gate.ts'
import { Transfers } from '../../src/transport/transfers.ts'
import { queryFor, replyFrom } from '../helpers/ask.ts'
import { frame, TcpClient } from '../helpers/tcp-client.ts'
import { makeTestCertificate } from '../helpers/test-certificate.ts'
import { until } from '../helpers/until.ts'

const echo: Answer = (request, _transport, buffer) => {
  buffer.set(request)
  return buffer.subarray(0, request.length)
}

/** Long enough that no test reaches it by accident. */
const patient: Partial<TcpLimits> = {
  handshakeMs: 60_000,
  idleMs: 60_000,
  messageMs: 60_000,
  writeMs: 60_000,
  lingerMs: 60_000,
}

const credentials = makeTestCertificate()

type Setting = {
  readonly host?: string
  readonly answer?: Answer
  readonly limits?: Partial<TcpLimits>
  readonly reported?: unknown[]
  readonly gate?: TlsGate
  readonly transfers?: Transfers
}

type Listen = (t: Test, setting?: Setting) => Promise<TcpListener>
type Join = (t: Test, listener: TcpListener) => Promise<TcpClient>

/** A rule that holds in the clear and over TLS. */
function both(
  name: string,
  test: (t: Test, by: { readonly listen: Listen; readonly join: Join }) => Promise<void>,
): void {
  t.test(`tcp: ${name}`, t => test(t, { listen, join }))
  t.test(`tls: ${name}`, t => test(t, { listen: listenSecurely, join: joinSecurely }))
}

function listenSecurely(t: Test, setting: Setting = {}): Promise<TcpListener> {
  return listen(t, { ...setting, gate: new TlsGate(credentials, newTlsCounts()) })
}

async function joinSecurely(t: Test, listener: TcpListener): Promise<TcpClient> {
  const client = await TcpClient.connectSecurely(listener.address)
  t.teardown(() => client.socket.destroy())
  return client
}

async function listen(t: Test, setting: Setting = {}): Promise<TcpListener> {
  const { host = '127.0.0.1', answer = echo, limits, reported = [], gate, transfers } = setting
  const listener = await TcpListener.open({
    address: { host, port: 0 },
    answer,
    report: error => reported.push(error),
    limits: { ...patient, ...limits },
    gate,
    transfers,
  })
  t.teardown(() => listener.close())
  return listener
}

async function join(t: Test, listener: TcpListener): Promise<TcpClient> {
  const client = await TcpClient.connect(listener.address)
  t.teardown(() => client.socket.destroy())
  return client
}

for (const host of ['127.0.0.1', '::1']) {
  both(
    `queries to ${host} are answered one after the other on one connection`,
    async (t, { listen, join }) => {
      const client = await join(t, await listen(t, { host }))
      t.equal(await client.ask('one'), 'one')
      t.equal(await client.ask('two'), 'two')
    },
  )
}

t.test('a dns2 client gets its answer', async t => {
  const listener = await listen(t, {
    answer: request => {
      const response = DNS.Packet.createResponseFromRequest(DNS.Packet.parse(Buffer.from(request)))
      const [question] = response.questions
      response.answers.push(
        DNS.Packet.createResourceFromQuestion(question!, { ttl: 60, address: '192.0.2.7' }),
      )
      return response.toBuffer()
    },
  })
  const resolve = DNS.TCPClient({ dns: '127.0.0.1', port: listener.address.port })
  const response = await resolve('www.example.com')
  t.equal(response.answers[0]?.address, '192.0.2.7')
})

both('a message is answered whichever two segments it comes in', async (t, { listen, join }) => {
  const client = await join(t, await listen(t))
  const octets = frame('a query of some octets')
  const wrongCuts: number[] = []
  for (let cut = 1; cut < octets.length; cut += 1) {
    await client.write(octets.subarray(0, cut))
    await new Promise(setImmediate)
    await client.write(octets.subarray(cut))
    if ((await client.read())?.toString() !== 'a query of some octets') wrongCuts.push(cut)
  }
  t.strictSame(wrongCuts, [])
})

both('a thousand queries in one write are all answered, in order', async (t, { listen, join }) => {
  const client = await join(t, await listen(t))
  const texts = Array.from({ length: 1000 }, (_, i) => `query ${i}`)
  client.socket.write(Buffer.concat(texts.map(frame)))
  const answers: (string | undefined)[] = []
  while (answers.length < texts.length) answers.push((await client.read())?.toString())
  t.strictSame(answers, texts)
})

both('answers to queries that came together leave in one write', async (t, { listen, join }) => {
  const client = await join(t, await listen(t))
  const segments: number[] = []
  client.socket.on('data', octets => segments.push(octets.length))
  await client.write(Buffer.concat(Array.from({ length: 100 }, () => frame('0123456789'))))
  for (let i = 0; i < 100; i += 1) await client.read()
  t.strictSame(segments, [100 * 12])
})

both(
  'what came together is answered in batches that end, also where an answer fails',
  async (t, { listen, join }) => {
    const batches: (string | number)[] = []
    const reported: unknown[] = []
    const answer: Answer = (request, ...how) => {
      batches.push(request.length)
      if (request[0] === 0) throw new Error('broken')
      return echo(request, ...how)
    }
    const together = {
      begin: () => batches.push('begin'),
      end: () => batches.push('end'),
    }
    const listener = await listen(t, { answer: Object.assign(answer, { together }), reported })
    const client = await join(t, listener)
    await client.write(
      Buffer.concat([frame('1'), frame('22'), frame('\0'.repeat(3)), frame('4444')]),
    )
    t.equal((await client.read())?.toString(), '1')
    t.equal((await client.read())?.toString(), '22')
    t.equal(await client.read(), undefined)
    t.equal(reported.length, 1)
    t.equal(
      batches.filter(one => one === 'begin').length,
      batches.filter(one => one === 'end').length,
    )
    t.equal(batches.at(-1), 'end')
    t.strictSame(
      batches.filter(one => typeof one === 'number'),
      [1, 2, 3],
      'nothing behind the one that failed',
    )
  },
)

both('a longest message and its longest answer pass', async (t, { listen, join }) => {
  const client = await join(t, await listen(t))
  const octets = Buffer.alloc(0xffff, 'z')
  void client.write(frame(octets))
  t.ok((await client.read())?.equals(octets))
})

both('who does not read is not read from, and delays nobody', async (t, { listen, join }) => {
  const total = 2000
  let answeredCount = 0
  const listener = await listen(t, {
    answer: (request, _transport, buffer) => {
      if (request.length === 2) answeredCount += 1
      buffer.fill(0).set(request)
      return buffer.subarray(0, request.length === 2 ? 32_000 : request.length)
    },
  })
  const slow = await join(t, listener)
  slow.socket.pause()
  const queries = Array.from({ length: total }, (_, i) => frame(Uint8Array.of(i >> 8, i & 0xff)))
  await slow.write(Buffer.concat(queries))
  const quick = await join(t, listener)
  for (let i = 0; i < 20; i += 1) t.equal(await quick.ask('quick'), 'quick')
  t.ok(answeredCount < total, `${answeredCount} answers made for someone who reads none`)

  slow.socket.resume()
  const ids: number[] = []
  while (ids.length < total) ids.push((await slow.read())?.readUInt16BE(0) ?? -1)
  t.strictSame(
    ids,
    Array.from({ length: total }, (_, i) => i),
  )
})

both(
  'a client that closes its side still gets its answers, then the end',
  async (t, { listen, join }) => {
    const client = await join(t, await listen(t))
    client.socket.end(Buffer.concat([frame('one'), frame('two')]))
    t.equal((await client.read())?.toString(), 'one')
    t.equal((await client.read())?.toString(), 'two')
    t.equal(await client.read(), undefined)
    await client.closed
  },
)

both(
  'a client that closes its side gets all answers, of several turns',
  async (t, { listen, join }) => {
    const client = await join(t, await listen(t))
    const texts = Array.from({ length: 3000 }, (_, i) => `query ${i}`)
    client.socket.end(Buffer.concat(texts.map(frame)))
    const answers: string[] = []
    for (let next = await client.read(); next !== undefined; next = await client.read())
      answers.push(next.toString())
    t.strictSame(answers, texts)
  },
)

both('a client that closes its side still gets its zone', async (t, { listen, join }) => {
  const octets = queryFor('example. AXFR')
  const wanted = { octets, apex: parseName('example.'), hasEdns: false }
  const answer: Answer = () => ({ ...wanted, serial: undefined, signer: undefined })
  const refused = { kind: 'refused', rcode: rcodes.refused } as const
  const transfers = new Transfers(() => new Promise(done => setImmediate(done, refused)))
  const client = await join(t, await listen(t, { answer, transfers }))
  client.socket.end(frame(octets))
  t.match(replyFrom((await client.read()) ?? Buffer.alloc(0)), { rcode: 'REFUSED' })
  t.equal(await client.read(), undefined)
})

both(
  'of deferred answers sixteen are awaited; then the next requests have their turn',
  async (t, { listen, join }) => {
    const deferred: (() => void)[] = []
    const answer: Answer = (request, _transport, _buffer, _address, later) => {
      const respond = later?.()
      const octets = Buffer.from(request)
      deferred.push(() => respond?.(octets))
      return undefined
    }
    const client = await join(t, await listen(t, { answer }))
    const texts = Array.from({ length: 50 }, (_, i) => `update ${i}`)
    client.socket.end(Buffer.concat(texts.map(frame)))
    const answers: (string | undefined)[] = []
    while (answers.length < texts.length) {
      await until(() => deferred.length === Math.min(16, texts.length - answers.length))
      deferred.shift()?.()
      answers.push((await client.read())?.toString())
    }
    t.strictSame(answers, texts)
    t.equal(await client.read(), undefined)
  },
)

both(
  'a deferred request without a response ends its connection, after the responses to others',
  async (t, { listen, join }) => {
    const deferred: Respond[] = []
    const answer: Answer = (_request, _transport, _buffer, _address, later) => {
      if (later !== undefined) deferred.push(later())
      return undefined
    }
    const client = await join(t, await listen(t, { answer }))
    await client.write(Buffer.concat(['first', 'second'].map(frame)))
    await until(() => deferred.length === 2)
    deferred[0]?.(undefined)
    deferred[1]?.(Buffer.from('second'))
    t.equal((await client.read())?.toString(), 'second')
    t.equal(await client.read(), undefined)
  },
)

both('a client that closes in the midst of a message is let go', async (t, { listen, join }) => {
  const client = await join(t, await listen(t))
  client.socket.end(frame('half').subarray(0, 3))
  t.equal(await client.read(), undefined)
})

both('a reset takes nothing but its own connection', async (t, { listen, join }) => {
  const reported: unknown[] = []
  const listener = await listen(t, { reported })
  const [gone, stays] = [await join(t, listener), await join(t, listener)]
  await gone.ask('hello')
  gone.below.resetAndDestroy()
  await until(() => listener.connectionCount === 1)
  t.equal(await stays.ask('still here'), 'still here')
  t.strictSame(reported, [])
})

both('an idle connection is closed', async (t, { listen, join }) => {
  const listener = await listen(t, { limits: { idleMs: 100, lingerMs: 20 } })
  // On a busy machine a connection may be idle for that long before its first query is through.
  const askOnce = async () => {
    const client = await join(t, listener)
    return (await client.ask('hello').catch(() => undefined)) === 'hello' ? client : undefined
  }
  const client = await until(askOnce)
  t.equal(await client?.read(), undefined)
})

both('a client that keeps its side open after that is dropped', async (t, { listen, join }) => {
  const listener = await listen(t, { limits: { idleMs: 20, lingerMs: 20 } })
  const client = await join(t, listener)
  t.equal(await client.read(), undefined)
  await until(() => listener.connectionCount === 0)
})

both(
  'a message must be complete in time, however often an octet of it comes',
  async (t, { listen, join }) => {
    const client = await join(t, await listen(t, { limits: { messageMs: 50, lingerMs: 20 } }))
    await client.write(Uint8Array.of(0, 200))
    const trickle = setInterval(() => client.socket.write(Uint8Array.of(1)), 5)
    t.teardown(() => clearInterval(trickle))
    t.equal(await client.read(), undefined)
  },
)

both('who does not take the answers in time is dropped', async (t, { listen, join }) => {
  const listener = await listen(t, {
    limits: { writeMs: 50 },
    answer: (_request, _transport, buffer) => buffer.subarray(0, 60_000),
  })
  const client = await join(t, listener)
  client.socket.pause()
  client.socket.write(Buffer.concat(Array.from({ length: 1000 }, () => frame('more'))))
  await until(() => listener.connectionCount === 1)
  await until(() => listener.connectionCount === 0)
  t.pass('the connection is gone')
})

for (const [what, octets] of [
  ['a message without octets', frame('')],
  ['octets that are no message', frame('rubbish')],
] as const) {
  both(`${what} ends the connection, after what was asked before`, async (t, { listen, join }) => {
    const answer: Answer = (request, ...how) =>
      request.length < 12 ? undefined : echo(request, ...how)
    const client = await join(t, await listen(t, { answer }))
    await client.write(Buffer.concat([frame('a good query'), octets, frame('a late query')]))
    t.equal((await client.read())?.toString(), 'a good query')
    t.equal(await client.read(), undefined)
  })
}

both('an announced length that never comes holds no one else up', async (t, { listen, join }) => {
  const listener = await listen(t)
  const [liar, honest] = [await join(t, listener), await join(t, listener)]
  await liar.write(Uint8Array.of(0xff, 0xff, 1))
  t.equal(await honest.ask('hello'), 'hello')
})

both(
  'an answer function that throws is reported and ends that connection only',
  async (t, { listen, join }) => {
    const reported: unknown[] = []
    const broken = new Error('broken')
    const listener = await listen(t, {
      reported,
      answer: (request, ...how) => {
        if (request[0] === 0) throw broken
        return echo(request, ...how)
      },
    })
    const [unlucky, other] = [await join(t, listener), await join(t, listener)]
    await unlucky.write(frame('\0'))
    t.equal(await unlucky.read(), undefined)
    t.equal(await other.ask('hello'), 'hello')
    t.strictSame(reported, [broken])
  },
)

both('at the cap the connection idle longest makes room', async (t, { listen, join }) => {
  const listener = await listen(t, { limits: { maxConnections: 2 } })
  const [first, second] = [await join(t, listener), await join(t, listener)]
  await first.ask('one')
  await second.ask('two')
  const third = await join(t, listener)
  t.equal(await third.ask('three'), 'three')
  t.equal(await first.read(), undefined)
  t.equal(await second.ask('two again'), 'two again')
})

both('at the cap a newcomer is refused while all are busy', async (t, { listen, join }) => {
  const listener = await listen(t, { limits: { maxConnections: 1 } })
  const busy = await join(t, listener)
  await busy.ask('one')
  await busy.write(Uint8Array.of(0, 9))
  // The answer to a second client shows that the half message has been seen.
  const read = join(t, listener).then(newcomer => newcomer.read())
  t.equal(await read.catch(() => undefined), undefined)
  await busy.write(Buffer.from('123456789'))
  t.equal((await busy.read())?.toString(), '123456789')
})

both('closing sends the answers of queries that have arrived', async (t, { listen, join }) => {
  let closed: Promise<void> | undefined
  const listener = await listen(t, {
    answer: (request, ...how) => {
      closed ??= listener.close()
      return echo(request, ...how)
    },
  })
  const client = await join(t, listener)
  await client.write(Buffer.concat([frame('one'), frame('two')]))
  t.equal((await client.read())?.toString(), 'one')
  t.equal((await client.read())?.toString(), 'two')
  t.equal(await client.read(), undefined)
  client.socket.end()
  await closed
})

both('closing waits for a client that is slow to take its answers', async (t, { listen, join }) => {
  const total = 500
  let hasArrived = false
  const listener = await listen(t, {
    answer: (_request, _transport, buffer) => {
      hasArrived = true
      return buffer.subarray(0, 60_000)
    },
  })
  const client = await join(t, listener)
  client.socket.pause()
  await client.write(Buffer.concat(Array.from({ length: total }, () => frame('more'))))
  await until(() => hasArrived)
  const closed = listener.close()
  client.socket.resume()
  let count = 0
  while ((await client.read()) !== undefined) count += 1
  client.socket.end()
  await closed
  t.equal(count, total)
})

t.test('a port that is taken is refused with the system error', async t => {
  const first = await listen(t)
  await t.rejects(
    TcpListener.open({ address: first.address, answer: echo, report: () => undefined }),
    { code: 'EADDRINUSE' },
  )
})
