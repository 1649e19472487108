import t from 'tap'
import { opcodes, tsigErrors } from '../../src/dns/codes.ts'
import { parseName } from '../../src/dns/name.ts'
import { type TsigSecret, tsigAlgorithmNames, u48Octets } from '../../src/dns/tsig-mac.ts'
import { findTsig, TsigAnswers } from '../../src/dns/tsig-verifier.ts'
import { KeyRingWriter } from '../../src/nameserver/key-ring.ts'
import { openResponder } from '../../src/nameserver/responder.ts'
import { createRateLimit } from '../../src/nameserver/response-rate-limit.ts'
import { hmac } from '../../src/transport/hmac.ts'
import { type AskOptions, queryFor, replyFrom } from '../helpers/ask.ts'
import { Dice } from '../helpers/dice.ts'
import { withTruncatedMac } from '../helpers/tsig.ts'
import { signedRequest, someKey, unixSeconds } from '../helpers/tsig-client.ts'
import { openTable, tableZoneFromText } from '../helpers/zone-table.ts'

const zoneText = `
  example. 3600 SOA   ns1 hostmaster 1 7200 900 1209600 300
  www      60   A     192.0.2.1
  many     60   TXT   ${Array.from({ length: 30 }, (_, i) => `"text number ${i}"`).join('\n  many 60 TXT ')}
`

function open(keys: readonly TsigSecret[] = [someKey()], perSecond = 0) {
  const table = openTable()
  const target = table.addTarget()
  target.publish(tableZoneFromText(table, zoneText))
  const ring = new KeyRingWriter()
  ring.write(keys)
  const limit = { perSecond, windowSeconds: 15, slip: 0, exempt: [] }
  const rateLimit = perSecond === 0 ? undefined : createRateLimit(limit, () => 5)
  const { handle } = table.readers.open(target)
  const responder = openResponder({ ...handle, keyRing: ring.memory, rateLimit }, defect => {
    throw defect
  })
  responder.host = {
    onNotified: () => true,
    readClient: (_, into) => into.set([192, 0, 2, 1]) ?? 4,
    nowSeconds: () => 1,
    unixSeconds: () => unixSeconds,
    hmac,
  }
  const room = new Uint8Array(0xffff)
  const send = (request: Uint8Array, transport: 'udp' | 'tcp' = 'udp') => {
    responder.enter()
    responder.take(0, request, request.length, transport)
    const octets = responder.respond(0, transport === 'udp' ? room.subarray(0, 1232) : room)
    responder.leave()
    return room.slice(0, octets)
  }
  /** Asks signed, and verifies the answer. */
  const ask = (question: string, options: AskOptions = {}, key = keys[0] ?? someKey()) => {
    const { request, signer } = signedRequest(queryFor(question, options), key)
    const octets = send(request, options.transport)
    new TsigAnswers(key, hmac, signer.mac).take(octets, unixSeconds)
    return replyFrom(octets)
  }
  return { ask, send, ring }
}

function errorOf(octets: Uint8Array) {
  const { tsig } = findTsig(octets) ?? {}
  const { rcode, answer } = replyFrom(octets)
  return { rcode, answer, error: tsig?.error, macOctets: tsig?.mac.length }
}

t.test(
  'each algorithm: answered, and the answer verifies, over UDP and TCP, with EDNS',
  async t => {
    for (const algorithm of Object.values(tsigAlgorithmNames)) {
      const { ask } = open([someKey({ algorithm })])
      for (const transport of ['udp', 'tcp'] as const) {
        const { rcode, answer, edns } = ask('www.example. A', { transport, edns: {} })
        t.strictSame([rcode, answer], ['NOERROR', ['www.example. 60 A 192.0.2.1']])
        t.ok(edns)
      }
    }
  },
)

t.test(
  'what is asked is answered as without: names of nobody, other classes, a NOTIFY',
  async t => {
    const { ask } = open()
    t.equal(ask('www.elsewhere.test. A').rcode, 'REFUSED')
    t.equal(ask('version.bind. TXT', { class: 3 }).rcode, 'REFUSED')
    t.equal(ask('no.example. A').rcode, 'NXDOMAIN')
    t.equal(ask('example. SOA', { opcode: opcodes.notify }).flags, 'aa')
  },
)

t.test('room is kept free for the TSIG: what no longer fits sets TC', async t => {
  const { ask } = open()
  const edns = { payloadOctets: 1232 }
  const { flags, octets } = ask('many.example. TXT', { edns: { payloadOctets: 512 } })
  t.equal(flags, 'aa tc')
  t.ok(octets.length <= 512)
  t.equal(ask('many.example. TXT', { edns }).flags, 'aa')
})

t.test('a response to who has a key is not limited', async t => {
  const { ask } = open([someKey()], 1)
  for (let i = 0; i < 10; i += 1) t.equal(ask('www.example. A').rcode, 'NOERROR')
})

t.test('BADKEY: another name, or another algorithm; unsigned', async t => {
  const { send } = open()
  const badKey = { rcode: 'NOTAUTH', answer: [], error: tsigErrors.badKey, macOctets: 0 }
  const others = [
    someKey({ name: parseName('other.example.') }),
    someKey({ algorithm: tsigAlgorithmNames['hmac-sha512'] }),
  ]
  for (const key of others) {
    t.strictSame(errorOf(send(signedRequest(queryFor('www.example. A'), key).request)), badKey)
  }
})

t.test('BADSIG: another secret, or a single other bit anywhere; unsigned', async t => {
  const { send } = open()
  const badSig = { rcode: 'NOTAUTH', answer: [], error: tsigErrors.badSig, macOctets: 0 }
  const key = someKey({ secret: Uint8Array.of(1, 2, 3) })
  t.strictSame(errorOf(send(signedRequest(queryFor('www.example. A'), key).request)), badSig)
  const { request } = signedRequest(queryFor('www.example. A'))
  const { tsig, tsigAt } = findTsig(request) ?? {}
  const macAt = request.length - 6 - (tsig?.mac.length ?? 0)
  // The name asked for, the time signed, and the MAC from end to end.
  const places = [13, macAt - 5, ...Array.from({ length: 32 }, (_, i) => macAt + i)]
  for (const at of places) {
    const changed = request.slice()
    changed[at] = (changed[at] as number) ^ 0x01
    t.strictSame(errorOf(send(changed)), badSig, `octet ${at} of ${tsigAt}`)
  }
  t.equal(errorOf(send(request)).rcode, 'NOERROR')
})

t.test('BADTIME: outside the fudge; signed, with the time of both', async t => {
  const { send } = open()
  const key = someKey()
  for (const [late, rcode] of [
    [300, 'NOERROR'],
    [-300, 'NOERROR'],
    [301, 'NOTAUTH'],
    [-301, 'NOTAUTH'],
  ] as const) {
    const nowSeconds = unixSeconds + late
    const { request, signer } = signedRequest(queryFor('www.example. A'), key, { nowSeconds })
    const octets = send(request)
    t.equal(errorOf(octets).rcode, rcode)
    if (rcode === 'NOERROR') continue
    const { tsig } = findTsig(octets) ?? {}
    t.equal(tsig?.error, tsigErrors.badTime)
    t.equal(tsig?.timeSigned, nowSeconds)
    t.strictSame(tsig?.otherData.slice(), u48Octets(unixSeconds))
    t.throws(() => new TsigAnswers(key, hmac, signer.mac).take(octets, nowSeconds), /BADTIME/)
  }
})

t.test(
  'a truncated MAC: as many octets as are enough, BADTRUNC signed, FORMERR below half',
  async t => {
    const key = someKey({ algorithm: tsigAlgorithmNames['hmac-sha1'] })
    const { send } = open([key])
    for (const [octetCount, rcode, error] of [
      [20, 'NOERROR', 0],
      [16, 'NOERROR', 0],
      [15, 'NOTAUTH', tsigErrors.badTrunc],
      [10, 'NOTAUTH', tsigErrors.badTrunc],
      [9, 'FORMERR', undefined],
      [0, 'FORMERR', undefined],
    ] as const) {
      const { request } = signedRequest(queryFor('www.example. A'), key)
      const found = errorOf(send(withTruncatedMac(request, octetCount)))
      t.strictSame([found.rcode, found.error], [rcode, error], `${octetCount} octets`)
      if (error !== undefined) t.equal(found.macOctets, 20)
    }
  },
)

t.test('keys that come, change and go are known, or not, at the next request', async t => {
  const { ring, ask, send } = open([])
  const errorWith = (key: TsigSecret) =>
    errorOf(send(signedRequest(queryFor('www.example. A'), key).request)).error
  const [one, other] = [someKey(), someKey({ secret: Uint8Array.of(7) })]
  t.equal(errorWith(one), tsigErrors.badKey)
  ring.write([one])
  t.equal(ask('www.example. A', {}, one).rcode, 'NOERROR')
  ring.write([other])
  t.equal(errorWith(one), tsigErrors.badSig)
  t.equal(ask('www.example. A', {}, other).rcode, 'NOERROR')
  ring.write([])
  t.equal(errorWith(other), tsigErrors.badKey)
})

t.test('damaged signed requests are never taken for good ones', async t => {
  const { send } = open()
  const dice = new Dice(8945)
  const { request } = signedRequest(queryFor('www.example. A'))
  const ttlAt = (findTsig(request)?.tsigAt ?? 0) + someKey().name.length + 4
  for (let i = 0; i < 20_000; i += 1) {
    const damaged = request.slice(0, dice.below(4) === 0 ? dice.below(request.length) : undefined)
    if (damaged.length === 0) continue
    const at = dice.below(damaged.length)
    // Another case of a letter is the same name.
    damaged[at] = (damaged[at] as number) ^ (1 + dice.below(31))
    const octets = send(damaged)
    // Not covered: the id, but for the one in the TSIG, and the TTL of that, which is always 0.
    const isCovered = at > 1 && (at < ttlAt || at >= ttlAt + 4)
    if (octets.length > 0 && isCovered && findTsig(octets)?.tsig.error === 0)
      t.fail(`octet ${at} of ${damaged.length}`)
  }
})
