import t from 'tap'
import { FormatError } from '../../src/dns/format-error.ts'
import { parseName } from '../../src/dns/name.ts'
import { Reader } from '../../src/dns/reader.ts'
import { decodeTsig, encodeTsig, type Tsig } from '../../src/dns/tsig.ts'
import { Writer } from '../../src/dns/writer.ts'
import { hexOf, octetsOf } from '../helpers/wire.ts'

const tsig: Tsig = {
  keyName: parseName('key.example.'),
  algorithm: parseName('hmac-sha256.'),
  timeSigned: 0x0102_0304_0506,
  fudgeSeconds: 300,
  mac: octetsOf('aabbccdd'),
  originalId: 0x1234,
  error: 17,
  otherData: octetsOf('ee'),
}
const owner = '036b6579076578616d706c6500'
const algorithm = '0b686d61632d73686132353600'
const rest = '010203040506 012c 0004aabbccdd 1234 0011 0001ee'.replaceAll(' ', '')
const hex = `${owner} 00fa 00ff 00000000 0022 ${algorithm} ${rest}`.replaceAll(' ', '')

function encode(value: Tsig, limitOctets = 0xffff): Writer {
  const writer = new Writer(new Uint8Array(0xffff), limitOctets)
  encodeTsig(writer, value)
  return writer
}

/** Decodes a record, owner and type included. */
function decode(octets: Uint8Array): Tsig {
  const reader = new Reader(octets)
  const keyName = reader.name()
  reader.u16()
  return decodeTsig(reader, keyName)
}

t.test('the record of RFC 8945 section 4.2, both ways', async t => {
  t.equal(hexOf(encode(tsig).finish()), hex)
  t.same(decode(octetsOf(hex)), { ...tsig, mac: octetsOf('aabbccdd'), otherData: octetsOf('ee') })
})

t.test('names come in any case and are kept in lower case', async t => {
  const upper = hex.replace(owner, '034b4559076578616d706c6500').replace('686d61', '484d41')
  t.same(decode(octetsOf(upper)), decode(octetsOf(hex)))
})

t.test('any TTL is taken, and no class but ANY', async t => {
  t.same(decode(octetsOf(hex.replace('00ff00000000', '00ff00000005'))), decode(octetsOf(hex)))
  t.throws(() => decode(octetsOf(hex.replace('00fa00ff', '00fa0001'))), FormatError)
})

t.test('cut off anywhere, or an octet too many, is no TSIG', async t => {
  const octets = octetsOf(hex)
  for (let length = octetsOf(owner).length + 2; length < octets.length; length += 1) {
    t.throws(() => decode(octets.slice(0, length)), FormatError, `${length} octets`)
  }
  t.throws(() => decode(octetsOf(`${hex.replace('00000022', '00000023')}00`)), FormatError)
})

t.test('without room it overflows, to be rolled back', async t => {
  t.equal(encode(tsig, hex.length / 2).hasOverflowed, false)
  t.equal(encode(tsig, hex.length / 2 - 1).hasOverflowed, true)
})
