import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import t from 'tap'
import { classes, opcodes, rcodes, types } from '../../../src/dns/codes.ts'
import { flags, opcodeFlags, opcodeOf } from '../../../src/dns/header.ts'
import { encodeMessage, type Message } from '../../../src/dns/message.ts'
import { parseName } from '../../../src/dns/name.ts'
import { parseRdata } from '../../../src/dns/rdata/index.ts'
import { signed, TsigSigner } from '../../../src/dns/tsig-signer.ts'
import { findTsig } from '../../../src/dns/tsig-verifier.ts'
import { unixSeconds } from '../../../src/transport/answer.ts'
import { hmac } from '../../../src/transport/hmac.ts'
import { ExternalTargetClient } from '../../../src/transport/outbound/external-target-client.ts'
import { anywhereForAll } from '../../helpers/reach.ts'
import { replyTo, serverSaying } from '../../helpers/saying-server.ts'
import { someKey } from '../../helpers/tsig-client.ts'
import { until } from '../../helpers/until.ts'

const zone = parseName('example.com.')
const never = new AbortController().signal
/** A last wait that no answer takes, however busy the machine is. */
const timeouts = { probeMs: 60_000, notifyMs: [50, 50, 60_000] }
const client = new ExternalTargetClient({
  randomId: () => 0x1234,
  timeouts,
  reaches: anywhereForAll,
})
/** For what must not be answered. */
const hasty = new ExternalTargetClient({
  reaches: anywhereForAll,
  randomId: () => 0x1234,
  timeouts: { probeMs: 50, notifyMs: [50] },
})

function soa(serial: number, owner = 'example.com.') {
  const rdata = parseRdata(types.SOA, `ns.example. host.example. ${serial} 1 2 3 4`)
  return { owner: parseName(owner), type: types.SOA, class: classes.in, ttlSeconds: 60, rdata }
}

t.test('a probe asks for the SOA and tells what the answer means', async t => {
  const rows: [rule: string, reply: (request: Message) => Uint8Array, expected: object][] = [
    ['its serial', r => replyTo(r, { answers: [soa(7)] }), { kind: 'serves', serial: 7 }],
    ['REFUSED', r => replyTo(r, { flags: rcodes.refused }), { kind: 'absent' }],
    ['NOTAUTH', r => replyTo(r, { flags: rcodes.notAuth }), { kind: 'absent' }],
    ['NXDOMAIN', r => replyTo(r, { flags: rcodes.nxDomain }), { kind: 'absent' }],
    [
      'REFUSED without the question',
      r => replyTo(r, { flags: rcodes.refused, questions: [] }),
      { kind: 'absent' },
    ],
    ['a copy from elsewhere', r => replyTo(r, { answers: [soa(7)], flags: 0 }), { kind: 'absent' }],
    ['nothing', r => replyTo(r), { kind: 'absent' }],
    [
      'the SOA of another zone',
      r => replyTo(r, { answers: [soa(7, 'example.org.')] }),
      { kind: 'absent' },
    ],
    [
      'SERVFAIL',
      r => replyTo(r, { flags: rcodes.servFail }),
      { kind: 'failed', reason: 'it answers SERVFAIL' },
    ],
  ]
  for (const [rule, reply, expected] of rows) {
    const { server, requests } = await serverSaying(t, request => [reply(request)])
    t.same(await client.probe(server, zone, never), expected, rule)
    const [request] = requests
    t.match(request?.questions, [{ name: zone, type: types.SOA, class: classes.in }])
    t.equal(request?.header.flags, 0, 'a plain query, without recursion')
  }
})

t.test('datagrams that do not answer the question are passed over', async t => {
  const { server } = await serverSaying(t, request => [
    Uint8Array.of(0x12),
    Uint8Array.of(0x12, 0x34, 0xff),
    replyTo(request, { id: 1, answers: [soa(1)] }),
    replyTo(request, { flags: opcodeFlags(opcodes.update), answers: [soa(2)] }),
    replyTo(request, {
      questions: [{ name: parseName('example.org.'), type: types.SOA, class: classes.in }],
      answers: [soa(3)],
    }),
    encodeMessage(request),
    replyTo(request, { answers: [soa(9)] }),
  ])
  t.same(await client.probe(server, zone, never), { kind: 'serves', serial: 9 })
})

t.test('a server that does not answer costs its time, and one that is not there none', async t => {
  const { server } = await serverSaying(t, () => [])
  t.same(await hasty.probe(server, zone, never), {
    kind: 'failed',
    reason: 'no answer within 0.05 s',
  })
  const closed = createSocket('udp4')
  closed.bind(0, '127.0.0.1')
  await once(closed, 'listening')
  const { port } = closed.address()
  closed.close()
  await once(closed, 'close')
  t.match(await client.probe({ host: '127.0.0.1', port }, zone, never), {
    kind: 'failed',
    reason: 'nothing listens there',
  })
  t.match(await client.probe({ host: 'no-such-host.invalid', port }, zone, never), {
    kind: 'failed',
  })
  const ended = AbortSignal.abort()
  t.match(await client.probe(server, zone, ended), { kind: 'failed' })
})

t.test('a NOTIFY is sent until it is acknowledged (RFC 1996 section 3.6)', async t => {
  const { server, requests } = await serverSaying(t, (request, attempt) =>
    attempt < 3 ? [] : [replyTo(request)],
  )
  const target = { ...server, namedBy: 'operator' as const }
  t.equal(await client.notify(target, zone, { signal: never }), undefined)
  t.equal(requests.length, 3)
  for (const { header, questions } of requests) {
    t.equal(opcodeOf(header.flags), opcodes.notify)
    t.ok(header.flags & flags.authoritative)
    t.match(questions, [{ name: zone, type: types.SOA }])
  }
})

t.test('any answer ends it, and silence ends it too', async t => {
  const { server, requests } = await serverSaying(t, request => [
    replyTo(request, { flags: rcodes.notImp }),
  ])
  const target = { ...server, namedBy: 'operator' as const }
  t.equal(await client.notify(target, zone, { signal: never }), 'it answers NOTIMP')
  t.equal(requests.length, 1)
  const silent = await serverSaying(t, () => [])
  t.equal(
    await hasty.notify({ ...silent.server, namedBy: 'operator' }, zone, { signal: never }),
    'no answer within 0.05 s',
  )
  await until(() => silent.requests.length > 0)
  t.equal(silent.requests.length, 1)
  t.equal(
    await client.notify({ ...silent.server, namedBy: 'project' }, zone, {
      signal: AbortSignal.abort(),
    }),
    'it was not sent',
  )
})

t.test('a server at a refused address is neither asked nor notified', async t => {
  // The waits of a client alone keep no process alive.
  const alive = setInterval(() => undefined, 1_000)
  t.teardown(() => clearInterval(alive))
  const refusal = { problemOf: () => 'a loopback address', resolve: async () => ['127.0.0.1'] }
  const refusing = new ExternalTargetClient({
    randomId: () => 0x1234,
    timeouts: { probeMs: 60_000, notifyMs: [1] },
    reaches: { operator: refusal, project: refusal },
  })
  const { signal } = new AbortController()
  const probed = await refusing.probe(
    { host: 'rebound.example', port: 53 },
    parseName('a.'),
    signal,
  )
  t.match(probed, { kind: 'failed', reason: /127.0.0.1 is a loopback address/ })
  for (const namedBy of ['operator', 'project'] as const) {
    const target = { host: '127.0.0.1', port: 53, namedBy }
    t.match(await refusing.notify(target, parseName('a.'), { signal }), /is a loopback address/)
  }
})

t.test('a NOTIFY is signed where a key is set, and so must its answer be', async t => {
  const key = someKey()
  const { server, requests } = await serverSaying(t, (request, attempt) => {
    if (attempt === 1) return [replyTo(request)]
    const octets = encodeMessage(request)
    const mac = findTsig(octets)?.tsig.mac
    const signer = new TsigSigner(key, hmac, mac)
    return [signed(replyTo({ ...request, additionals: [] }), signer, { nowSeconds: unixSeconds() })]
  })
  const target = { ...server, namedBy: 'operator' as const, key }
  const twice = new ExternalTargetClient({
    randomId: () => 0x1234,
    timeouts: { probeMs: 60_000, notifyMs: [50, 60_000] },
    reaches: anywhereForAll,
  })
  t.equal(await twice.notify(target, zone, { signal: never }), undefined)
  t.equal(requests.length, 2, 'an unsigned answer is none')
  const stranger = await serverSaying(t, request => [
    replyTo({ ...request, additionals: [] }, { flags: rcodes.notAuth }),
  ])
  t.equal(
    await hasty.notify({ ...target, ...stranger.server }, zone, { signal: never }),
    'it answers NOTAUTH, not signed with the key',
  )
})
