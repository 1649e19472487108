import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import t, { type Test } from 'tap'
import { parseName } from '../../src/dns/name.ts'
import type { Answer } from '../../src/transport/answer.ts'
import { answerFrom } from '../../src/transport/answer.ts'
import { Listeners } from '../../src/transport/listeners.ts'
import {
  type NotifyEvent,
  NotifyThrottle,
  onEventLoop,
} from '../../src/transport/notify-throttle.ts'
import { notifying, openResponder } from '../helpers/echo-responder.ts'
import { TcpClient } from '../helpers/tcp-client.ts'
import { makeTestCertificate } from '../helpers/test-certificate.ts'
import { connectTo, listenInThreads, unbatched } from '../helpers/threaded-listeners.ts'

const [one, other] = [parseName('one.example.'), parseName('other.example.')]

function bench() {
  const told: string[] = []
  const delays: number[] = []
  let nowMs = 5_000
  const throttle = new NotifyThrottle({
    tell: ({ zone, address }) => told.push(`${zone} ${address}`),
    later: (_settle, delayMs) => delays.push(delayMs),
    nowMs: () => nowMs,
  })
  return {
    throttle,
    told,
    delays,
    pass: (ms: number) => {
      nowMs += ms
      throttle.settle()
    },
  }
}

t.test('a NOTIFY is reported at once; the same again at the end of its second, once', async t => {
  const { throttle, told, delays, pass } = bench()
  t.ok(throttle.take(one, '192.0.2.1'))
  t.strictSame(told, ['one.example. 192.0.2.1'])
  pass(400)
  for (let i = 0; i < 10; i += 1) t.ok(throttle.take(one, '192.0.2.1'))
  t.equal(told.length, 1)
  t.strictSame(delays, [601])
  pass(599)
  t.equal(told.length, 1)
  pass(1)
  t.equal(told.length, 2)
  pass(1000)
  pass(1000)
  t.equal(told.length, 2, 'what did not come again is not told again')
  t.ok(throttle.take(one, '192.0.2.1'))
  t.equal(told.length, 3)
})

t.test('another zone and another address are other events', async t => {
  const { throttle, told } = bench()
  for (const address of ['192.0.2.1', '192.0.2.2']) {
    for (const apex of [one, other]) throttle.take(apex, address)
  }
  t.strictSame(told, [
    'one.example. 192.0.2.1',
    'other.example. 192.0.2.1',
    'one.example. 192.0.2.2',
    'other.example. 192.0.2.2',
  ])
})

t.test('a flood is told of in bounds, and what is too much is not taken', async t => {
  const { throttle, told, pass } = bench()
  const flood = () => {
    let takenCount = 0
    for (let i = 0; i < 20_000; i += 1) {
      if (throttle.take(one, `2001:db8::${(i % 5000).toString(16)}`)) takenCount += 1
    }
    return takenCount
  }
  // Each of the first 500 comes four times.
  t.equal(flood(), 2000)
  t.equal(told.length, 500)
  t.ok(throttle.take(other, '192.0.2.1'), 'another zone has its share')
  t.equal(told.length, 501)
  pass(1000)
  t.equal(told.length, 1001, 'those that came again')
  flood()
  t.equal(told.length, 1001)
  for (let i = 0; i < 3; i += 1) pass(1000)
  t.equal(told.length, 1501)
  t.ok(throttle.take(one, '192.0.2.1'), 'when it is over there is room')
})

t.test('on an event loop what waits is reported without being asked for', async t => {
  const { promise, resolve } = Promise.withResolvers<void>()
  let toldCount = 0
  let nowMs = 0
  const throttle = new NotifyThrottle({
    tell: () => {
      toldCount += 1
      if (toldCount === 2) resolve()
    },
    later: settle => {
      nowMs += 1001
      onEventLoop(settle, 1)
    },
    nowMs: () => nowMs,
  })
  throttle.take(one, '192.0.2.1')
  throttle.take(one, '192.0.2.1')
  const awake = setInterval(() => undefined, 1000)
  await promise
  clearInterval(awake)
  t.equal(toldCount, 2)
})

/** Collects throttle until there are so many. */
function collector() {
  const told: NotifyEvent[] = []
  let wake: () => void = () => undefined
  return {
    onNotify: (notice: NotifyEvent) => {
      told.push(notice)
      wake()
    },
    async untilTold(count: number): Promise<readonly NotifyEvent[]> {
      while (told.length < count) await new Promise<void>(resolve => (wake = resolve))
      return told
    },
  }
}

function byZone(a: NotifyEvent, b: NotifyEvent): number {
  return a.zone.localeCompare(b.zone)
}

/** Notifies over UDP, TCP and TLS of each address, and checks what is told of it. */
async function notifyBy(
  t: Test,
  listeners: Listeners,
  untilTold: (count: number) => Promise<readonly NotifyEvent[]>,
) {
  const wanted: NotifyEvent[] = []
  for (const { host, port } of listeners.addresses) {
    const client = await connectTo(t, { host, port })
    const text = `${notifying}udp.${host === '::1' ? 6 : 4}.example.`
    t.equal(await client.ask(text), text)
    wanted.push({ zone: text.slice(notifying.length), address: host })
  }
  for (const [kind, addresses] of [
    ['tcp', listeners.addresses],
    ['tls', listeners.tlsAddresses],
  ] as const) {
    for (const address of addresses) {
      const client = await (kind === 'tcp'
        ? TcpClient.connect(address)
        : TcpClient.connectSecurely(address))
      const text = `${notifying}${kind}.${address.host === '::1' ? 6 : 4}.example.`
      t.equal(await client.ask(text), text)
      wanted.push({ zone: text.slice(notifying.length), address: address.host })
      client.socket.destroy()
      await once(client.socket, 'close')
    }
  }
  const told = await untilTold(wanted.length)
  t.strictSame([...told].sort(byZone), wanted.sort(byZone))
}

const hosts = ['127.0.0.1', '::1']
const tls = {
  addresses: hosts.map(host => ({ host, port: 0 })),
  credentials: makeTestCertificate(),
}

t.test('threads tell who has notified, over UDP, TCP and TLS', { skip: unbatched }, async t => {
  const { onNotify, untilTold } = collector()
  await notifyBy(t, await listenInThreads(t, { hosts, onNotify, tls }), untilTold)
})

t.test('so do listeners on the event loop', async t => {
  const { onNotify, untilTold } = collector()
  const listeners = await Listeners.open({
    addresses: hosts.map(host => ({ host, port: 0 })),
    answer: answerFrom(openResponder(''), onNotify),
    report: error => t.error(error),
    tls,
  })
  t.teardown(() => listeners.close())
  await notifyBy(t, listeners, untilTold)
})

t.test('in a batch each event has the address of its own sender', { skip: unbatched }, async t => {
  const { onNotify, untilTold } = collector()
  const listeners = await listenInThreads(t, { hosts: ['0.0.0.0'], onNotify })
  const port = listeners.addresses[0]?.port ?? 0
  const wanted = Array.from({ length: 40 }, (_, i) => ({
    zone: `z${i}.example.`,
    address: `127.0.1.${i + 1}`,
  }))
  for (const { zone, address } of wanted) {
    const socket = createSocket('udp4').bind(0, address)
    t.teardown(() => socket.close())
    await once(socket, 'listening')
    // Others take the places of those that get no answer.
    for (const text of ['silent', `${notifying}${zone}`]) socket.send(text, port, '127.0.0.1')
  }
  const told = await untilTold(wanted.length)
  t.strictSame([...told].sort(byZone), wanted.sort(byZone))
})

t.test(
  'a thread tells what came again, with nothing more to wake it',
  { skip: unbatched },
  async t => {
    const { onNotify, untilTold } = collector()
    const listeners = await listenInThreads(t, { hosts, onNotify })
    const client = await connectTo(t, listeners.addresses[0])
    for (let i = 0; i < 3; i += 1) await client.ask(`${notifying}example.`)
    const notice = { zone: 'example.', address: '127.0.0.1' }
    t.strictSame(await untilTold(2), [notice, notice])
  },
)

t.test('a flood over UDP reaches the main thread in bounds', { skip: unbatched }, async t => {
  let toldCount = 0
  const listeners = await listenInThreads(t, { onNotify: () => (toldCount += 1) })
  const client = await connectTo(t, listeners.addresses[0])
  const sent = Array.from({ length: 20 }, (_, i) => `${notifying}z${i}.example.`)
  const startMs = performance.now()
  for (let round = 0; round < 100; round += 1) {
    for (const text of sent) void client.send(text)
    t.equal((await client.receive(sent.length)).length, sent.length)
  }
  await listeners.close()
  const seconds = Math.ceil((performance.now() - startMs) / 1000)
  t.ok(toldCount >= sent.length)
  t.ok(toldCount <= sent.length * (seconds + 1), `${toldCount} in ${seconds} s`)
})

t.test('an answer knows its client', async t => {
  const seen: string[] = []
  const answer: Answer = (request, transport, _buffer, address) => {
    seen.push(`${transport} ${address}`)
    return request
  }
  const listeners = await Listeners.open({
    addresses: hosts.map(host => ({ host, port: 0 })),
    answer,
    report: error => t.error(error),
  })
  t.teardown(() => listeners.close())
  for (const address of listeners.addresses) {
    await (await connectTo(t, address)).ask('?')
    const client = await TcpClient.connect(address)
    await client.ask('?')
    client.socket.destroy()
  }
  t.strictSame(seen, ['udp 127.0.0.1', 'tcp 127.0.0.1', 'udp ::1', 'tcp ::1'])
})
