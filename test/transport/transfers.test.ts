import t from 'tap'
import { rcodes } from '../../src/dns/codes.ts'
import { flags } from '../../src/dns/header.ts'
import { parseName } from '../../src/dns/name.ts'
import { TsigSigner } from '../../src/dns/tsig-signer.ts'
import { TsigAnswers } from '../../src/dns/tsig-verifier.ts'
import { hmac } from '../../src/transport/hmac.ts'
import {
  responseWithoutRecords,
  Transfers,
  type TransferWanted,
} from '../../src/transport/transfers.ts'
import { type AskOptions, queryFor, replyFrom } from '../helpers/ask.ts'
import { signedRequest, someKey } from '../helpers/tsig-client.ts'

const apex = parseName('example.')

t.test('clients have their turns around, however many transfers each has', async t => {
  const transfers = new Transfers(async () => ({ kind: 'refused', rcode: rcodes.refused }))
  const order: string[] = []
  const send = async (client: string) => {
    for (let i = 0; i < 3; i += 1) {
      await transfers.turn(client)
      order.push(client)
    }
  }
  await Promise.all([...Array.from({ length: 100 }, () => send('many')), send('one')])
  t.equal(order.length, 303)
  t.strictSame(order.slice(0, 6), ['many', 'one', 'many', 'one', 'many', 'one'])
})

t.test('a refusal, signed where the request was', async t => {
  const wanted: TransferWanted[] = []
  const transfers = new Transfers(async request => {
    wanted.push(request)
    return { kind: 'refused', rcode: rcodes.refused }
  })
  const nowSeconds = Math.floor(Date.now() / 1000)
  const { request, signer: client } = signedRequest(queryFor('example. AXFR'), someKey(), {
    nowSeconds,
  })
  const signer = new TsigSigner(someKey(), hmac, client.mac)
  const wantedZone = { apex, octets: request, serial: 5, signer, hasEdns: false }
  const transfer = await transfers.open(wantedZone, { address: '192.0.2.1' })
  const message = transfer.next()?.subarray(2) ?? Buffer.alloc(0)
  t.match(replyFrom(message), { rcode: 'REFUSED', question: 'example. AXFR', answer: [] })
  new TsigAnswers(someKey(), hmac, client.mac).take(message, nowSeconds)
  t.equal(transfer.next(), undefined)
  transfer.end()
  t.strictSame(wanted, [{ zone: 'example.', serial: 5, keyId: 'a-key', address: '192.0.2.1' }])
})

t.test('a refusal has OPT and RD where the request has (RFC 6891 6.1.1, RFC 1035 4.1.1)', t => {
  const ask = (options: AskOptions) => {
    const octets = queryFor('example. AXFR', options)
    return replyFrom(responseWithoutRecords({ octets, signer: undefined }, rcodes.refused))
  }
  const edns = { payloadOctets: 1232, extendedRcode: 0, version: 0, isDnssecOk: true, options: [] }
  const asked = {
    payloadOctets: 4096,
    isDnssecOk: true,
    options: [{ code: 3, octets: Buffer.of() }],
  }
  t.strictSame(ask({ edns: asked }).edns, edns)
  t.strictSame(ask({ edns: {} }).edns, { ...edns, isDnssecOk: false })
  t.equal(ask({}).edns, undefined)
  t.equal(ask({ flags: flags.recursionDesired | flags.checkingDisabled }).flags, 'rd')
  t.end()
})
