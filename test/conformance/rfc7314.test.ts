import t from 'tap'
import { ednsOptions, types } from '../../src/dns/codes.ts'
import { decodeMessage } from '../../src/dns/message.ts'
import { parseName } from '../../src/dns/name.ts'
import { parseRdata } from '../../src/dns/rdata/index.ts'
import { RecordTransfer } from '../../src/nameserver/record-transfer.ts'
import { openResponder } from '../../src/nameserver/responder.ts'
import { TransferWriter, ZoneTransfer } from '../../src/nameserver/zone-transfer.ts'
import { soaOctets } from '../../src/zone/difference.ts'
import { queryFor } from '../helpers/ask.ts'
import { serverHost, unixSeconds } from '../helpers/asked-server.ts'
import { openTable, tableZoneFromText } from '../helpers/zone-table.ts'

// EDNS EXPIRE (RFC 7314): for how long a zone is good, for who takes it on from here.

function open(expiresAtSeconds?: number) {
  const table = openTable()
  const target = table.addTarget()
  const zone = tableZoneFromText(
    table,
    'example. 60 SOA ns host 1 7200 900 1209600 300\nwww 60 A 192.0.2.1',
  )
  if (expiresAtSeconds !== undefined) zone.expiresAtSeconds = expiresAtSeconds
  target.publish(zone)
  const responder = openResponder(table.readers.open(target).handle)
  responder.host = serverHost()
  const room = new Uint8Array(1232)
  return (question: string, octets = new Uint8Array(), isAsked = true) => {
    const options = isAsked ? [{ code: ednsOptions.expire, octets }] : []
    const request = queryFor(question, { edns: { options } })
    responder.enter()
    responder.take(0, request, request.length, 'udp')
    const length = responder.respond(0, room)
    responder.leave()
    const found = decodeMessage(room.slice(0, length)).edns?.options ?? []
    return found.map(({ code, octets }) => `${code} ${Buffer.from(octets).toString('hex')}`).join()
  }
}

const ofSoa = `9 ${(1_209_600).toString(16).padStart(8, '0')}`

t.test('3.2 a primary says what its SOA says, to those that ask for the SOA', async t => {
  const ask = open()
  t.equal(ask('example. SOA'), ofSoa)
  t.equal(ask('EXAMPLE. SOA', new Uint8Array(4)), ofSoa, 'whatever is in the question')
  t.equal(ask('example. SOA', undefined, false), '')
  for (const question of ['example. NS', 'www.example. SOA', 'www.example. A', 'other. SOA'])
    t.notMatch(ask(question), /^9 /, question)
})

t.test('3.3.2 a secondary says what is left', async t => {
  t.equal(open(unixSeconds + 258)('example. SOA'), '9 00000102')
  t.equal(open(unixSeconds - 1)('example. SOA'), '9 00000000')
})

t.test('3.2 so do transfers, in their first message', async t => {
  const table = openTable()
  const target = table.addTarget()
  const zone = tableZoneFromText(table, 'example. 60 SOA ns host 1 7200 900 1209600 300')
  target.publish(zone)
  const version = table.openVersion(zone, target)
  while (version.step(100));
  const frozen = version.finish()
  const options = [{ code: ednsOptions.expire, octets: new Uint8Array() }]
  const room = new Uint8Array(0xffff)
  const asked = queryFor('example. AXFR', { edns: { options } })
  const records = soaOctets({
    owner: parseName('example.'),
    type: types.SOA,
    ttlSeconds: 60,
    rdatas: [parseRdata(types.SOA, 'ns. host. 1 2 3 4 5')],
  })
  const writer = new TransferWriter(frozen.memory)
  const common = { signer: undefined, expireSeconds: 258 }
  for (const [request, wanted] of [
    [asked, '9 00000102'],
    [queryFor('example. AXFR', { edns: {} }), ''],
    [queryFor('example. AXFR'), ''],
  ] as const) {
    for (const transfer of [
      new ZoneTransfer({ ...common, writer, request, zone: frozen }),
      new RecordTransfer({ ...common, request, records }),
    ]) {
      const { edns } = decodeMessage(room.slice(0, transfer.next(room, unixSeconds)))
      const found = (edns?.options ?? []).map(
        ({ code, octets }) => `${code} ${Buffer.from(octets).toString('hex')}`,
      )
      t.equal(found.join(), wanted)
    }
  }
})
