import t from 'tap'
import { rcodes, types } from '../../../src/dns/codes.ts'
import { flags } from '../../../src/dns/header.ts'
import { formatName } from '../../../src/dns/name.ts'
import { queryFor } from '../ask.ts'
import { readQuery } from './query.ts'

t.test('a query is read with its case and its OPT', async t => {
  const query = readQuery(queryFor('wWw.example. AAAA', { id: 7, edns: { payloadOctets: 4096 } }))
  t.equal(query?.id, 7)
  t.equal(query?.rcode, rcodes.noError)
  t.equal(query?.question && formatName(query.question.name), 'wWw.example.')
  t.equal(query?.question?.type, types.AAAA)
  t.equal(query?.edns?.payloadOctets, 4096)
})

t.test('what has no header, and what is a response, is nothing to answer', async t => {
  const request = queryFor('example. A')
  t.equal(readQuery(request.slice(0, 11)), undefined)
  t.equal(readQuery(new Uint8Array()), undefined)
  t.equal(readQuery(queryFor('example. A', { flags: flags.response })), undefined)
})

t.test('two questions are FORMERR, and neither is taken (RFC 9619)', async t => {
  const request = queryFor('example. A')
  const two = Uint8Array.from([...request, ...request.subarray(12)])
  two[5] = 2
  t.match(readQuery(two), { rcode: rcodes.formErr, question: undefined })
})

t.test('what no answer needs costs no more than its octets, whatever it points at', async t => {
  // Reading as many names of 255 octets would not fit the reader's budget of labels, for one.
  const name = [...Array(127).fill([1, 0x61]).flat(), 0]
  const pointers = Array(5000).fill([0xc0, 12, 0, 1, 0, 1, 0, 0, 0, 0, 0, 0]).flat()
  const count = [5000 >> 8, 5000 & 0xff]
  const header = [0, 0, 0, 0, 0, 1, 0, 0, 0, 0, ...count]
  const query = readQuery(Uint8Array.from([...header, ...name, 0, 1, 0, 1, ...pointers]))
  t.match(query, { rcode: rcodes.noError, question: { type: types.A } })
  const nothingBehind = Uint8Array.of(0, 7, 0, 0, 0xff, 0xff, 0, 0, 0, 0, 0, 0)
  t.match(readQuery(nothingBehind), { id: 7, rcode: rcodes.formErr, question: undefined })
})

t.test('no question is FORMERR, with OPT where there was one', async t => {
  const request = queryFor('. A', { edns: {} })
  const none = Uint8Array.from([...request.subarray(0, 12), ...request.subarray(17)])
  none[5] = 0
  const query = readQuery(none)
  t.match(query, { rcode: rcodes.formErr, question: undefined })
  t.equal(query?.edns?.payloadOctets, 1232)
})

t.test('octets after the last record are FORMERR, the question is kept', async t => {
  const query = readQuery(Uint8Array.from([...queryFor('example. A'), 0]))
  t.equal(query?.rcode, rcodes.formErr)
  t.equal(query?.question?.type, types.A)
})

t.test('counts beyond what is there are FORMERR', async t => {
  for (const at of [5, 7, 9, 11]) {
    const request = queryFor('example. A')
    request[at] = 200
    t.equal(readQuery(request)?.rcode, rcodes.formErr, `count at ${at}`)
  }
})

t.test('pointer loops, forward pointers and pointers at themselves are FORMERR', async t => {
  for (const target of [12, 14, 0x3fff]) {
    const request = queryFor('example. A')
    request.set([0xc0 | (target >> 8), target & 0xff], 12)
    t.equal(readQuery(request)?.rcode, rcodes.formErr, `pointer to ${target}`)
  }
})

t.test('a pointer back into the header is FORMERR: there is no name in front', async t => {
  const header = [0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0]
  const query = readQuery(Uint8Array.from([...header, 0xc0, 0, 0, 1, 0, 1]))
  t.match(query, { rcode: rcodes.formErr, question: undefined })
})

t.test('records in other sections are passed over', async t => {
  const soa = [0, 0, 6, 0, 1, 0, 0, 0, 0, 0, 3, 1, 2, 3]
  const request = Uint8Array.from([...queryFor('example. IXFR'), ...soa])
  request[9] = 1
  t.match(readQuery(request), { rcode: rcodes.noError, question: { type: types.IXFR } })
})

t.test('an opcode that is not QUERY is not looked into', async t => {
  const request = queryFor('example. A', { opcode: 2 }).slice(0, 12)
  t.match(readQuery(request), { rcode: rcodes.notImp, question: undefined, edns: undefined })
})

t.test('the request is left as it is', async t => {
  const request = queryFor('wWw.Example. A', { edns: {} })
  const copy = request.slice()
  readQuery(request)
  t.same(request, copy)
})
