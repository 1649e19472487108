import t from 'tap'
import { TsigSigner } from '../../src/dns/tsig-signer.ts'
import { TsigAnswers } from '../../src/dns/tsig-verifier.ts'
import { datagramResponse } from '../../src/transport/datagram-transfer.ts'
import { hmac } from '../../src/transport/hmac.ts'
import { ZoneDifference } from '../../src/zone/difference.ts'
import { queryFor, replyFrom } from '../helpers/ask.ts'
import { signedRequest, someKey, unixSeconds } from '../helpers/tsig-client.ts'
import { rrsetsFromText } from '../helpers/zone.ts'

type SoaNames = { readonly server: string; readonly mailbox: string }
const usualNames = { server: 'ns.example.', mailbox: 'host.example.' }
const soa = (serial: number, { server, mailbox }: SoaNames = usualNames) =>
  `example. 300 SOA ${server} ${mailbox} ${serial} 7200 900 1209600 300`

/** From serial 1 to 2, with so many names that are new. */
function difference(nameCount: number, soaNames?: SoaNames): Uint8Array {
  const rrset = (text: string) => rrsetsFromText(`example. 1 HINFO an apex\n${text}`)[1]
  const names = Array.from({ length: nameCount }, (_, i) => `n${i} 60 TXT "${'x'.repeat(20)}"`)
  const change = new ZoneDifference()
  change.add([{ before: rrset(soa(1, soaNames)), after: rrset(soa(2, soaNames)) }])
  for (const name of names) change.add([{ before: undefined, after: rrset(name) }])
  return change.answer()?.octets ?? new Uint8Array()
}

type Asking = { readonly request?: Uint8Array; readonly newSigner?: () => TsigSigner | undefined }

function ask(records: Uint8Array, { request, newSigner = () => undefined }: Asking = {}) {
  const asked = request ?? queryFor('example. IXFR', { edns: { payloadOctets: 4096 } })
  const response = datagramResponse({ request: asked, records, newSigner }, unixSeconds)
  return { ...replyFrom(response), response }
}

t.test('a difference that fits is whole (RFC 1995 2)', async t => {
  const { answer, flags, response } = ask(difference(20))
  t.equal(answer.length, 24)
  t.equal(flags, 'aa')
  t.ok(response.length <= 1232)
})

t.test('one that does not is the SOA of the version that is served', async t => {
  const counts = Array.from({ length: 40 }, (_, i) => ask(difference(i)).answer.length)
  const most = counts.indexOf(1)
  t.same(ask(difference(most)).answer, [soa(2)])
  t.equal(ask(difference(most - 1)).answer.length, most + 3, 'up to the last that fits')
  t.ok(counts.slice(most).every(count => count === 1))
})

t.test('a client without EDNS takes 512 octets', async t => {
  const request = queryFor('example. IXFR')
  t.ok(ask(difference(6), { request }).response.length <= 512)
  t.equal(ask(difference(6), { request }).answer.length, 10)
  t.same(ask(difference(20), { request }).answer, [soa(2)])
})

t.test('where not even the SOA fits there is TC', async t => {
  const long = (last: string) => `${['b', 'c', 'd', last].map(l => l.repeat(60)).join('.')}.`
  const records = difference(1, { server: long('s'), mailbox: long('m') })
  t.match(ask(records), { flags: 'aa', answer: { length: 5 } })
  t.match(ask(records, { request: queryFor('example. IXFR') }), { flags: 'tc', answer: [] })
})

t.test('it is signed, with room for that', async t => {
  const request = queryFor('example. IXFR', { edns: { payloadOctets: 1232 } })
  const { request: signed, signer } = signedRequest(request)
  const newSigner = () => new TsigSigner(someKey(), hmac, signer.mac)
  for (let count = 0; count < 40; count += 1) {
    const { response } = ask(difference(count), { request: signed, newSigner })
    t.ok(response.length <= 1232)
    new TsigAnswers(someKey(), hmac, signer.mac).take(response, unixSeconds)
  }
})
