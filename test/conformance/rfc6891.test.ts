import t from 'tap'
import { types } from '../../src/dns/codes.ts'
import { maxEdnsOptions } from '../../src/dns/edns.ts'
import { ask, exchange, queryFor } from '../helpers/ask.ts'
import { zonesFromText } from '../helpers/zone.ts'

const zones = zonesFromText(`
  example.  3600 SOA ns1 hostmaster 1 7200 900 1209600 300
  @         3600 NS  ns1
  ns1       3600 A   192.0.2.53
`)

/** An OPT record without options: root, OPT, 1232, extended rcode, version, flags, no rdata. */
const opt = [0, 0, 41, 4, 208, 0, 0, 0, 0, 0, 0]

/** Returns a query with more records behind it, all counted as additional. */
function withAdditionals(...records: readonly number[][]): Uint8Array {
  const request = Uint8Array.from([...queryFor('ns1.example. A'), ...records.flat()])
  request[11] = records.length
  return request
}

t.test('6.1.1 a request with OPT is answered with OPT, one without is not', async t => {
  t.equal(ask(zones, 'ns1.example. A').edns, undefined)
  t.match(ask(zones, 'ns1.example. A', { edns: {} }).edns, { version: 0, payloadOctets: 1232 })
})

t.test('6.1.1 errors are answered with OPT too', async t => {
  const edns = {}
  t.ok(ask(zones, 'elsewhere.test. A', { edns }).edns)
  t.ok(ask(zones, 'missing.example. A', { edns }).edns)
  t.ok(ask(zones, 'example. AXFR', { edns }).edns)
  t.ok(ask(zones, 'example. A', { edns, class: 3 }).edns)
})

t.test('6.1.1 a second OPT is FORMERR', async t => {
  t.equal(exchange(zones, withAdditionals(opt)).rcode, 'NOERROR')
  t.equal(exchange(zones, withAdditionals(opt, opt)).rcode, 'FORMERR')
})

t.test('6.1.1 OPT may be anywhere in the additional section', async t => {
  const address = [0, 0, 1, 0, 1, 0, 0, 0, 0, 0, 4, 192, 0, 2, 1]
  t.ok(exchange(zones, withAdditionals(opt, address)).edns)
  t.ok(exchange(zones, withAdditionals(address, opt)).edns)
})

t.test('6.1.1 OPT in another section is FORMERR', async t => {
  const request = withAdditionals(opt)
  request[11] = 0
  request[7] = 1
  t.equal(exchange(zones, request).rcode, 'FORMERR')
})

t.test('6.1.2 the owner of OPT is the root, anything else is FORMERR', async t => {
  t.equal(exchange(zones, withAdditionals([1, 0x61, ...opt])).rcode, 'FORMERR')
})

t.test('6.1.2 unknown options are ignored, not returned', async t => {
  const options = [
    { code: 100, octets: new Uint8Array(20) },
    { code: 65_001, octets: new Uint8Array() },
  ]
  const reply = ask(zones, 'ns1.example. A', { edns: { options } })
  t.equal(reply.rcode, 'NOERROR')
  t.same(reply.edns?.options, [])
})

t.test('6.1.2 an option longer than the rdata is FORMERR', async t => {
  const broken = [...opt.slice(0, 9), 0, 4, 0, 3, 0, 1]
  t.equal(exchange(zones, withAdditionals(broken)).rcode, 'FORMERR')
})

t.test('6.1.2 options beyond any use are FORMERR', async t => {
  const option = { code: 100, octets: new Uint8Array() }
  const options = Array.from({ length: maxEdnsOptions }, () => option)
  t.equal(ask(zones, 'ns1.example. A', { edns: { options } }).rcode, 'NOERROR')
  const tooMany = [...options, option]
  t.equal(ask(zones, 'ns1.example. A', { edns: { options: tooMany } }).rcode, 'FORMERR')
})

t.test('6.1.3 a version we do not have is BADVERS, with ours', async t => {
  for (const version of [1, 2, 255]) {
    const reply = ask(zones, 'ns1.example. A', { edns: { version } })
    t.equal(reply.rcode, 'BADVERS')
    t.equal(reply.edns?.version, 0)
    t.equal(reply.flags, '')
    t.same(reply.answer, [])
  }
})

t.test('6.1.3 BADVERS comes before the opcode and the number of questions', async t => {
  const edns = { version: 1 }
  for (const opcode of [1, 2, 4, 5, 15])
    t.match(ask(zones, 'ns1.example. A', { edns, opcode }), {
      rcode: 'BADVERS',
      edns: { version: 0 },
    })
  const request = queryFor('. A', { edns })
  const none = Uint8Array.from([...request.subarray(0, 12).with(5, 0), ...request.subarray(17)])
  t.match(exchange(zones, none), { rcode: 'BADVERS', edns: { version: 0 } })
})

t.test('6.1.4 DO is copied (RFC 3225 3), other flags are not', async t => {
  const reply = ask(zones, 'ns1.example. A', { edns: { isDnssecOk: true } })
  t.equal(reply.edns?.isDnssecOk, true)
  t.equal(ask(zones, 'ns1.example. A', { edns: {} }).edns?.isDnssecOk, false)
  const reserved = [...opt.slice(0, 7), 0x40, 0x01, 0, 0]
  const { octets } = exchange(zones, withAdditionals(reserved))
  t.same([...octets.subarray(-4)], [0, 0, 0, 0])
})

t.test('6.2.3 payload sizes below 512 mean 512', async t => {
  for (const payloadOctets of [0, 1, 511, 512, 65_535]) {
    t.equal(ask(zones, 'ns1.example. A', { edns: { payloadOctets } }).rcode, 'NOERROR')
  }
})

t.test('7 the OPT of a response is its last record', async t => {
  const { octets } = ask(zones, 'example. NS', { edns: {} })
  t.same([...octets.subarray(-11)], opt)
})

t.test('OPT cannot be asked for', async t => {
  t.equal(ask(zones, `example. TYPE${types.OPT}`).rcode, 'FORMERR')
})
