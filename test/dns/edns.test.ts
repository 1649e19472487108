import fc from 'fast-check'
import t from 'tap'
import {
  decodeEdns,
  type Edns,
  ednsOctets,
  encodeEdns,
  maxEdnsOptions,
} from '../../src/dns/edns.ts'
import { Reader } from '../../src/dns/reader.ts'
import { Writer } from '../../src/dns/writer.ts'
import { comparable } from '../helpers/rdata-arbitraries.ts'
import { hexOf, octetsOf } from '../helpers/wire.ts'

const ownerAndType = 3

const edns: Edns = {
  payloadOctets: 1232,
  extendedRcode: 1,
  version: 0,
  isDnssecOk: true,
  options: [
    { code: 3, octets: new Uint8Array() },
    { code: 10, octets: octetsOf('0102030405060708') },
  ],
}
const hex = '000029 04d0 01 00 8000 0010 00030000 000a00080102030405060708'.replaceAll(' ', '')

function encode(value: Edns): Uint8Array {
  const writer = new Writer(new Uint8Array(0xffff))
  encodeEdns(writer, value)
  return writer.finish()
}

function decode(octets: Uint8Array): Edns {
  const reader = new Reader(octets)
  reader.take(ownerAndType)
  return decodeEdns(reader)
}

t.test('an OPT record survives its octets (RFC 6891 section 6.1)', async t => {
  t.equal(hexOf(encode(edns)), hex)
  t.equal(ednsOctets(edns), octetsOf(hex).length)
  t.strictSame(comparable(decode(octetsOf(hex))), comparable(edns))
})

t.test('flags beside DO are ignored (RFC 6891 section 6.1.4)', async t => {
  t.notOk(decode(octetsOf('000029 0200 00 00 7fff 0000')).isDnssecOk)
  t.ok(decode(octetsOf('000029 0200 00 00 ffff 0000')).isDnssecOk)
})

t.test('payload sizes and versions are passed on as they are', async t => {
  t.equal(decode(octetsOf('000029 0000 00 00 0000 0000')).payloadOctets, 0)
  t.equal(decode(octetsOf('000029 ffff 00 01 0000 0000')).payloadOctets, 0xffff)
  t.equal(decode(octetsOf('000029 ffff 00 01 0000 0000')).version, 1)
})

t.test('cut off at any length it is refused', async t => {
  const octets = octetsOf(hex)
  for (let length = ownerAndType; length < octets.length; length += 1) {
    t.throws(() => decode(octets.subarray(0, length)), { name: 'FormatError' }, `${length}`)
  }
})

t.test('an option may not run past the rdata, nor leave octets over', async t => {
  for (const rdata of ['0003 000300', '0004 00030001', '0005 0003000000', '0001 00']) {
    t.throws(() => decode(octetsOf(`000029 0200 00000000 ${rdata} ffff`)), { name: 'FormatError' })
  }
})

t.test('the number of options is bounded', async t => {
  const withOptions = (count: number): Edns => ({
    ...edns,
    options: Array.from({ length: count }, (_, code) => ({ code, octets: new Uint8Array() })),
  })
  t.equal(decode(encode(withOptions(maxEdnsOptions))).options.length, maxEdnsOptions)
  t.throws(() => decode(encode(withOptions(maxEdnsOptions + 1))), { name: 'FormatError' })
})

t.test('any value survives its octets', async t => {
  const octet = fc.integer({ min: 0, max: 0xff })
  const int16 = fc.integer({ min: 0, max: 0xffff })
  const value = fc.record({
    payloadOctets: int16,
    extendedRcode: octet,
    version: octet,
    isDnssecOk: fc.boolean(),
    options: fc.array(fc.record({ code: int16, octets: fc.uint8Array() }), { maxLength: 9 }),
  })
  const property = fc.property(
    value,
    edns =>
      JSON.stringify(comparable(decode(encode(edns)))) === JSON.stringify(comparable(edns)) &&
      encode(edns).length === ednsOctets(edns),
  )
  t.doesNotThrow(() => fc.assert(property))
})
