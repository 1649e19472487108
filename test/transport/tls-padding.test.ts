import t from 'tap'
import { types } from '../../src/dns/codes.ts'
import type { Answer } from '../../src/transport/answer.ts'
import { hasPadding, paddedAnswer } from '../../src/transport/tls-padding.ts'
import { queryFor, replyFrom } from '../helpers/ask.ts'
import { Dice } from '../helpers/dice.ts'
import { messageOf } from '../helpers/message-of.ts'
import { processQuery } from '../helpers/oracle/process-query.ts'
import { zonesFromText } from '../helpers/zone.ts'

const padding = (octets: number) => ({ code: 12, octets: new Uint8Array(octets) })
const cookie = { code: 10, octets: new Uint8Array(8) }
const padded = { edns: { options: [padding(0)] } }

const zones = zonesFromText(`
  example. 3600 SOA ns hostmaster 1 7200 900 1209600 300
  @        3600 NS  ns
  www      3600 A   192.0.2.1
  text     3600 TXT "${'x'.repeat(250)}" "${'y'.repeat(200)}"
`)

const client = '192.0.2.99'

const nameserver: Answer = (request, transport, buffer) =>
  processQuery(request, { zones, transport, buffer })

function answerTo(request: Uint8Array, answer = nameserver): Uint8Array {
  const buffer = new Uint8Array(0xffff).fill(0xaa)
  return messageOf(paddedAnswer(answer)(request, 'tcp', buffer, client)) ?? new Uint8Array()
}

t.test('answers to who pads have a multiple of 468 octets (RFC 8467 section 4.1)', async t => {
  const rows: readonly (readonly [question: string, lengthOctets: number])[] = [
    ['www.example. A', 468],
    ['missing.example. A', 468],
    ['elsewhere.test. A', 468],
    ['text.example. TXT', 2 * 468],
  ]
  for (const [question, lengthOctets] of rows) {
    const octets = answerTo(queryFor(question, padded))
    t.equal(octets.length, lengthOctets, question)
    const reply = replyFrom(octets)
    const found = reply.edns?.options ?? []
    const option = found.at(-1)
    const others = found.filter(({ code }) => code !== 12 && code !== 15)
    t.equal(option?.code, 12, question)
    t.strictSame(others, [], question)
    t.ok(
      option?.octets.every(octet => octet === 0),
      question,
    )
    const plain = replyFrom(answerTo(queryFor(question, { edns: {} })))
    t.strictSame(
      [reply.rcode, reply.flags, reply.answer, reply.authority],
      [plain.rcode, plain.flags, plain.answer, plain.authority],
      question,
    )
  }
})

t.test('an answer with other options is padded behind them', async t => {
  const nsid = { code: 3, octets: new Uint8Array() }
  const options = [padding(0), cookie, nsid, { code: 11, octets: new Uint8Array() }]
  for (const question of ['elsewhere.test. A', 'text.example. TXT', 'example. NS']) {
    const reply = replyFrom(answerTo(queryFor(question, { edns: { options } })))
    t.equal(reply.octets.length % 468, 0, question)
    const codes = reply.edns?.options.map(({ code }) => code) ?? []
    t.strictSame(codes.slice(0, 3), [3, 10, 11], question)
    t.equal(codes.at(-1), 12, question)
  }
})

t.test('BADVERS is padded, too', async t => {
  const reply = replyFrom(
    answerTo(queryFor('www.example. A', { edns: { version: 1, options: [padding(9)] } })),
  )
  t.equal(reply.octets.length, 468)
  t.equal(reply.rcode, 'BADVERS')
})

t.test('who does not pad is not padded for', async t => {
  for (const options of [{}, { edns: {} }, { edns: { options: [cookie] } }]) {
    const request = queryFor('www.example. A', options)
    t.strictSame(answerTo(request), nameserver(request, 'tcp', new Uint8Array(0xffff), client))
  }
})

t.test('the option is found among others, whatever they hold', async t => {
  t.ok(hasPadding(queryFor('www.example. A', { edns: { options: [cookie, padding(3)] } })))
  t.ok(hasPadding(queryFor('. NS', padded)))
  const looksLikeIt = { code: 65_001, octets: Uint8Array.of(0, 12, 0, 0) }
  t.notOk(hasPadding(queryFor('www.example. A', { edns: { options: [looksLikeIt] } })))
})

t.test('an answer without OPT, or at its longest, stays as it is', async t => {
  const request = queryFor('www.example. A', padded)
  const bare = queryFor('www.example. A')
  t.strictSame(
    answerTo(request, () => bare),
    bare,
  )
  const longest = opt(0xffff - 3)
  t.equal(
    answerTo(request, () => longest),
    longest,
  )
})

t.test('padding ends where a message must', async t => {
  const request = queryFor('www.example. A', padded)
  const octets = answerTo(request, () => opt(0xffff - 4))
  t.equal(octets.length, 0xffff)
  t.strictSame([...octets.subarray(-6)], [0, 4, 0, 12, 0, 0])
})

t.test('no octets make it fail, or read behind their end', async t => {
  const dice = new Dice(1)
  const whole = queryFor('www.example. A', { edns: { options: [cookie, padding(3)] } })
  for (let end = 0; end < whole.length - 7; end += 1) t.notOk(hasPadding(whole.subarray(0, end)))
  for (let i = 0; i < 20_000; i += 1) {
    const octets = Uint8Array.from(whole)
    for (let n = dice.below(4); n >= 0; n -= 1) octets[dice.below(octets.length)] = dice.below(256)
    hasPadding(octets.subarray(0, dice.below(octets.length + 1)))
  }
})

/** A response of a long record and an OPT. */
function opt(lengthOctets: number): Uint8Array {
  const octets = Buffer.alloc(lengthOctets)
  octets[7] = 1
  octets[11] = 1
  octets.writeUInt16BE(lengthOctets - 12 - 11 - 11, 12 + 9)
  octets[lengthOctets - 9] = types.OPT
  return new Uint8Array(octets)
}
