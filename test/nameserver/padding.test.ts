import t from 'tap'
import { padMessage } from '../../src/dns/padding.ts'
import { TsigSigner } from '../../src/dns/tsig-signer.ts'
import { TsigAnswers } from '../../src/dns/tsig-verifier.ts'
import { KeyRingWriter } from '../../src/nameserver/key-ring.ts'
import { RecordTransfer } from '../../src/nameserver/record-transfer.ts'
import { openResponder } from '../../src/nameserver/responder.ts'
import type { HandedUpdate } from '../../src/nameserver/responder-host.ts'
import { TransferWriter, ZoneTransfer } from '../../src/nameserver/zone-transfer.ts'
import { hmac } from '../../src/transport/hmac.ts'
import { updateResponse } from '../../src/zone/update.ts'
import { queryFor, replyFrom } from '../helpers/ask.ts'
import { signedRequest, someKey, unixSeconds } from '../helpers/tsig-client.ts'
import { updateMessage } from '../helpers/update-message.ts'
import { openTable, tableZoneFromText } from '../helpers/zone-table.ts'

const padding = (octets: number) => ({ code: 12, octets: new Uint8Array(octets) })
const padded = { edns: { options: [padding(0)] } }

const zoneText = `
  example. 3600 SOA ns hostmaster 1 7200 900 1209600 300
  @        3600 NS  ns
  www      3600 A   192.0.2.1
  text     3600 TXT "${'x'.repeat(250)}" "${'y'.repeat(200)}"
`

/** Asks a responder whose clients are alone with it, or not. */
function open(isEncrypted: boolean) {
  const table = openTable()
  const target = table.addTarget()
  const zone = tableZoneFromText(table, zoneText)
  target.publish(zone)
  const keyRing = new KeyRingWriter()
  keyRing.write([someKey()])
  const updates: HandedUpdate[] = []
  const reader = table.readers.open(target)
  const responder = openResponder({ ...reader.handle, keyRing: keyRing.memory }, defect => {
    throw defect
  })
  responder.host = {
    isEncrypted,
    onNotified: () => true,
    onUpdate: (_, update) => updates.push(update) > 0,
    readClient: () => 0,
    nowSeconds: () => 0,
    unixSeconds: () => unixSeconds,
    hmac,
  }
  const room = new Uint8Array(0xffff).fill(0xaa)
  const answer = (request: Uint8Array) => {
    responder.enter()
    responder.take(0, request, request.length, 'tcp')
    const octets = responder.respond(0, room)
    responder.leave()
    return room.slice(0, octets)
  }
  return { answer, updates, table, target, zone }
}

t.test('responses to who pads have a multiple of 468 octets (RFC 8467 section 4.1)', async t => {
  const { answer } = open(true)
  const rows: readonly (readonly [question: string, lengthOctets: number])[] = [
    ['www.example. A', 468],
    ['missing.example. A', 468],
    ['elsewhere.test. A', 468],
    ['text.example. TXT', 2 * 468],
  ]
  for (const [question, lengthOctets] of rows) {
    const octets = answer(queryFor(question, padded))
    t.equal(octets.length, lengthOctets, question)
    const reply = replyFrom(octets)
    const option = reply.edns?.options.at(-1)
    t.equal(option?.code, 12, question)
    t.ok(
      option?.octets.every(octet => octet === 0),
      question,
    )
    const plain = replyFrom(answer(queryFor(question, { edns: {} })))
    t.strictSame(
      [reply.rcode, reply.flags, reply.answer, reply.authority],
      [plain.rcode, plain.flags, plain.answer, plain.authority],
      question,
    )
  }
  const keepalive = { code: 11, octets: new Uint8Array() }
  const options = [padding(0), { code: 3, octets: new Uint8Array() }, keepalive]
  const reply = replyFrom(answer(queryFor('www.example. A', { edns: { options } })))
  t.equal(reply.edns?.options.at(-1)?.code, 12)
})

t.test('who does not pad, or can be listened to, is not padded for', async t => {
  const { answer } = open(true)
  const other = open(false)
  const cookie = { code: 10, octets: new Uint8Array(8) }
  for (const options of [{}, { edns: {} }, { edns: { options: [cookie] } }]) {
    const request = queryFor('www.example. A', options)
    t.strictSame(answer(request), other.answer(request))
  }
  const looksLikeIt = { code: 65_001, octets: Uint8Array.of(0, 12, 0, 0) }
  t.ok(answer(queryFor('www.example. A', { edns: { options: [looksLikeIt] } })).length < 100)
  t.ok(other.answer(queryFor('www.example. A', padded)).length < 100)
})

t.test(
  'a signed response comes to whole blocks with its TSIG, which covers the padding',
  async t => {
    const { answer } = open(true)
    const { request, signer } = signedRequest(queryFor('www.example. A', padded))
    const octets = answer(request)
    t.equal(octets.length, 468)
    const answers = new TsigAnswers(someKey(), hmac, signer.mac)
    answers.take(octets, unixSeconds)
    t.ok(answers.isVerified)
  },
)

t.test('an UPDATE is handed on with what its response needs', async t => {
  for (const isEncrypted of [true, false]) {
    const { answer, updates } = open(isEncrypted)
    const edns = { ...padded.edns }
    const query = queryFor('example. SOA', { edns })
    // An UPDATE without changes: the header and the zone section are those of a query.
    query[2] = 0x28
    answer(query)
    const [update] = updates
    if (update === undefined) throw new Error('it is handed on')
    t.equal(update.isPadded, isEncrypted)
    const plain = updateResponse(update, 0)
    t.equal(plain.length, isEncrypted ? 468 : 36)
    const tailOctets = new TsigSigner(someKey(), hmac).usualOctets
    t.equal(
      updateResponse(update, 0, tailOctets).length + (isEncrypted ? tailOctets : 0),
      plain.length,
    )
    t.equal(replyFrom(plain).rcode, 'NOERROR')
  }
  const bare = updateMessage({ zone: 'example.', changes: ['a.example. 60 A 192.0.2.1'] })
  const { answer, updates } = open(true)
  answer(bare)
  t.equal(updates[0]?.isPadded, false)
})

t.test('zones and differences are padded too', async t => {
  const { table, target, zone } = open(true)
  const version = table.openVersion(zone, target)
  while (version.step(100));
  const frozen = version.finish()
  const request = queryFor('example. AXFR', padded)
  const writer = new TransferWriter(frozen.memory)
  const room = new Uint8Array(0xffff)
  const { signer: client } = signedRequest(request)
  for (const signed of [false, true]) {
    const signer = () => (signed ? new TsigSigner(someKey(), hmac, client.mac) : undefined)
    const whole = new ZoneTransfer({
      writer,
      request,
      zone: frozen,
      signer: signer(),
      isEncrypted: true,
    })
    const octets = room.slice(0, whole.next(room, unixSeconds))
    t.equal(octets.length % 468, 0)
    t.equal(replyFrom(octets).answer.length, 5)
    const records = Buffer.from('076578616d706c650000010001000000010004c0000201', 'hex')
    const parts = { request, records, signer: signer(), isEncrypted: true }
    const part = room.slice(0, new RecordTransfer(parts).next(room, unixSeconds))
    t.equal(part.length, 468)
    t.strictSame(replyFrom(part).answer, ['example. 1 A 192.0.2.1'])
    for (const message of signed ? [octets, part] : []) {
      const answers = new TsigAnswers(someKey(), hmac, client.mac)
      answers.take(message, unixSeconds)
      t.ok(answers.isVerified)
    }
    const open = new RecordTransfer({ ...parts, isEncrypted: false })
    t.ok(open.next(room, unixSeconds) < 250)
  }
})

t.test('padding ends where a message must', async t => {
  const octets = new Uint8Array(0xffff)
  const place = { optAt: 12, tailOctets: 0 }
  t.equal(padMessage(octets, { ...place, end: 0xffff - 3 }), 0xffff - 3, 'no room')
  t.equal(padMessage(octets, { ...place, end: 0xffff - 4 }), 0xffff)
  t.strictSame([...octets.subarray(-6)], [0, 0, 0, 12, 0, 0])
  t.equal(padMessage(octets, { ...place, end: 464, tailOctets: 0 }), 468)
  t.equal(padMessage(octets, { ...place, end: 465, tailOctets: 0 }), 936)
  t.equal(padMessage(octets, { ...place, end: 0xffff - 110, tailOctets: 106 }), 0xffff - 106)
})
