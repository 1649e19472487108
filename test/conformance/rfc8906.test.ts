import t from 'tap'
import { flags } from '../../src/dns/header.ts'
import { type AskOptions, ask, exchange, queryFor, type Reply } from '../helpers/ask.ts'
import { zonesFromText } from '../helpers/zone.ts'

// The tests of RFC 8906 section 8 with the responses it expects of an authoritative server.

const zones = zonesFromText(`
  example.  3600 SOA ns1 hostmaster 1 7200 900 1209600 300
  @         3600 NS  ns1
  ns1       3600 A   192.0.2.53
  big       3600 TXT ${Array.from({ length: 3 }, () => `"${'x'.repeat(250)}"`).join(' ')}
`)

const soa = ['example. 3600 SOA ns1.example. hostmaster.example. 1 7200 900 1209600 300']

type Expectation = Partial<Pick<Reply, 'rcode' | 'flags' | 'answer'>> & { hasOpt?: boolean }

const cases: readonly (Expectation & { rule: string; options: AskOptions; ask?: string })[] = [
  { rule: '8.1.1 is the server configured for the zone', options: {}, answer: soa },
  { rule: '8.1.2 unknown type: NOERROR, empty', options: {}, ask: 'example. TYPE1000', answer: [] },
  { rule: '8.1.3.1 CD=1', options: { flags: flags.checkingDisabled }, answer: soa },
  { rule: '8.1.3.2 AD=1', options: { flags: flags.authenticData }, answer: soa },
  { rule: '8.1.3.3 reserved bit: clear in the response', options: { flags: 0x40 }, answer: soa },
  {
    rule: '8.1.3.4 RD=1: copied, and no recursion offered',
    options: { flags: flags.recursionDesired },
    flags: 'aa rd',
    answer: soa,
  },
  {
    rule: '8.1.4 unknown opcode: NOTIMP',
    options: { opcode: 15 },
    rcode: 'NOTIMP',
    flags: '',
    answer: [],
  },
  { rule: '8.1.5 TCP', options: { transport: 'tcp' }, answer: soa },
  { rule: '8.2.1 minimal EDNS', options: { edns: {} }, answer: soa, hasOpt: true },
  {
    rule: '8.2.2 EDNS version 1: BADVERS',
    options: { edns: { version: 1 } },
    rcode: 'BADVERS',
    flags: '',
    answer: [],
    hasOpt: true,
  },
  {
    rule: '8.2.3 unknown EDNS option: ignored',
    options: { edns: { options: [{ code: 100, octets: new Uint8Array() }] } },
    answer: soa,
    hasOpt: true,
  },
  {
    rule: '8.2.6 EDNS version 1 with an unknown option: BADVERS',
    options: { edns: { version: 1, options: [{ code: 100, octets: new Uint8Array() }] } },
    rcode: 'BADVERS',
    flags: '',
    answer: [],
    hasOpt: true,
  },
  {
    rule: '8.2.7 truncated response: TC, with OPT',
    options: { edns: { payloadOctets: 512 } },
    ask: 'big.example. TXT',
    flags: 'aa tc',
    answer: [],
    hasOpt: true,
  },
  { rule: '8.2.8 DO=1', options: { edns: { isDnssecOk: true } }, answer: soa, hasOpt: true },
  {
    rule: '8.2.9 EDNS version 1 with DO=1: BADVERS',
    options: { edns: { version: 1, isDnssecOk: true } },
    rcode: 'BADVERS',
    flags: '',
    answer: [],
    hasOpt: true,
  },
  {
    rule: '8.2.10 several defined EDNS options: answered',
    options: {
      edns: {
        options: [
          { code: 3, octets: new Uint8Array() },
          { code: 9, octets: new Uint8Array() },
          { code: 8, octets: Uint8Array.from([0, 1, 0, 0]) },
          { code: 10, octets: new Uint8Array(8) },
        ],
      },
    },
    answer: soa,
    hasOpt: true,
  },
]

for (const { rule, options, ask: question = 'example. SOA', ...wanted } of cases) {
  t.test(rule, async t => {
    const reply = ask(zones, question, options)
    t.equal(reply.rcode, wanted.rcode ?? 'NOERROR')
    t.equal(reply.flags, wanted.flags ?? 'aa')
    t.same(reply.answer, wanted.answer)
    t.equal(reply.edns !== undefined, wanted.hasOpt ?? false)
    if (reply.edns !== undefined) t.equal(reply.edns.version, 0)
  })
}

t.test('8.2.4 unknown EDNS flags: clear in the response', async t => {
  const request = queryFor('example. SOA', { edns: {} })
  request[request.length - 3] = 0x40
  const { octets, rcode } = exchange(zones, request)
  t.equal(rcode, 'NOERROR')
  t.same([...octets.subarray(-4)], [0, 0, 0, 0])
})

t.test('8.1.4 unknown opcode, header only: NOTIMP with the opcode copied', async t => {
  for (const opcode of [1, 2, 3, 6, 15]) {
    const request = queryFor('example. SOA', { opcode }).slice(0, 12)
    request[5] = 0
    const { octets, rcode } = exchange(zones, request)
    t.equal(rcode, 'NOTIMP')
    t.equal(octets.length, 12)
    t.equal(((octets[2] ?? 0) >> 3) & 15, opcode)
  }
})

t.test('8.1.4 unknown opcode with EDNS: NOTIMP with an OPT (RFC 6891 6.1.1)', async t => {
  const options = [{ code: 65_001, octets: Uint8Array.of(1) }]
  for (const edns of [{}, { options }]) {
    const reply = exchange(zones, queryFor('example. SOA', { opcode: 15, edns }))
    t.equal(reply.rcode, 'NOTIMP')
    t.equal(reply.octets.length, 12 + 11)
    t.same(reply.edns?.options, [])
  }
  t.equal(exchange(zones, queryFor('example. SOA', { opcode: 15 })).edns, undefined)
})

t.test('3.1.4 unknown opcode with a body of any form: NOTIMP', async t => {
  const request = queryFor('example. SOA', { opcode: 6 })
  request.fill(0xff, 12)
  t.equal(exchange(zones, request).rcode, 'NOTIMP')
})
