import t from 'tap'
import { classes, opcodes } from '../../../src/dns/codes.ts'
import { flags } from '../../../src/dns/header.ts'
import { parseName } from '../../../src/dns/name.ts'
import { ask, exchange, queryFor, replyFrom } from '../ask.ts'
import { zonesFromText } from '../zone.ts'
import { processQuery } from './process-query.ts'

const zones = zonesFromText(`
  example.  3600 SOA ns1 hostmaster 1 7200 900 1209600 300
  @         3600 NS  ns1
  ns1       3600 A   192.0.2.53
`)

t.test('the response is a view of the buffer it was given', async t => {
  const buffer = new Uint8Array(0xffff)
  const response = processQuery(queryFor('ns1.example. A'), { zones, transport: 'udp', buffer })
  t.equal(response?.buffer, buffer.buffer)
  t.equal(response?.byteOffset, 0)
})

t.test('no response to a response, nor to less than a header', async t => {
  const context = { zones, transport: 'udp', buffer: new Uint8Array(0xffff) } as const
  t.equal(processQuery(queryFor('ns1.example. A', { flags: flags.response }), context), undefined)
  t.equal(processQuery(new Uint8Array(11), context), undefined)
})

t.test('broken form is FORMERR with what could be read', async t => {
  const trailing = Uint8Array.from([...queryFor('ns1.example. A', { edns: {} }), 1, 2, 3])
  const reply = exchange(zones, trailing)
  t.equal(reply.rcode, 'FORMERR')
  t.equal(reply.question, 'ns1.example. A')
  t.ok(reply.edns)
  const cut = exchange(zones, queryFor('ns1.example. A').slice(0, -1))
  t.equal(cut.rcode, 'FORMERR')
  t.equal(cut.question, '')
})

t.test('AXFR over UDP is FORMERR (RFC 5936 4.2), over TCP REFUSED', async t => {
  t.equal(ask(zones, 'example. AXFR').rcode, 'FORMERR')
  t.equal(ask(zones, 'example. AXFR', { transport: 'tcp' }).rcode, 'REFUSED')
})

t.test('IXFR without a SOA is FORMERR, of what is no apex NOTAUTH', async t => {
  for (const transport of ['udp', 'tcp'] as const) {
    t.equal(ask(zones, 'example. IXFR', { transport }).rcode, 'FORMERR')
    t.equal(ask(zones, 'www.example. IXFR', { transport }).rcode, 'NOTAUTH')
  }
  t.equal(ask(zones, 'www.example. AXFR', { transport: 'tcp' }).rcode, 'NOTAUTH')
})

t.test('obsolete opcodes, from whomever, are NOTIMP', async t => {
  for (const opcode of [opcodes.status, opcodes.inverseQuery]) {
    t.equal(ask(zones, 'example. SOA', { opcode }).rcode, 'NOTIMP')
  }
})

t.test('UPDATE of a zone of ours is REFUSED where nobody takes it (RFC 2136 3.1)', async t => {
  const { update: opcode } = opcodes
  t.equal(ask(zones, 'example. SOA', { opcode }).rcode, 'REFUSED')
  t.equal(ask(zones, 'www.example. SOA', { opcode }).rcode, 'NOTAUTH')
  t.equal(ask(zones, 'elsewhere. SOA', { opcode }).rcode, 'NOTAUTH')
  t.equal(ask(zones, 'example. SOA', { opcode, class: classes.chaos }).rcode, 'NOTAUTH')
  t.equal(ask(zones, 'example. A', { opcode }).rcode, 'FORMERR')
})

t.test('question types that are no data: message parts FORMERR, mail agents NOTIMP', async t => {
  t.equal(ask(zones, 'example. TSIG').rcode, 'FORMERR')
  t.equal(ask(zones, 'example. OPT').rcode, 'FORMERR')
  t.equal(ask(zones, 'example. MAILA').rcode, 'NOTIMP')
  t.equal(ask(zones, 'example. MAILB').rcode, 'NOTIMP')
})

t.test('class ANY is answered from IN, without AA (RFC 1035 6.2)', async t => {
  const reply = ask(zones, 'ns1.example. A', { class: classes.any })
  t.same(reply.answer, ['ns1.example. 3600 A 192.0.2.53'])
  t.equal(reply.flags, '')
  t.equal(reply.message.questions[0]?.class, classes.any)
})

t.test('other classes are REFUSED', async t => {
  for (const qclass of [classes.chaos, classes.hesiod, classes.none, 0, 2, 65_535]) {
    const reply = ask(zones, 'ns1.example. A', { class: qclass })
    t.equal(reply.rcode, 'REFUSED')
    t.equal(reply.flags, '')
    t.equal(reply.message.questions[0]?.class, qclass)
  }
})

t.test('an id is echoed whatever it is', async t => {
  for (const id of [0, 1, 0x8000, 0xffff]) {
    t.equal(ask(zones, 'ns1.example. A', { id }).message.header.id, id)
  }
})

t.test('an impossible state is reported, and SERVFAIL for the client', async t => {
  const defects: unknown[] = []
  const broken = {
    find: () => {
      throw new Error('impossible')
    },
  }
  const octets = processQuery(queryFor('ns1.example. A', { edns: {} }), {
    zones: broken,
    transport: 'udp',
    buffer: new Uint8Array(0xffff),
    reportDefect: defect => defects.push(defect),
  })
  t.match(defects, [{ message: 'impossible' }])
  const reply = replyFrom(octets ?? new Uint8Array())
  t.equal(reply.rcode, 'SERVFAIL')
  t.equal(reply.question, 'ns1.example. A')
  t.ok(reply.edns)
})

t.test('a zone that is changed between two queries answers each with what it was', async t => {
  const changing = zonesFromText(`
    example. 3600 SOA ns1 hostmaster 1 7200 900 1209600 300
    www      60   A   192.0.2.1
  `)
  const zone = changing.get(parseName('example.'))
  t.same(ask(changing, 'www.example. A').answer, ['www.example. 60 A 192.0.2.1'])
  zone?.removeRrset(parseName('www.example.'), 1)
  t.equal(ask(changing, 'www.example. A').rcode, 'NXDOMAIN')
})
