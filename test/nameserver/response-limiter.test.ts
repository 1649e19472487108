import t from 'tap'
import { openResponder } from '../../src/nameserver/responder.ts'
import { createRateLimit } from '../../src/nameserver/response-rate-limit.ts'
import { Counters, readerCounts, zoneCounts } from '../../src/zone/table/counters.ts'
import { type AskOptions, queryFor, replyFrom } from '../helpers/ask.ts'
import { Dice } from '../helpers/dice.ts'
import { openTable, tableZoneFromText } from '../helpers/zone-table.ts'

const perSecond = 3

const zoneText = `
  example. 3600 SOA   ns1 hostmaster 1 7200 900 1209600 300
  www      60   A     192.0.2.1
  www      60   AAAA  2001:db8::1
  other    60   A     192.0.2.2
  *.wild   60   A     192.0.2.3
  old      60   DNAME new
  sub      60   NS    ns.elsewhere.test.
  two      60   NS    ns.elsewhere.test.
`

/** A server whose clients are all in one network, in one second. */
function open() {
  const table = openTable()
  const target = table.addTarget()
  const zone = tableZoneFromText(table, zoneText)
  target.publish(zone)
  const dice = new Dice(4)
  const settings = { perSecond, windowSeconds: 15, slip: 2, exempt: [] }
  const rateLimit = createRateLimit(settings, () => dice.below(2 ** 32))
  const { handle } = table.readers.open(target)
  const cookieSecrets = [Buffer.alloc(16, 'secret')]
  const responder = openResponder({ ...handle, rateLimit, cookieSecrets })
  const host = {
    onNotified: () => true,
    readClient: (i: number, into: Uint8Array) => {
      into.set([192, 0, 2, i])
      return 4
    },
    nowSeconds: () => 7,
    unixSeconds: () => 7,
  }
  responder.host = host
  const room = new Uint8Array(0xffff)
  const ask = (question: string, options: AskOptions = {}): Uint8Array | undefined => {
    const request = queryFor(question, options)
    responder.enter()
    responder.take(0, request, request.length, options.transport ?? 'udp')
    const octets = responder.respond(0, room)
    responder.leave()
    return octets === 0 ? undefined : room.slice(0, octets)
  }
  const flood = (question: string, options?: AskOptions) => {
    for (let i = 0; i < 2 * perSecond; i += 1) ask(question, options)
  }
  const isHeldBack = (question: string) => {
    const responses = [ask(question), ask(question)]
    return responses.some(response => response === undefined)
  }
  return { ask, flood, isHeldBack, zone, counters: new Counters(handle.counters), host }
}

t.test('what can be varied without end is one answer', async t => {
  const rows: readonly (readonly [string, string])[] = [
    ['www.example. A', 'WWW.example. AAAA'],
    ['a.wild.example. A', 'x.y.wild.example. A'],
    ['a.example. A', 'b.c.example. TXT'],
    ['www.example. TXT', 'www.example. MX'],
    ['a.old.example. A', 'b.old.example. A'],
    ['a.sub.example. A', 'b.c.sub.example. A'],
    ['www.elsewhere.test. A', 'else.test. MX'],
    ['www.example. ANY', 'www.example. A'],
  ]
  for (const [flooded, same] of rows) {
    const { flood, isHeldBack } = open()
    flood(flooded)
    t.ok(isHeldBack(same), `${same} after ${flooded}`)
  }
})

t.test('what is not the same is answered', async t => {
  const { ask, flood } = open()
  for (const question of ['www.example. A', 'www.elsewhere.test. A', 'no.example. A'])
    flood(question)
  const others = ['other.example. A', 'a.wild.example. A', 'www.example. TXT', 'x.sub.example. A']
  for (const question of [...others, 'x.two.example. A', 'example. SOA', 'example. NS']) {
    t.ok(ask(question), question)
  }
})

t.test('a truncated response has header, question and OPT; a refusal is as it was', async t => {
  const { ask, flood } = open()
  flood('www.example. A')
  const responses = [ask('www.example. A', { edns: {} }), ask('www.example. A', { edns: {} })]
  const [slipped] = responses.filter(response => response !== undefined)
  const reply = replyFrom(slipped ?? new Uint8Array())
  t.equal(reply.flags, 'aa tc')
  t.equal(reply.question, 'www.example. A')
  t.same([...reply.answer, ...reply.authority, ...reply.additional], [])
  t.ok(reply.edns)
  flood('missing.example. A')
  const negative = [ask('missing.example. A'), ask('missing.example. A')].find(each => each)
  t.match(replyFrom(negative ?? new Uint8Array()), {
    rcode: 'NXDOMAIN',
    flags: 'aa tc',
    edns: undefined,
  })
  flood('www.elsewhere.test. A')
  const refusals = [ask('www.elsewhere.test. A'), ask('www.elsewhere.test. A')]
  const refusal = refusals.find(each => each)
  t.match(replyFrom(refusal ?? new Uint8Array()), { rcode: 'REFUSED', flags: '' })
})

t.test('over TCP nothing is limited, and nobody is asked who the client is', async t => {
  const { ask, host } = open()
  host.readClient = () => {
    t.fail('asked')
    return 0
  }
  for (let i = 0; i < 100; i += 1) {
    t.match(replyFrom(ask('www.example. A', { transport: 'tcp' }) ?? new Uint8Array()).answer, [
      /192/,
    ])
  }
})

t.test(
  'what was dropped is counted, and not metered; what was cut short, with what was sent',
  async t => {
    const { ask, zone, counters } = open()
    const sent = Array.from({ length: 9 }, () => ask('www.example. A')?.length ?? 0)
    t.same(
      sent.map(octets => octets > 0),
      [true, true, true, false, true, false, true, false, true],
    )
    const octets = sent.reduce((sum, each) => sum + each)
    t.equal(counters.get(readerCounts.dropped), 3)
    t.equal(counters.get(readerCounts.unanswered), 3)
    t.equal(counters.get(readerCounts.truncated), 3)
    t.equal(counters.get(readerCounts.octets), octets)
    t.equal(counters.getOfZone(zone.number, zoneCounts.noError), 6)
    t.equal(counters.getOfZone(zone.number, zoneCounts.octets), octets)
  },
)

t.test(
  'a cookie of ours is never limited; with another one BADCOOKIE takes the place of TC',
  async t => {
    const { ask, flood } = open()
    const withCookie = (octets: Uint8Array) => ({ edns: { options: [{ code: 10, octets }] } })
    const cookieOf = (octets: Uint8Array | undefined) =>
      replyFrom(octets ?? new Uint8Array()).edns?.options[0]?.octets ?? new Uint8Array()
    const own = cookieOf(ask('www.example. A', withCookie(new Uint8Array(8))))
    flood('www.example. A')
    for (let i = 0; i < 10; i += 1) {
      t.equal(
        replyFrom(ask('www.example. A', withCookie(own)) ?? new Uint8Array()).answer.length,
        1,
      )
    }
    for (const octets of [own.slice(0, 8), own.with(16, (own[16] ?? 0) ^ 1)]) {
      const responses = [0, 1].map(() => ask('www.example. A', withCookie(octets)))
      const [slipped, ...others] = responses.filter(response => response !== undefined)
      t.same(others, [])
      t.match(replyFrom(slipped ?? new Uint8Array()), { rcode: 'BADCOOKIE', flags: '', answer: [] })
      t.same(cookieOf(slipped), own)
    }
  },
)
