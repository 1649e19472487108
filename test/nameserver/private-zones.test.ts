import t from 'tap'
import { KeyRingWriter } from '../../src/nameserver/key-ring.ts'
import { openResponder } from '../../src/nameserver/responder.ts'
import { hmac } from '../../src/transport/hmac.ts'
import { queryFor, replyFrom } from '../helpers/ask.ts'
import { serverHost } from '../helpers/asked-server.ts'
import { signedRequest, someKey, unixSeconds } from '../helpers/tsig-client.ts'
import { openTable, tableZoneFromText } from '../helpers/zone-table.ts'

// Zones for secondaries, such as catalogs: what is in them is for those that have a key.

function open() {
  const table = openTable()
  const target = table.addTarget()
  const soa = '3600 SOA ns1 hostmaster 1 7200 900 1209600 300'
  const catalog = tableZoneFromText(table, `catalog.test. ${soa}\nversion 0 TXT 2`)
  catalog.isPrivate = true
  target.publish(catalog)
  target.publish(
    tableZoneFromText(table, `open.test. ${soa}\nalias 60 CNAME version.catalog.test.`),
  )
  const ring = new KeyRingWriter()
  ring.write([someKey()])
  const { handle } = table.readers.open(target)
  const responder = openResponder({ ...handle, keyRing: ring.memory })
  responder.host = { ...serverHost(), unixSeconds: () => unixSeconds, hmac }
  const room = new Uint8Array(0xffff)
  const send = (request: Uint8Array, transport: 'udp' | 'tcp' = 'udp') => {
    responder.enter()
    responder.take(0, request, request.length, transport)
    const octets = responder.respond(0, room)
    responder.leave()
    const { rcode, answer } = replyFrom(room.slice(0, octets))
    return `${rcode} ${answer.length}`
  }
  return {
    catalog,
    send,
    sendSigned: (text: string) => send(signedRequest(queryFor(text), someKey()).request),
  }
}

t.test('strangers get the serial, and nothing else', async t => {
  const { send } = open()
  t.equal(send(queryFor('catalog.test. SOA')), 'NOERROR 1')
  for (const question of ['version.catalog.test. TXT', 'catalog.test. NS', 'no.catalog.test. SOA'])
    t.equal(send(queryFor(question)), 'REFUSED 0', question)
  t.equal(send(queryFor('alias.open.test. TXT')), 'NOERROR 1', 'an alias is not followed there')
})

t.test('those with a key get what they ask for', async t => {
  const { sendSigned, catalog } = open()
  t.equal(sendSigned('version.catalog.test. TXT'), 'NOERROR 1')
  t.equal(sendSigned('no.catalog.test. TXT'), 'NXDOMAIN 0')
  catalog.isExpired = true
  t.equal(sendSigned('version.catalog.test. TXT'), 'SERVFAIL 0')
  catalog.isExpired = false
  t.equal(sendSigned('version.catalog.test. TXT'), 'NOERROR 1')
})
