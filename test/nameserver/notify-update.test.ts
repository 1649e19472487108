import t from 'tap'
import { classes, opcodes, types } from '../../src/dns/codes.ts'
import { flags } from '../../src/dns/header.ts'
import { formatName, parseName } from '../../src/dns/name.ts'
import { AwaitedZonesWriter } from '../../src/nameserver/awaited-zones.ts'
import { openResponder } from '../../src/nameserver/responder.ts'
import { type AskOptions, exchange, queryFor, replyFrom } from '../helpers/ask.ts'
import { depth } from '../helpers/depth.ts'
import { Dice } from '../helpers/dice.ts'
import { damagedRequest } from '../helpers/hostile-packets.ts'
import { processQuery } from '../helpers/oracle/process-query.ts'
import { zonesFromText } from '../helpers/zone.ts'
import { openTable, tableZoneFromText } from '../helpers/zone-table.ts'

const zones = zonesFromText(
  `
  example.  3600 SOA ns1 hostmaster 7 7200 900 1209600 300
  @         3600 NS  ns1
  ns1       3600 A   192.0.2.53
  *.wild    3600 A   192.0.2.54
`,
  `
  sub.example. 3600 SOA ns1 hostmaster 7 7200 900 1209600 300
  @            3600 NS  ns1.example.
`,
)

/** As masters send it: with AA. */
function notifyFor(question: string, options: AskOptions = {}): Uint8Array {
  const { opcode = opcodes.notify, flags: set = flags.authoritative } = options
  return queryFor(question, { ...options, opcode, flags: set })
}

/** What is answered to a request, and which zones were notified by it. */
function notify(request: Uint8Array, { isTaken = true } = {}) {
  const notified: string[] = []
  const octets = processQuery(request, {
    zones,
    transport: 'udp',
    buffer: new Uint8Array(0xffff),
    onNotified: apex => {
      notified.push(formatName(apex))
      return isTaken
    },
    reportDefect: defect => {
      throw defect
    },
  })
  return { reply: octets && replyFrom(octets), notified }
}

/** A NOTIFY with an answer section as it is on the wire. */
function withAnswer(record: Uint8Array, answerCount = 1): Uint8Array {
  const octets = Buffer.concat([notifyFor('example. SOA'), record])
  octets.writeUInt16BE(answerCount, 6)
  return octets
}

/** A SOA owned by the name of the question. */
function soaRecord(rdata: Uint8Array, rdataOctets = rdata.length): Uint8Array {
  const head = Buffer.from([0xc0, 12, 0, types.SOA, 0, classes.in, 0, 0, 0, 60, 0, 0])
  head.writeUInt16BE(rdataOctets, 10)
  return Buffer.concat([head, rdata])
}

const notifiedExample = 'NOERROR aa example. SOA > example.'
const numbers = Buffer.alloc(20, 0xff)

/** What is answered, as rcode, flags and question, and which zone is notified. */
const rows: readonly (readonly [what: string, request: Uint8Array, wanted: string])[] = [
  ['an apex', notifyFor('example. SOA'), 'NOERROR aa example. SOA > example.'],
  [
    'an apex below another',
    notifyFor('sub.example. SOA'),
    'NOERROR aa sub.example. SOA > sub.example.',
  ],
  ['an apex in capitals', notifyFor('EXAMPLE. SOA'), 'NOERROR aa EXAMPLE. SOA > example.'],
  ['an apex, without AA', notifyFor('example. SOA', { flags: 0 }), notifiedExample],
  ['an apex, with EDNS', notifyFor('example. SOA', { edns: {} }), notifiedExample],
  ['a name in a zone', notifyFor('ns1.example. SOA'), 'NOTAUTH  ns1.example. SOA > '],
  ['a missing name', notifyFor('no.example. SOA'), 'NOTAUTH  no.example. SOA > '],
  ['a wildcard', notifyFor('a.wild.example. SOA'), 'NOTAUTH  a.wild.example. SOA > '],
  ['no zone of ours', notifyFor('test. SOA'), 'NOTAUTH  test. SOA > '],
  ['the root', notifyFor('. SOA'), 'NOTAUTH  . SOA > '],
  ['another type (RFC 9859)', notifyFor('example. CDS'), 'FORMERR  example. CDS > '],
  ['type ANY', notifyFor('example. ANY'), 'FORMERR  example. ANY > '],
  ['a transfer', notifyFor('example. AXFR'), 'FORMERR  example. AXFR > '],
  ['class CH', notifyFor('example. SOA', { class: classes.chaos }), 'NOTIMP  example. SOA > '],
  ['class ANY', notifyFor('example. SOA', { class: classes.any }), 'NOTIMP  example. SOA > '],
  [
    'EDNS version 1',
    notifyFor('example. SOA', { edns: { version: 1 } }),
    'BADVERS  example. SOA > ',
  ],
  ['no question', header(0), 'FORMERR   > '],
  ['two questions', Buffer.concat([header(2), question(), question()]), 'FORMERR   > '],
  [
    'octets left over',
    Buffer.concat([notifyFor('example. SOA'), Buffer.of(0)]),
    'FORMERR  example. SOA > ',
  ],
  ['half a question', notifyFor('example. SOA').slice(0, -1), 'FORMERR   > '],
  // RFC 1996 section 3.7: the SOA is a hint. Whatever it is, it is not read.
  [
    'a SOA far ahead',
    withAnswer(soaRecord(Buffer.concat([Buffer.of(0, 0), numbers]))),
    notifiedExample,
  ],
  ['a SOA that is too short', withAnswer(soaRecord(Buffer.of(1, 2, 3))), notifiedExample],
  [
    'a SOA of pointers to themselves',
    withAnswer(soaRecord(Buffer.concat([Buffer.of(0xc0, 37, 0xc0, 39), numbers]))),
    notifiedExample,
  ],
  ['a SOA that ends early', withAnswer(soaRecord(numbers, 22)), 'FORMERR  example. SOA > '],
  [
    'fewer records than announced',
    withAnswer(soaRecord(numbers), 0xffff),
    'FORMERR  example. SOA > ',
  ],
]

function header(questionCount: number): Buffer {
  const octets = Buffer.from(notifyFor('example. SOA').subarray(0, 12))
  octets.writeUInt16BE(questionCount, 4)
  return octets
}

function question(): Uint8Array {
  return notifyFor('example. SOA').subarray(12)
}

for (const [what, request, wanted] of rows) {
  t.test(`NOTIFY of ${what}: ${wanted.split(' ')[0]}`, async t => {
    const { reply, notified } = notify(request)
    t.equal(`${reply?.rcode} ${reply?.flags} ${reply?.question} > ${notified}`, wanted)
    t.strictSame([reply?.answer, reply?.authority, reply?.additional], [[], [], []])
    const { id, flags: set } = reply?.message.header ?? { id: 0, flags: 0 }
    t.equal(id, 0x1234)
    t.equal(set >>> 11, 0b1_0100, 'a response, opcode NOTIFY')
    t.equal(reply?.edns !== undefined, /EDNS/.test(what))
    // Threads answer the same.
    exchange(zones, request)
  })
}

t.test('a notice that is not taken is not answered, so that it is sent again', async t => {
  t.strictSame(notify(notifyFor('example. SOA'), { isTaken: false }), {
    reply: undefined,
    notified: ['example.'],
  })
})

t.test('no response to the response to a NOTIFY', async t => {
  const request = notifyFor('example. SOA', { flags: flags.response })
  t.strictSame(notify(request), { reply: undefined, notified: [] })
})

t.test('a thread knows by which request of a batch it was notified', async t => {
  const table = openTable()
  const target = table.addTarget()
  const zone = tableZoneFromText(table, 'example. 300 SOA ns host 7 7200 900 1209600 300')
  target.publish(zone)
  // It is the masters of an expired zone that should be heard.
  zone.isExpired = true
  const responder = openResponder(table.readers.open(target).handle, defect => {
    throw defect
  })
  const notified: string[] = []
  const room = new Uint8Array(1232)
  const ask = () => {
    responder.enter()
    const requests = ['example. A', 'example. SOA', 'test. SOA', 'Example. SOA']
    requests.forEach((text, i) => {
      const request = i === 0 ? queryFor(text) : notifyFor(text)
      responder.take(i, request, request.length, 'udp')
    })
    responder.prefetch(requests.length)
    const octets = requests.map((_, i) => responder.respond(i, room))
    responder.leave()
    return octets.map(count => count > 0)
  }
  t.strictSame(ask(), [true, true, true, true], 'also where nobody is told')
  responder.host = {
    onNotified: (apex, i) => {
      notified.push(`${formatName(apex)} ${i}`)
      return i === 1
    },
    readClient: () => 0,
    nowSeconds: () => 0,
    unixSeconds: () => 0,
  }
  t.strictSame(ask(), [true, true, true, false])
  t.strictSame(notified, ['example. 1', 'example. 3'])
})

t.test(
  'a zone that waits for its first copy can be notified of, and asked for nothing',
  async t => {
    const table = openTable()
    const target = table.addTarget()
    target.publish(
      tableZoneFromText(table, 'example. 3600 SOA ns1 hostmaster 7 7200 900 1209600 300'),
    )
    const awaited = new AwaitedZonesWriter()
    const { handle } = table.readers.open(target)
    const responder = openResponder({ ...handle, awaitedZones: awaited.memory })
    const room = new Uint8Array(1232)
    const ask = (request: Uint8Array) => {
      responder.enter()
      responder.take(0, request, request.length, 'udp')
      const octets = responder.respond(0, room)
      responder.leave()
      return replyFrom(room.subarray(0, octets)).rcode
    }
    const names = ['sub.example.', 'new.test.']
    const rcodes = () => names.map(name => ask(notifyFor(`${name.toUpperCase()} SOA`)))
    t.strictSame(rcodes(), ['NOTAUTH', 'NOTAUTH'])
    for (const name of names) awaited.add(parseName(name))
    t.strictSame(rcodes(), ['NOERROR', 'NOERROR'])
    t.equal(ask(queryFor('new.test. SOA')), 'REFUSED')
    t.equal(ask(notifyFor('a.new.test. SOA')), 'NOTAUTH')
    for (const name of names) awaited.remove(parseName(name))
    t.strictSame(rcodes(), ['NOTAUTH', 'NOTAUTH'])
  },
)

t.test('damaged NOTIFYs neither throw nor notify of anything that is not here', async t => {
  const requests = rows.map(([, request]) => new Uint8Array(request))
  const dice = new Dice(1996)
  let notifiedCount = 0
  for (let i = 0; i < 20_000 * depth; i += 1) {
    const { notified } = notify(damagedRequest(requests, dice))
    if (notified.some(zone => !['example.', 'sub.example.'].includes(zone))) t.fail(notified.join())
    notifiedCount += notified.length
  }
  t.ok(notifiedCount > 200 * depth, `${notifiedCount}`)
})
