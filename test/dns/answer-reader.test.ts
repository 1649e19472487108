import fc from 'fast-check'
import t from 'tap'
import { AnswerReader } from '../../src/dns/answer-reader.ts'
import { classes, types } from '../../src/dns/codes.ts'
import { FormatError } from '../../src/dns/format-error.ts'
import { decodeMessage, encodeMessage, type ResourceRecord } from '../../src/dns/message.ts'
import { nameFromOctets, parseName } from '../../src/dns/name.ts'
import { parseRdata } from '../../src/dns/rdata/index.ts'

const rdatas: readonly (readonly [number, string])[] = [
  [types.A, '192.0.2.1'],
  [types.AAAA, '2001:db8::1'],
  [types.MX, '10 mail.example.net.'],
  [types.TXT, '"some text" "more"'],
  [types.NS, 'ns.Example.NET.'],
]

const arbitraryRecord = fc
  .record({
    owner: fc.constantFrom('example.net.', 'Www.example.NET.', 'a.b.example.net.', '.'),
    rdata: fc.constantFrom(...rdatas),
    ttlSeconds: fc.nat(2 ** 31 - 1),
    isIn: fc.boolean(),
  })
  .map(({ owner, rdata: [type, text], ttlSeconds, isIn }): ResourceRecord => {
    const rdata = isIn ? parseRdata(type, text) : new Uint8Array([1, 2, 3, 4])
    const own = { class: isIn ? classes.in : 3, ttlSeconds, rdata }
    return { owner: parseName(owner), type: isIn ? type : types.A, ...own }
  })

const arbitraryMessage = fc
  .record({ answers: fc.array(arbitraryRecord), others: fc.array(arbitraryRecord) })
  .map(({ answers, others }) =>
    encodeMessage({
      header: { id: 7, flags: 0x8400 },
      questions: [{ name: parseName('example.net.'), type: types.AXFR, class: classes.in }],
      answers,
      authorities: others,
      additionals: others,
    }),
  )

/** What is read of a message, or that it is none. */
function readAll(octets: Uint8Array) {
  const reader = new AnswerReader(octets)
  const answers: ResourceRecord[] = []
  while (reader.next()) {
    const { owner, type, ttlSeconds, rdata, rdataAt, rdataEnd } = reader
    answers.push({
      owner: nameFromOctets(owner, 0),
      type,
      class: reader.class,
      ttlSeconds,
      rdata: Uint8Array.from(rdata.subarray(rdataAt, rdataEnd)),
    })
    t.equal(nameFromOctets(owner, 0).length, reader.ownerOctets)
  }
  const { questions, header } = reader
  return { id: header.id, questions, answers, edns: reader.finish() }
}

function orMalformed<T>(read: () => T): T | 'malformed' {
  try {
    return read()
  } catch (error) {
    if (error instanceof FormatError) return 'malformed'
    throw error
  }
}

t.test('answers that are read one by one are those of the message', async t => {
  fc.assert(
    fc.property(arbitraryMessage, fc.nat(), fc.nat(255), (octets, at, octet) => {
      for (const given of [octets, damaged(octets, at, octet), octets.subarray(0, at)]) {
        const whole = orMalformed(() => {
          const { header, questions, answers, edns } = decodeMessage(given)
          const own = (rdata: Uint8Array) => Uint8Array.from(rdata)
          const read = answers.map(answer => ({ ...answer, rdata: own(answer.rdata) }))
          return { id: header.id, questions, answers: read, edns }
        })
        t.strictSame(
          orMalformed(() => readAll(given)),
          whole,
        )
      }
    }),
    { numRuns: 60 },
  )
})

function damaged(octets: Uint8Array, at: number, octet: number): Uint8Array {
  const copy = Uint8Array.from(octets)
  copy[at % copy.length] = octet
  return copy
}

t.test('what is wrong with an rdata names its record', async t => {
  const short = { type: types.A, class: classes.in, ttlSeconds: 5, rdata: Uint8Array.of(1, 2, 3) }
  const octets = encodeMessage({
    header: { id: 7, flags: 0x8400 },
    questions: [],
    answers: [{ ...short, owner: parseName('www.example.net.') }],
    authorities: [],
    additionals: [],
  })
  t.throws(() => new AnswerReader(octets).next(), /^www\.example\.net\. A: 4 octets expected/)
})
