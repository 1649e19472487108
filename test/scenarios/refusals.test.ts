import t from 'tap'
import { classes, opcodes } from '../../src/dns/codes.ts'
import { ask } from '../helpers/ask.ts'
import { type Row, testRows } from '../helpers/rows.ts'
import { zonesFromText } from '../helpers/zone.ts'

const zones = zonesFromText(`
  example.  3600 SOA ns1 hostmaster 1 7200 900 1209600 300
  @         3600 NS  ns1
  ns1       3600 A   192.0.2.53
`)

function refused(
  rule: string,
  rcode: string,
  asked: Pick<Row, 'ask' | 'opcode' | 'transport'>,
): Row {
  return { rule, rcode, expectFlags: '', ...asked }
}

const opcode = opcodes.update

testRows(t, zones, [
  refused('AXFR: over UDP there is none (RFC 5936 4.2)', 'FORMERR', { ask: 'example. AXFR' }),
  refused('AXFR: not for this client', 'REFUSED', { ask: 'example. AXFR', transport: 'tcp' }),
  refused('AXFR: of what is no apex', 'NOTAUTH', { ask: 'ns1.example. AXFR', transport: 'tcp' }),
  refused('IXFR: without the SOA of the client', 'FORMERR', { ask: 'example. IXFR' }),
  refused('IXFR: the same over TCP', 'FORMERR', { ask: 'example. IXFR', transport: 'tcp' }),
  refused('IXFR: of what is no apex', 'NOTAUTH', { ask: 'ns1.example. IXFR' }),
  refused('UPDATE: where nobody takes it (RFC 2136 3.1)', 'REFUSED', {
    ask: 'example. SOA',
    opcode,
  }),
  refused('UPDATE: of what is no apex', 'NOTAUTH', { ask: 'ns1.example. SOA', opcode }),
  refused('UPDATE: of a zone of nobody', 'NOTAUTH', { ask: 'elsewhere. SOA', opcode }),
  refused('UPDATE: without a SOA as its zone', 'FORMERR', { ask: 'example. A', opcode }),
  refused('type TSIG: a part of messages', 'FORMERR', { ask: 'example. TSIG' }),
  refused('type OPT: a part of messages', 'FORMERR', { ask: 'example. OPT' }),
  refused('type MAILA: obsolete (RFC 973)', 'NOTIMP', { ask: 'example. MAILA' }),
  refused('type MAILB: obsolete (RFC 973)', 'NOTIMP', { ask: 'example. MAILB' }),
])

t.test('class ANY: answered from IN, without AA (RFC 1035 6.2)', async t => {
  const reply = ask(zones, 'ns1.example. A', { class: classes.any })
  t.same(reply.answer, ['ns1.example. 3600 A 192.0.2.53'])
  t.equal(reply.flags, '')
  t.equal(reply.message.questions[0]?.class, classes.any)
})

t.test('other classes: REFUSED, and NOTAUTH for an UPDATE', async t => {
  for (const qclass of [classes.chaos, classes.hesiod, classes.none, 0, 2, 65_535]) {
    const reply = ask(zones, 'ns1.example. A', { class: qclass })
    t.equal(reply.rcode, 'REFUSED')
    t.equal(reply.flags, '')
    t.equal(reply.message.questions[0]?.class, qclass)
  }
  t.equal(ask(zones, 'example. SOA', { opcode, class: classes.chaos }).rcode, 'NOTAUTH')
})

t.test('an id is echoed whatever it is', async t => {
  for (const id of [0, 1, 0x8000, 0xffff]) {
    t.equal(ask(zones, 'ns1.example. A', { id }).message.header.id, id)
  }
})
