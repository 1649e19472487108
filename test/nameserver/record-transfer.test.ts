import t from 'tap'
import { flags } from '../../src/dns/header.ts'
import { TsigSigner } from '../../src/dns/tsig-signer.ts'
import { TsigAnswers } from '../../src/dns/tsig-verifier.ts'
import { RecordTransfer } from '../../src/nameserver/record-transfer.ts'
import { hmac } from '../../src/transport/hmac.ts'
import { type RrsetChange, ZoneDifference } from '../../src/zone/difference.ts'
import { queryFor, replyFrom } from '../helpers/ask.ts'
import { signedRequest, someKey, unixSeconds } from '../helpers/tsig-client.ts'
import { rrsetsFromText } from '../helpers/zone.ts'

const soa = (serial: number) =>
  `example. 300 SOA ns.example. host.example. ${serial} 7200 900 1209600 300`

/** A change of one RRset as text; the first of either may be missing. */
function change(before: string, after: string): RrsetChange {
  const rrset = (text: string) =>
    text === '' ? undefined : rrsetsFromText(`example. 1 HINFO an apex\n${text}`)[1]
  return { before: rrset(before), after: rrset(after) }
}

function difference(...commits: readonly (readonly RrsetChange[])[]): Uint8Array {
  const made = new ZoneDifference()
  for (const commit of commits) made.add(commit)
  return made.answer()?.octets ?? new Uint8Array()
}

type Sending = {
  readonly signer?: TsigSigner
  readonly room?: number
  readonly request?: Uint8Array
}

function send(records: Uint8Array, { signer, room = 0xffff, ...rest }: Sending = {}) {
  const request = rest.request ?? queryFor('EXAMPLE. IXFR')
  const transfer = new RecordTransfer({ request, records, signer })
  const messages: Uint8Array[] = []
  const octets = new Uint8Array(room)
  while (transfer.hasMore) messages.push(octets.slice(0, transfer.next(octets, unixSeconds)))
  return messages
}

const recordsOf = (messages: readonly Uint8Array[]) =>
  messages.flatMap(message => replyFrom(message).answer)

t.test('what is gone, and what has come, between the SOAs (RFC 1995 4)', async t => {
  const changes = [
    change(soa(1), soa(2)),
    change('a 60 A 192.0.2.1\na 60 A 192.0.2.2', 'A 60 A 192.0.2.2\nA 60 A 192.0.2.3'),
    change('ttl 60 TXT same', 'ttl 61 TXT same'),
    change('', 'new 60 MX 10 mail'),
    change('old 60 NS ns', ''),
  ]
  const messages = send(difference(changes))
  t.equal(messages.length, 1)
  const { flags, rcode, question, answer } = replyFrom(messages[0] as Uint8Array)
  t.same([flags, rcode, question], ['aa', 'NOERROR', 'example. IXFR'])
  t.same(answer, [
    soa(2),
    soa(1),
    'a.example. 60 A 192.0.2.1',
    'ttl.example. 60 TXT "same"',
    'old.example. 60 NS ns.example.',
    soa(2),
    'a.example. 60 A 192.0.2.3',
    'ttl.example. 61 TXT "same"',
    'new.example. 60 MX 10 mail.example.',
    soa(2),
  ])
  t.ok((messages[0]?.length ?? 0) < 300, 'names are compressed')
})

t.test('changes that follow each other are one, and those undone are none', async t => {
  const answer = recordsOf(
    send(
      difference(
        [change(soa(1), soa(2)), change('a 60 A 192.0.2.1', ''), change('', 'b 60 A 192.0.2.9')],
        // The place of one that goes is taken by another in the same commit, in either order.
        [change(soa(2), soa(3)), change('', 'c 60 A 192.0.2.8'), change('b 60 A 192.0.2.9', '')],
        [change(soa(3), soa(4)), change('', 'c 60 A 192.0.2.7'), change('c 60 A 192.0.2.8', '')],
        [change(soa(4), soa(5)), change('', 'a 60 A 192.0.2.1')],
      ),
    ),
  )
  t.same(answer, [soa(5), soa(1), soa(5), 'c.example. 60 A 192.0.2.7', soa(5)])
})

t.test('RD is that of the request (RFC 1035 4.1.1)', t => {
  const request = queryFor('example. IXFR', { flags: flags.recursionDesired })
  const [message = new Uint8Array()] = send(difference([change(soa(1), soa(2))]), { request })
  t.equal(replyFrom(message).flags, 'aa rd')
  t.end()
})

t.test('signatures have the TTL of what they cover', async t => {
  const rrsig = 'RRSIG A 8 2 999 20300101000000 20200101000000 1 example. AAAA'
  const [, , , signature] = recordsOf(
    send(difference([change(soa(1), soa(2)), change('', `a 60 ${rrsig}`)])),
  )
  t.match(signature, /^a\.example\. 999 RRSIG/)
})

t.test('changes that do not lead from one SOA to another are no difference', async t => {
  t.equal(difference([change('', soa(2))]).length, 0)
  t.equal(difference([change('', 'a 60 A 192.0.2.1')]).length, 0)
})

t.test('many messages of any size, each signed in a row, with the OPT of the request', async t => {
  const names = Array.from({ length: 2000 }, (_, i) => change('', `n${i} 60 TXT ${'x'.repeat(50)}`))
  const long = change(
    '',
    `long 60 TXT ${Array(120)
      .fill(`"${'y'.repeat(250)}"`)
      .join(' ')}`,
  )
  const records = difference([change(soa(1), soa(2)), ...names, long])
  const whole = recordsOf(send(records))
  t.equal(whole.length, 2000 + 1 + 4)
  for (const room of [32_000, 65_535]) {
    const { request, signer: client } = signedRequest(queryFor('example. IXFR', { edns: {} }))
    const signer = new TsigSigner(someKey(), hmac, client.mac)
    const answers = new TsigAnswers(someKey(), hmac, client.mac)
    const messages = send(records, { request, signer, room })
    t.ok(messages.length > 5)
    t.ok(messages.every(message => message.length <= room && replyFrom(message).edns !== undefined))
    for (const message of messages) answers.take(message, unixSeconds)
    t.ok(answers.isVerified)
    t.same(recordsOf(messages), whole)
  }
  t.throws(() => send(records, { room: 20_000 }), /fits into no message/)
})
