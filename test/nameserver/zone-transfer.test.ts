import t from 'tap'
import { decodeMessage, encodeMessage } from '../../src/dns/message.ts'
import { parseName } from '../../src/dns/name.ts'
import { TsigSigner } from '../../src/dns/tsig-signer.ts'
import { TsigAnswers } from '../../src/dns/tsig-verifier.ts'
import { openResponder } from '../../src/nameserver/responder.ts'
import type { TransferRequest } from '../../src/nameserver/transfer.ts'
import { TransferWriter, ZoneTransfer } from '../../src/nameserver/zone-transfer.ts'
import { hmac } from '../../src/transport/hmac.ts'
import { queryFor, replyFrom } from '../helpers/ask.ts'
import { signedRequest, someKey, unixSeconds } from '../helpers/tsig-client.ts'
import { openTable, tableZoneFromText } from '../helpers/zone-table.ts'

const soa = 'example. 300 SOA ns.example. host.example. 7 7200 900 1209600 300'
const small = `
  example. 300 SOA ns host 7 7200 900 1209600 300
  @     300 NS  ns
  ns    300 A   192.0.2.1
  WWW   300 A   192.0.2.2
  *.sub 60  MX  10 mail.sub
  cut   60  NS  ns.cut
  ns.cut 60 A   192.0.2.9
`

type Sending = {
  readonly signer?: TsigSigner
  readonly room?: number
  readonly apex?: string
}

/** All messages of the response to AXFR. */
function send(zoneText: string, { signer, room = 0xffff, apex = 'Example.' }: Sending = {}) {
  const table = openTable()
  const target = table.addTarget()
  const zone = tableZoneFromText(table, zoneText)
  target.publish(zone)
  const version = table.openVersion(zone, target)
  while (version.step(100));
  const frozen = version.finish()
  const writer = new TransferWriter(frozen.memory)
  const request = queryFor(`${apex} AXFR`)
  const transfer = new ZoneTransfer({ writer, request, zone: frozen, signer })
  const messages: Uint8Array[] = []
  const octets = new Uint8Array(room)
  while (transfer.hasMore) messages.push(octets.slice(0, transfer.next(octets, unixSeconds)))
  return messages
}

function recordsOf(messages: readonly Uint8Array[]): readonly string[] {
  return messages.flatMap(message => replyFrom(message).answer)
}

t.test('the SOA, everything else, glue too, and the SOA (RFC 5936 2.2)', async t => {
  const messages = send(small)
  t.equal(messages.length, 1)
  const { flags, rcode, question } = replyFrom(messages[0] as Uint8Array)
  t.strictSame([flags, rcode, question], ['aa', 'NOERROR', 'example. AXFR'])
  const [first, ...others] = recordsOf(messages)
  t.strictSame([first, others.pop()], [soa, soa])
  t.strictSame(others.toSorted(), [
    '*.sub.example. 60 MX 10 mail.sub.example.',
    'WWW.example. 300 A 192.0.2.2',
    'cut.example. 60 NS ns.cut.example.',
    'example. 300 NS ns.example.',
    'ns.cut.example. 60 A 192.0.2.9',
    'ns.example. 300 A 192.0.2.1',
  ])
  t.ok((messages[0]?.length ?? 0) < 230, 'names are compressed')
})

t.test(
  'many messages of any size hold each record once; RRsets are split where they must be',
  async t => {
    const names = Array.from({ length: 3000 }, (_, i) => `n${i} 60 A 192.0.2.${i % 256}`)
    const texts = Array.from({ length: 250 }, (_, i) => `big 60 TXT "${'x'.repeat(240)}${i}"`)
    const text = [small, ...names, ...texts].join('\n')
    const whole = recordsOf(send(text)).toSorted()
    t.equal(whole.length, 3000 + 250 + 8)
    t.equal(new Set(whole).size, whole.length - 1)
    for (const room of [512, 4096, 20_000]) {
      const messages = send(text, { room })
      t.ok(messages.every(({ length }) => length <= room))
      t.strictSame(recordsOf(messages).toSorted(), whole, `${room} octets`)
    }
    t.throws(() => send(text, { room: 200 }), /fits into no message/)
  },
)

t.test('owners of any depth, the root above them too, are those of the zone', async t => {
  const below = ['a', 'b.a', 'C.b.a', 'd.C.b.a', 'x.y.z', '*.z', 'q.x.y.z']
  const more = Array.from({ length: 2000 }, (_, i) => `n${i}.m${i % 7}.${below[i % 7]}`)
  for (const apex of ['.', 'example.', 'a.long.zone.example.']) {
    const names = [...below, ...more]
    const records = names.map(name => `${name}.${apex === '.' ? '' : apex} 60 A 192.0.2.1`)
    const text = [`${apex} 300 SOA a. b. 7 7200 900 1209600 300`, ...records].join('\n')
    const [, ...others] = recordsOf(send(text, { room: 4096, apex }))
    others.pop()
    t.strictSame(others.toSorted(), records.toSorted())
  }
})

t.test('each message is signed, in a row (RFC 8945 5.3.1)', async t => {
  const { signer: client } = signedRequest(queryFor('Example. AXFR'))
  const signer = new TsigSigner(someKey(), hmac, client.mac)
  const answers = new TsigAnswers(someKey(), hmac, client.mac)
  const names = Array.from({ length: 500 }, (_, i) => `n${i} 60 A 192.0.2.1`)
  const messages = send([small, ...names].join('\n'), { signer, room: 1024 })
  t.ok(messages.length > 10)
  for (const message of messages) answers.take(message, unixSeconds)
  t.ok(answers.isVerified)
})

t.test('what is asked for is handed on, with the serial of IXFR', async t => {
  const table = openTable()
  const target = table.addTarget()
  const zone = tableZoneFromText(table, small)
  target.publish(zone)
  const responder = openResponder(table.readers.open(target).handle)
  const requests: TransferRequest[] = []
  let isTaken = true
  responder.host = {
    onNotified: () => true,
    onTransfer: request => isTaken && requests.push(request) > 0,
    readClient: () => 0,
    nowSeconds: () => 0,
    unixSeconds: () => 0,
  }
  const room = new Uint8Array(0xffff)
  const ask = (request: Uint8Array, transport: 'udp' | 'tcp') => {
    responder.enter()
    responder.take(0, request, request.length, transport)
    const octets = responder.respond(0, room)
    responder.leave()
    return octets === 0 ? undefined : replyFrom(room.slice(0, octets))
  }
  const ixfr = () => {
    const message = decodeMessage(queryFor('EXAMPLE. IXFR'))
    const rdata = Uint8Array.of(0, 0, 0, 0, 0, 5, ...new Uint8Array(16))
    const owner = parseName('example.')
    const authorities = [{ owner, type: 6, class: 1, ttlSeconds: 0, rdata }]
    return encodeMessage({ ...message, authorities })
  }
  t.equal(ask(queryFor('example. AXFR'), 'tcp'), undefined)
  t.equal(ask(ixfr(), 'tcp'), undefined)
  t.equal(ask(ixfr(), 'udp'), undefined)
  t.match(requests, [
    { apex: parseName('example.'), serial: undefined, signer: undefined },
    { apex: parseName('example.'), serial: 5 },
    { apex: parseName('example.'), serial: 5 },
  ])
  isTaken = false
  t.equal(ask(ixfr(), 'tcp')?.rcode, 'REFUSED')
  t.strictSame(ask(ixfr(), 'udp')?.answer, [
    'EXAMPLE. 300 SOA ns.EXAMPLE. host.EXAMPLE. 7 7200 900 1209600 300',
  ])
  t.equal(ask(queryFor('sub.example. AXFR'), 'tcp')?.rcode, 'NOTAUTH')
  zone.isExpired = true
  t.equal(ask(queryFor('example. AXFR'), 'tcp')?.rcode, 'SERVFAIL')
  t.equal(requests.length, 3)
})
