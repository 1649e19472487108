import fc from 'fast-check'
import t from 'tap'
import { classes, opcodes, rcodes, types } from '../../src/dns/codes.ts'
import type { Edns } from '../../src/dns/edns.ts'
import { FormatError } from '../../src/dns/format-error.ts'
import { flags, opcodeFlags } from '../../src/dns/header.ts'
import {
  decodeMessage,
  encodeMessage,
  encodeQuery,
  type Message,
  type ResourceRecord,
  rcodeOfMessage,
} from '../../src/dns/message.ts'
import { parseName, rootName } from '../../src/dns/name.ts'
import { parseRdata, rdataTypes, typeCode } from '../../src/dns/rdata/index.ts'
import { comparable, nameArbitrary, valueArbitrary } from '../helpers/rdata-arbitraries.ts'
import { hexOf, octetsOf } from '../helpers/wire.ts'

const example = parseName('example.')

/** Parses `owner type rdata`, class IN, TTL 3600. */
function record(text: string): ResourceRecord {
  const [owner = '', mnemonic = '', ...rdata] = text.split(' ')
  const type = typeCode(mnemonic) as number
  return {
    owner: parseName(owner),
    type,
    class: classes.in,
    ttlSeconds: 3600,
    rdata: parseRdata(type, rdata.join(' ')),
  }
}

const edns: Edns = {
  payloadOctets: 1232,
  extendedRcode: 0,
  version: 0,
  isDnssecOk: false,
  options: [],
}

const response: Message = {
  header: { id: 0x1234, flags: flags.response | flags.authoritative },
  questions: [{ name: example, type: types.MX, class: classes.in }],
  answers: [record('example. MX 10 mail.example.')],
  authorities: [record('example. NS ns1.example.')],
  additionals: [record('mail.example. A 192.0.2.1')],
  edns,
}

const responseHex = [
  '1234 8400 0001 0001 0001 0002',
  '076578616d706c6500 000f 0001',
  'c00c 000f 0001 00000e10 0009 000a 046d61696c c00c',
  'c00c 0002 0001 00000e10 0006 036e7331 c00c',
  'c027 0001 0001 00000e10 0004 c0000201',
  '00 0029 04d0 00 00 0000 0000',
]
  .join('')
  .replaceAll(' ', '')

t.test('a message survives its octets, names compressed', async t => {
  t.equal(hexOf(encodeMessage(response)), responseHex)
  t.strictSame(comparable(decodeMessage(octetsOf(responseHex))), comparable(response))
})

t.test('cut off at any length, or with an octet too many, it is refused', async t => {
  const octets = octetsOf(responseHex)
  for (let length = 0; length < octets.length; length += 1) {
    const decode = () => decodeMessage(octets.subarray(0, length))
    t.throws(decode, { name: 'FormatError' }, `${length} octets`)
  }
  t.throws(() => decodeMessage(Uint8Array.of(...octets, 0)), { name: 'FormatError' })
})

t.test('a count of more than there is, is refused at once', async t => {
  t.throws(() => decodeMessage(octetsOf('000000000000ffffffffffff')), { name: 'FormatError' })
  t.throws(() => decodeMessage(octetsOf('00000000ffffffffffffffff')), { name: 'FormatError' })
})

t.test('a TTL with the top bit set reads as zero (RFC 2181 section 8)', async t => {
  const withTtl = (ttl: string) =>
    decodeMessage(octetsOf(`0000 8000 0000 0001 0000 0000 00 0001 0001 ${ttl} 0004 c0000201`))
  t.equal(withTtl('7fffffff').answers[0]?.ttlSeconds, 0x7fff_ffff)
  t.equal(withTtl('80000000').answers[0]?.ttlSeconds, 0)
  t.equal(withTtl('ffffffff').answers[0]?.ttlSeconds, 0)
})

t.test('OPT is one, at the root, and in the additional section', async t => {
  const opt = '000029 0200 00000000 0000'
  t.ok(decodeMessage(octetsOf(`0000 0000 0000 0000 0000 0001 ${opt}`)).edns)
  for (const hex of [
    `0000 0000 0000 0000 0000 0002 ${opt} ${opt}`,
    `0000 0000 0000 0001 0000 0000 ${opt}`,
    `0000 0000 0000 0000 0001 0000 ${opt}`,
    `0000 0000 0000 0000 0000 0001 0161${opt}`,
  ]) {
    t.throws(() => decodeMessage(octetsOf(hex)), { name: 'FormatError' }, hex)
  }
})

t.test('an rdata is checked against its type', async t => {
  const short = '0000 8000 0000 0001 0000 0000 00 0001 0001 00000000 0003 c00002'
  t.throws(() => decodeMessage(octetsOf(short)), { name: 'FormatError' })
  const chaos = '0000 8000 0000 0001 0000 0000 00 0001 0003 00000000 0003 c00002'
  t.equal(hexOf(decodeMessage(octetsOf(chaos)).answers[0]?.rdata ?? new Uint8Array()), 'c00002')
})

t.test('an update may have records without rdata (RFC 2136 section 2.4)', async t => {
  const deletion: ResourceRecord = {
    owner: parseName('mail.example.'),
    type: types.MX,
    class: classes.any,
    ttlSeconds: 0,
    rdata: new Uint8Array(),
  }
  const update: Message = {
    header: { id: 1, flags: opcodeFlags(opcodes.update) },
    questions: [{ name: example, type: types.SOA, class: classes.in }],
    answers: [{ ...deletion, class: classes.none }],
    authorities: [deletion, { ...record('a.example. A 192.0.2.1'), class: classes.none }],
    additionals: [],
  }
  t.strictSame(comparable(decodeMessage(encodeMessage(update))), comparable(update))
  const emptyInData = encodeMessage({ ...update, answers: [{ ...deletion, class: classes.in }] })
  t.throws(() => decodeMessage(emptyInData), { name: 'FormatError' })
})

t.test('a message that is too long is refused', async t => {
  const { answers } = response
  const many = Array.from({ length: 5000 }, () => answers).flat()
  t.throws(() => encodeMessage({ ...response, answers: many }), { name: 'RangeError' })
})

t.test('the octets returned hold on to nothing else', async t => {
  const octets = encodeMessage(response)
  t.equal(octets.buffer.byteLength, octets.length)
})

t.test('a query is a header, a question, and OPT if wanted', async t => {
  const input = { id: 7, name: example, type: types.SOA }
  t.equal(hexOf(encodeQuery(input)), '000700000001000000000000076578616d706c650000060001')
  const query = decodeMessage(
    encodeQuery({ ...input, class: classes.chaos, flags: flags.recursionDesired, edns }),
  )
  t.equal(query.questions[0]?.class, classes.chaos)
  t.equal(query.header.flags, flags.recursionDesired)
  t.strictSame(query.edns, edns)
})

t.test('the upper bits of the response code are in OPT (RFC 6891 section 6.1.3)', async t => {
  const header = { id: 0, flags: flags.response | rcodes.refused }
  t.equal(rcodeOfMessage({ ...response, header }), rcodes.refused)
  const badVersion = {
    ...response,
    header: { id: 0, flags: 0 },
    edns: { ...edns, extendedRcode: 1 },
  }
  t.equal(rcodeOfMessage(badVersion), rcodes.badVers)
})

const recordArbitrary = fc.oneof(
  ...[...rdataTypes.values()].map(definition =>
    fc.record({
      owner: fc.oneof(nameArbitrary, fc.constant(example), fc.constant(rootName)),
      type: fc.constant(definition.code),
      class: fc.constant(classes.in),
      ttlSeconds: fc.integer({ min: 0, max: 0x7fff_ffff }),
      rdata: valueArbitrary(definition.code).map(value => definition.encode(value as never)),
    }),
  ),
)

t.test('any message survives its octets, but for the case of names', async t => {
  const section = fc.array(recordArbitrary, { maxLength: 4 })
  const property = fc.property(section, section, section, (answers, authorities, additionals) => {
    const message: Message = { ...response, answers, authorities, additionals }
    const back = decodeMessage(encodeMessage(message))
    return lowerCased(back) === lowerCased(message)
  })
  t.doesNotThrow(() => fc.assert(property, { numRuns: 200 }))
})

t.test('any octets give a message that can be sent again, or a FormatError', async t => {
  const octet = fc.oneof(fc.integer({ min: 0, max: 255 }), fc.constantFrom(0, 1, 0xc0, 12))
  const body = fc.array(octet, { maxLength: 80 })
  const counts = fc.array(fc.constantFrom(0, 0, 1, 2), { minLength: 4, maxLength: 4 })
  const property = fc.property(counts, body, (counts, octets) => {
    const head = [0, 0, 0, 0, ...counts.flatMap(count => [0, count])]
    try {
      const message = decodeMessage(Uint8Array.from([...head, ...octets]))
      return lowerCased(decodeMessage(encodeMessage(message))) === lowerCased(message)
    } catch (error) {
      return error instanceof FormatError
    }
  })
  t.doesNotThrow(() => fc.assert(property, { numRuns: 1000 }))
})

/** Compression takes the case of the name it points at, also inside RFC 1035's rdata. */
function lowerCased(message: Message): string {
  const records = [message.answers, message.authorities, message.additionals].map(section =>
    section.map(record => ({ ...record, rdata: record.rdata.map(lowerCaseOctet) })),
  )
  return JSON.stringify(
    comparable({ ...message, records, answers: 0, authorities: 0, additionals: 0 }),
  ).toLowerCase()
}

function lowerCaseOctet(octet: number): number {
  return octet >= 0x41 && octet <= 0x5a ? octet + 0x20 : octet
}
