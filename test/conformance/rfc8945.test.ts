import t from 'tap'
import { opcodes, rcodes, tsigErrors, types } from '../../src/dns/codes.ts'
import { type Name, parseName } from '../../src/dns/name.ts'
import { Reader } from '../../src/dns/reader.ts'
import { decodeTsig, type Tsig } from '../../src/dns/tsig.ts'
import { type AskOptions, exchange, queryFor, type Reply } from '../helpers/ask.ts'
import { someTsig, strayRecord, tsigRecord, withAdditionals } from '../helpers/tsig.ts'
import { zonesFromText } from '../helpers/zone.ts'

// No key is known to the answering threads: what RFC 8945 asks of a server for those it does not recognize.

const zones = zonesFromText(`
  example.  3600 SOA ns1 hostmaster 1 7200 900 1209600 300
  @         3600 NS  ns1
  ns1       3600 A   192.0.2.53
`)

function askSigned(
  question: string,
  options: AskOptions = {},
  changes: Partial<Tsig> = {},
): { reply: Reply; tsig: Tsig | undefined } {
  const request = withAdditionals(queryFor(question, options), tsigRecord(changes))
  const reply = exchange(zones, request, options)
  return { reply, tsig: tsigOf(reply) }
}

/** The TSIG that ends a response, from its octets: its owner is not compressed. */
function tsigOf({ message, octets }: Reply): Tsig | undefined {
  const last = message.additionals.at(-1)
  if (last?.type !== types.TSIG) return undefined
  const at = octets.length - (last.owner.length + 10 + last.rdata.length)
  const reader = new Reader(octets)
  reader.skip(at)
  const owner: Name = reader.name()
  reader.u16()
  return decodeTsig(reader, owner)
}

/** RFC 8945 section 5.3.2: an empty MAC, and the request's own time. */
const unsigned = {
  ...someTsig,
  mac: new Uint8Array(),
  error: tsigErrors.badKey,
}

t.test('5.2.1 an unknown key: NOTAUTH, BADKEY, unsigned, and nothing of the zone', async t => {
  for (const transport of ['udp', 'tcp'] as const) {
    const { reply, tsig } = askSigned('ns1.example. A', { transport })
    t.equal(reply.rcode, 'NOTAUTH')
    t.equal(reply.flags, '')
    t.equal(reply.question, 'ns1.example. A')
    t.same([...reply.answer, ...reply.authority], [])
    t.same(tsig, unsigned)
  }
})

t.test('5.2.1 an algorithm that is not ours, and a MAC of any length: the same', async t => {
  const algorithm = parseName('gss-tsig.')
  t.same(askSigned('example. SOA', {}, { algorithm }).tsig, { ...unsigned, algorithm })
  for (const length of [0, 5, 64]) {
    const { reply, tsig } = askSigned('example. SOA', {}, { mac: new Uint8Array(length) })
    t.equal(reply.rcode, 'NOTAUTH')
    t.same(tsig, unsigned)
  }
})

t.test('5.2 whatever is asked: another class, a transfer, a name of nobody, a NOTIFY', async t => {
  const rows: readonly (readonly [string, AskOptions])[] = [
    ['version.bind. TXT', { class: 3 }],
    ['example. AXFR', { transport: 'tcp' }],
    ['example. IXFR', {}],
    ['www.elsewhere.test. A', {}],
    ['example. SOA', { opcode: opcodes.notify }],
  ]
  for (const [question, options] of rows) {
    const { reply, tsig } = askSigned(question, options)
    t.equal(reply.rcode, 'NOTAUTH', question)
    t.same(tsig, unsigned)
  }
})

t.test('5.3.2 the original id is that of the request, whatever its TSIG says', async t => {
  const { tsig } = askSigned('example. SOA', { id: 77 }, { originalId: 4711 })
  t.equal(tsig?.originalId, 77)
})

t.test('with OPT: before the TSIG, which is the last record (5.1)', async t => {
  const { reply, tsig } = askSigned('example. SOA', { edns: { isDnssecOk: true } })
  t.equal(reply.edns?.isDnssecOk, true)
  t.same(tsig, unsigned)
})

t.test('an EDNS version that is not ours is BADVERS: nothing else of it is known', async t => {
  const { reply, tsig } = askSigned('example. SOA', { edns: { version: 1 } })
  t.equal(reply.rcode, 'BADVERS')
  t.equal(tsig, undefined)
})

t.test('5.1 not the last record, or in another section: FORMERR', async t => {
  const record = tsigRecord()
  const query = queryFor('example. SOA')
  const inSection = (countAt: number) => {
    const request = new Uint8Array(Buffer.concat([query, record]))
    request[countAt] = 1
    return request
  }
  const requests = [
    withAdditionals(query, record, record),
    withAdditionals(query, record, strayRecord),
    inSection(7),
    inSection(9),
  ]
  for (const request of requests) {
    const reply = exchange(zones, request)
    t.equal(reply.rcode, 'FORMERR')
    t.equal(tsigOf(reply), undefined)
  }
})

t.test('5.2 a TSIG that cannot be interpreted: FORMERR', async t => {
  const record = tsigRecord()
  const ownerOctets = someTsig.keyName.length
  const withClassIn = record.slice()
  withClassIn[ownerOctets + 3] = 1
  const withoutRdata = Uint8Array.of(...record.subarray(0, ownerOctets + 8), 0, 0)
  const withMacBeyond = record.slice()
  withMacBeyond[ownerOctets + 10 + someTsig.algorithm.length + 8] = 0xff
  for (const broken of [record.slice(0, -1), withClassIn, withoutRdata, withMacBeyond]) {
    const reply = exchange(zones, withAdditionals(queryFor('example. SOA'), broken))
    t.equal(reply.rcode, 'FORMERR')
  }
})

t.test('an owner that points into the question is read like any name', async t => {
  const record = Uint8Array.of(0xc0, 12, ...tsigRecord().subarray(someTsig.keyName.length))
  const reply = exchange(zones, withAdditionals(queryFor('ns1.Example. A'), record))
  t.same(tsigOf(reply), { ...unsigned, keyName: parseName('ns1.example.') })
})

t.test('names too long for a response over UDP: TC, and all of it over TCP', async t => {
  const label = 'x'.repeat(63)
  const long = parseName(`${label}.${label}.${label}.${'y'.repeat(61)}.`)
  const changes = { keyName: long, algorithm: long }
  const { reply, tsig } = askSigned('ns1.example. A', {}, changes)
  t.equal(reply.message.header.flags & 0x0f, rcodes.notAuth)
  t.equal(reply.flags, 'tc')
  t.equal(tsig, undefined)
  t.same(askSigned('ns1.example. A', { transport: 'tcp' }, changes).tsig, {
    ...unsigned,
    ...changes,
  })
  t.same(askSigned('ns1.example. A', { edns: {} }, changes).tsig, { ...unsigned, ...changes })
})
