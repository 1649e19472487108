import t from 'tap'
import { openResponder } from '../../src/nameserver/responder.ts'
import { queryFor, replyFrom } from '../helpers/ask.ts'
import { serverHost, serverSettings } from '../helpers/asked-server.ts'
import { ListedZone } from '../helpers/oracle/listed-zone.ts'
import { processQuery } from '../helpers/oracle/process-query.ts'
import { rrsetsFromText, zoneSetOf } from '../helpers/zone.ts'
import { createZone, openTable } from '../helpers/zone-table.ts'

// Room and compression: at every size the octets are those of the oracle, which writes records one by one and rolls back.

const range = (count: number) => Array.from({ length: count }, (_, i) => i)
const label = 'x'.repeat(40)

const text = `
  example.  3600 SOA   Ns1 Host.Master 1 7200 900 1209600 300
  mx        60   MX    1 a.Mail
  ${range(30)
    .map(i => `mx 60 MX ${i} m${i}.${label}.mail\n m${i}.${label}.mail 60 A 192.0.2.${i}`)
    .join('\n')}
  ${range(12)
    .map(
      i =>
        `sub 60 NS n${i}.${label}.${i % 3 === 0 ? 'sub' : 'mail'}\n n${i}.${label}.sub 60 AAAA 2001:db8::${i}`,
    )
    .join('\n')}
  chain     60   CNAME a.old
  old       60   DNAME b.${label}.Older
  older     60   DNAME sub
  srv       60   SRV   0 0 1 Srv.mail
  srv       60   SRV   0 0 2 srv.MAIL
  srv.mail  60   A     192.0.2.99
  many      60   NS    n0.many
  ${range(1500)
    .map(i => `many 60 NS N${i}.s${i % 40}.many\n n${i}.s${i % 40}.many 60 A 192.0.2.1`)
    .join('\n')}
  point     60   MX    1 n1499.s19.many
  soa       60   RP    host.master txt.example.
`

function open() {
  const rrsets = [...rrsetsFromText(text)]
  const table = openTable()
  const target = table.addTarget()
  target.publish(createZone(table, rrsets))
  const zones = zoneSetOf(new ListedZone(rrsets))
  const handle = { ...table.readers.open(target).handle, ...serverSettings }
  const responder = openResponder(handle, defect => {
    throw defect
  })
  responder.host = serverHost()
  const buffer = new Uint8Array(0xffff)
  return (request: Uint8Array, transport: 'udp' | 'tcp') => {
    const room = new Uint8Array(transport === 'udp' ? 1232 : 0xffff)
    responder.enter()
    responder.take(0, request, request.length, transport)
    const found = room.subarray(0, responder.respond(0, room))
    responder.leave()
    const wanted = processQuery(request, { zones, transport, buffer })
    if (Buffer.compare(found, wanted ?? new Uint8Array()) !== 0) {
      throw new Error(
        `${Buffer.from(found).toString('hex')}\nexpected\n${Buffer.from(wanted ?? []).toString('hex')}`,
      )
    }
    return replyFrom(found)
  }
}

const questions = ['mx MX', 'www.sub A', 'chain A', 'srv SRV', 'x.old MX', 'none A', 'soa RP']

t.test(
  'any payload size: what fits is there, the last octet is used, and TC says what is missing',
  async t => {
    const ask = open()
    let truncatedCount = 0
    for (const question of questions) {
      const [name = '', type = ''] = question.split(' ')
      for (let payloadOctets = 512; payloadOctets <= 1240; payloadOctets += 1) {
        const request = queryFor(`${name}.example. ${type}`, { edns: { payloadOctets } })
        const reply = ask(request, 'udp')
        if (reply.flags.includes('tc')) truncatedCount += 1
      }
    }
    t.ok(truncatedCount > 100, `${truncatedCount} truncated`)
  },
)

t.test('over TCP: names beyond the reach of pointers, and thousands of them', async t => {
  const ask = open()
  for (const question of [...questions, 'x.many A', 'many MX', 'point MX']) {
    const [name = '', type = ''] = question.split(' ')
    ask(queryFor(`${name}.example. ${type}`), 'tcp')
  }
  const reply = ask(queryFor('x.n1.MANY.example. A'), 'tcp')
  t.equal(reply.authority.length, 1501)
  t.ok(reply.octets.length > 0x4000)
})
