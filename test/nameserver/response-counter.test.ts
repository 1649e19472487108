import t from 'tap'
import { opcodes, rcodes } from '../../src/dns/codes.ts'
import type { Transport } from '../../src/nameserver/request.ts'
import { openResponder } from '../../src/nameserver/responder.ts'
import type { ResponderHost } from '../../src/nameserver/responder-host.ts'
import {
  Counters,
  firstLatencyMicros,
  latencyCount,
  readerCounts,
  tcpCounts,
  tcpReaderCounts,
  zoneTypeCounts,
} from '../../src/zone/table/counters.ts'
import { queryTypes, zoneTypes } from '../../src/zone/table/query-types.ts'
import { type AskOptions, queryFor } from '../helpers/ask.ts'
import { openTable, tableZoneFromText } from '../helpers/zone-table.ts'

const zoneText = `
  example. 3600 SOA ns1 hostmaster 1 7200 900 1209600 300
  www      60   A   192.0.2.1
  old      60   DNAME new
  long     60   DNAME ${'a'.repeat(60)}.${'b'.repeat(60)}.${'c'.repeat(60)}.${'d'.repeat(40)}
`

function open() {
  const table = openTable()
  const target = table.addTarget()
  const zone = tableZoneFromText(table, zoneText)
  target.publish(zone)
  const { handle } = table.readers.open(target)
  const responder = openResponder(handle)
  const counters = new Counters(handle.counters)
  const room = new Uint8Array(0xffff)
  const ask = (question: string, options: AskOptions = {}): number => {
    const request = queryFor(question, options)
    responder.enter()
    responder.take(0, request, request.length, options.transport ?? 'udp')
    const octets = responder.respond(0, room)
    responder.leave()
    return octets
  }
  const ofZone = (transport: Transport) => {
    const from = transport === 'tcp' ? tcpCounts : 0
    return [0, 1, 2, 3, 4].map(index => counters.getOfZone(zone.number, from + index))
  }
  return { zone, responder, counters, room, ask, ofZone }
}

t.test('a zone is counted for what it had to say, by rcode and transport', async t => {
  const { ask, ofZone, counters, zone } = open()
  let octets = ask('www.example. A') + ask('WWW.Example. TXT', { edns: {} })
  t.same(ofZone('udp'), [2, 0, 0, 0, octets])
  octets += ask('missing.example. A')
  octets += ask('x.old.example. A')
  octets += ask('www.example. ANY')
  octets += ask(`${'x'.repeat(60)}.long.example. A`)
  zone.isExpired = true
  octets += ask('www.example. A')
  t.same(ofZone('udp'), [3, 2, 1, 1, octets])
  zone.isExpired = false
  const tcpOctets = ask('www.example. A', { transport: 'tcp' })
  t.same(ofZone('tcp'), [1, 0, 0, 0, tcpOctets])
  t.equal(counters.get(readerCounts.octets), octets)
  t.equal(counters.get(tcpReaderCounts + readerCounts.octets), tcpOctets)
  t.equal(counters.get(tcpReaderCounts + readerCounts.rcodes + rcodes.noError), 1)
  t.equal(counters.get(readerCounts.rcodes + rcodes.noError), 3)
  t.equal(counters.get(readerCounts.rcodes + rcodes.nxDomain), 2)
  t.equal(counters.get(readerCounts.rcodes + rcodes.servFail), 1)
  t.equal(counters.get(readerCounts.rcodes + rcodes.yxDomain), 1)
})

t.test('nobody is counted for what no zone answered', async t => {
  const { ask, ofZone, counters } = open()
  ask('www.elsewhere.test. A')
  ask('www.example. A', { class: 3 })
  ask('example. AXFR', { transport: 'tcp' })
  ask('example. AXFR')
  ask('example. SOA', { opcode: opcodes.notify })
  ask('example. SOA', { edns: { version: 1 } })
  t.same([...ofZone('udp'), ...ofZone('tcp')], Array(10).fill(0))
  const byRcode = (rcode: number) =>
    counters.get(readerCounts.rcodes + rcode) +
    counters.get(tcpReaderCounts + readerCounts.rcodes + rcode)
  t.equal(byRcode(rcodes.refused), 3)
  t.equal(byRcode(rcodes.formErr), 1)
  t.equal(byRcode(rcodes.noError), 1)
  t.equal(byRcode(rcodes.badVers), 1)
})

t.test('nobody is counted for what is no query, though it names a zone', async t => {
  const { ask, ofZone } = open()
  ask('example. SOA', { transport: 'tcp', opcode: opcodes.notify })
  ask('example. SOA', { opcode: opcodes.update })
  ask('example. AXFR', { transport: 'tcp' })
  ask('example. IXFR', { transport: 'tcp' })
  t.same([...ofZone('udp'), ...ofZone('tcp')], Array(10).fill(0))
})

t.test('what gets no response is counted as such', async t => {
  const { responder, counters, room } = open()
  responder.take(0, new Uint8Array(5), 5, 'udp')
  t.equal(responder.respond(0, room), 0)
  t.equal(counters.get(readerCounts.unanswered), 1)
  t.equal(counters.get(readerCounts.octets), 0)
})

t.test('a batch of any length is counted at its end', async t => {
  const { responder, room, ofZone } = open()
  const request = queryFor('www.example. A')
  responder.enter()
  responder.take(0, request, request.length, 'udp')
  for (let i = 0; i < 1000; i += 1) responder.respond(0, room)
  t.ok((ofZone('udp')[0] ?? 0) < 1000)
  responder.leave()
  t.equal(ofZone('udp')[0], 1000)
})

/** Takes all that is handed on. */
function takingHost(clock = { millis: 0 }): ResponderHost {
  return {
    onNotified: () => true,
    onUpdate: () => true,
    onTransfer: () => true,
    readClient: () => 0,
    nowSeconds: () => 0,
    unixSeconds: () => 0,
    nowMillis: () => clock.millis,
  }
}

t.test(
  'queries are counted by type, those of rare types together; what is no query, by opcode',
  t => {
    const { ask, counters, zone } = open()
    ask('www.example. A')
    ask('www.example. A', { transport: 'tcp' })
    ask('www.example. TXT')
    ask('www.example. HINFO')
    ask('www.example. TYPE65280')
    ask('www.elsewhere.test. CAA')
    ask('example. AXFR', { transport: 'tcp' })
    ask('example. SOA', { opcode: opcodes.notify })
    ask('example. SOA', { opcode: opcodes.update })
    const byType = (from: number) =>
      Object.fromEntries(
        queryTypes.flatMap((type, at) => {
          const count = counters.get(from + readerCounts.types + at)
          return count === 0 ? [] : [[type, count]]
        }),
      )
    t.same(byType(0), { A: 1, TXT: 1, other: 2, CAA: 1 })
    t.same(byType(tcpReaderCounts), { A: 1, AXFR: 1 })
    t.equal(counters.get(readerCounts.notifies), 1)
    t.equal(counters.get(readerCounts.updates), 1)
    const ofZone = zoneTypes.map((type, at) => [
      type,
      counters.getOfZone(zone.number, zoneTypeCounts + at),
    ])
    t.same(Object.fromEntries(ofZone.filter(([, count]) => count !== 0)), {
      A: 2,
      TXT: 1,
      other: 2,
    })
    t.end()
  },
)

t.test('of one batch in 16 it is counted how long its responses took', t => {
  const { responder, counters, room } = open()
  const clock = { millis: 0 }
  responder.host = takingHost(clock)
  const request = queryFor('www.example. A')
  const batch = (millis: number) => {
    responder.enter()
    responder.take(0, request, request.length, 'udp')
    for (let i = 0; i < 3; i += 1) responder.respond(0, room)
    responder.leave()
    clock.millis += millis
    responder.sent()
  }
  const counts = () =>
    Array.from({ length: latencyCount }, (_, i) => counters.get(readerCounts.latencies + i))
  batch(firstLatencyMicros / 1000)
  for (let i = 1; i < 16; i += 1) batch(700)
  t.same(counts(), [3, ...Array(latencyCount - 1).fill(0)])
  batch(2000)
  t.same(counts(), [3, ...Array(latencyCount - 2).fill(0), 3])
  t.equal(counters.get(readerCounts.latencyMicros), 3 * firstLatencyMicros + 3 * 2_000_000)
  t.end()
})
