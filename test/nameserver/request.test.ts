import t from 'tap'
import { rcodes, types } from '../../src/dns/codes.ts'
import { flags } from '../../src/dns/header.ts'
import { formatName } from '../../src/dns/name.ts'
import { Request, type Transport } from '../../src/nameserver/request.ts'
import { TableMemory } from '../../src/zone/table/memory.ts'
import { type AskOptions, queryFor } from '../helpers/ask.ts'
import { tsigRecord, withAdditionals } from '../helpers/tsig.ts'
import { openTable } from '../helpers/zone-table.ts'

// What each form of a request earns is in the conformance tests and held against the oracle; here is what is read.

const request = new Request(new TableMemory(openTable().memory))

function read(octets: Uint8Array, transport: Transport = 'udp'): Request {
  const padded = new Uint8Array(octets.length + 5).fill(0xff)
  padded.set(octets)
  request.read(padded, octets.length, transport)
  return request
}

function ask(question: string, options: AskOptions = {}): Request {
  return read(queryFor(question, options), options.transport)
}

t.test('a query: its name in lower case, type, class, and how much may be answered', async t => {
  const { key, ...read } = ask('wWw.example. AAAA', { id: 7, edns: { payloadOctets: 1000 } })
  t.equal(formatName(key.nameFrom(0)), 'www.example.')
  t.match(read, { qtype: types.AAAA, qclass: 1, hasEdns: true, limitOctets: 1000 })
  t.equal(request.id, 7)
  t.equal(request.isOfZone, true)
  t.equal(ask('example. A').limitOctets, 512)
  t.equal(ask('example. A', { edns: { payloadOctets: 100 } }).limitOctets, 512)
  t.equal(ask('example. A', { edns: { payloadOctets: 4096 } }).limitOctets, 1232)
  t.equal(ask('example. A', { transport: 'tcp', edns: {} }).limitOctets, 0xffff)
})

t.test('nothing is left of the request before', async t => {
  read(withAdditionals(queryFor('example. A', { edns: { isDnssecOk: true } }), tsigRecord()))
  t.match(request, { hasEdns: true, isDnssecOk: true, isOfZone: false })
  t.ok(request.tsig)
  ask('example. A')
  t.match(request, { hasEdns: false, isDnssecOk: false, tsig: undefined, isOfZone: true })
  ask('example. A', { edns: { version: 1 } })
  t.equal(ask('example. A', { edns: {} }).rcode, rcodes.noError)
  t.equal(read(new Uint8Array(12)).hasQuestion, false)
})

t.test('what has no header, and what is a response, is nothing to answer', async t => {
  const query = queryFor('example. A')
  t.equal(read(query.slice(0, 11)).isAnswerable, false)
  t.equal(read(new Uint8Array()).isAnswerable, false)
  t.equal(ask('example. A', { flags: flags.response }).isAnswerable, false)
  t.equal(read(query).isAnswerable, true)
})

t.test('cut off anywhere, it is FORMERR', async t => {
  const whole = withAdditionals(
    queryFor('www.example. A', { edns: { options: [{ code: 10, octets: new Uint8Array(8) }] } }),
    tsigRecord(),
  )
  for (let length = 12; length < whole.length; length += 1) {
    t.equal(read(whole.slice(0, length)).rcode, rcodes.formErr, `${length} octets`)
  }
})

t.test('two questions are FORMERR, and neither is taken (RFC 9619); so is none', async t => {
  const one = queryFor('. A', { edns: {} })
  const question = one.subarray(12, 17)
  const two = Uint8Array.from([...one.subarray(0, 17).with(5, 2), ...question, ...one.subarray(17)])
  t.match(read(two), { rcode: rcodes.formErr, hasQuestion: false })
  const none = Uint8Array.from([...one.subarray(0, 12).with(5, 0), ...one.subarray(17)])
  t.match(read(none), { rcode: rcodes.formErr, hasQuestion: false, hasEdns: true })
})

t.test('octets after the last record are FORMERR, what came before is kept', async t => {
  const trailing = Uint8Array.from([...queryFor('example. AAAA', { edns: {} }), 0])
  t.match(read(trailing), { rcode: rcodes.formErr, qtype: types.AAAA, hasEdns: true })
})

t.test('counts beyond what is there are FORMERR', async t => {
  for (const at of [5, 7, 9, 11]) {
    t.equal(read(queryFor('example. A').with(at, 200)).rcode, rcodes.formErr, `count at ${at}`)
  }
})

t.test('a question that points back into the header is FORMERR', async t => {
  const header = [0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0]
  const pointing = Uint8Array.from([...header, 0xc0, 0, 0, 1, 0, 1])
  t.match(read(pointing), { rcode: rcodes.formErr, hasQuestion: false })
})

t.test('records in other sections are passed over', async t => {
  const soa = [0, 0, 6, 0, 1, 0, 0, 0, 0, 0, 3, 1, 2, 3]
  const withSoa = Uint8Array.from([...queryFor('example. A').with(9, 1), ...soa])
  t.match(read(withSoa), { rcode: rcodes.noError, qtype: types.A })
})

t.test('what no answer needs costs no more than its octets, whatever it points at', async t => {
  // Reading as many names of 255 octets would not fit the reader's budget of labels, for one.
  const name = [...Array(127).fill([1, 0x61]).flat(), 0]
  const pointers = Array(5000).fill([0xc0, 12, 0, 1, 0, 1, 0, 0, 0, 0, 0, 0]).flat()
  const header = [0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 5000 >> 8, 5000 & 0xff]
  t.equal(read(Uint8Array.from([...header, ...name, 0, 1, 0, 1, ...pointers])).rcode, 0)
  const nothingBehind = Uint8Array.of(0, 7, 0, 0, 0xff, 0xff, 0, 0, 0, 0, 0, 0)
  t.match(read(nothingBehind), { rcode: rcodes.formErr, hasQuestion: false })
})

t.test('pointer loops, forward pointers and pointers at themselves are FORMERR', async t => {
  const record = [0, 1, 0, 1, 0, 0, 0, 0, 0, 0]
  const at = queryFor('example. A').length
  for (const [target, rcode] of [
    [at, rcodes.formErr],
    [at + 2, rcodes.formErr],
    [0x3fff, rcodes.formErr],
    [12, rcodes.noError],
  ] as const) {
    const pointer = Uint8Array.from([0xc0 | (target >> 8), target & 0xff, ...record])
    t.equal(read(withAdditionals(queryFor('example. A'), pointer)).rcode, rcode, `to ${target}`)
  }
})
