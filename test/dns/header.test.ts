import t from 'tap'
import { opcodes, rcodes } from '../../src/dns/codes.ts'
import {
  decodeHeader,
  encodeHeader,
  flags,
  headerOctets,
  opcodeFlags,
  opcodeOf,
  rcodeOf,
} from '../../src/dns/header.ts'
import { Reader } from '../../src/dns/reader.ts'
import { Writer } from '../../src/dns/writer.ts'
import { hexOf, octetsOf } from '../helpers/wire.ts'

const header = {
  id: 0xbeef,
  flags: flags.response | opcodeFlags(opcodes.update) | rcodes.notAuth,
  questionCount: 1,
  answerCount: 2,
  authorityCount: 0xffff,
  additionalCount: 4,
}
const hex = 'beefa80900010002ffff0004'

t.test('a header survives its octets', async t => {
  const writer = new Writer(new Uint8Array(headerOctets))
  encodeHeader(writer, header)
  t.equal(hexOf(writer.finish()), hex)
  t.strictSame(decodeHeader(new Reader(octetsOf(hex))), header)
})

t.test('opcode and rcode are taken out of the flags', async t => {
  t.equal(opcodeOf(header.flags), opcodes.update)
  t.equal(rcodeOf(header.flags), rcodes.notAuth)
  t.equal(opcodeOf(flags.response | flags.authoritative), opcodes.query)
  t.equal(opcodeOf(opcodeFlags(15)), 15)
})

t.test('eleven octets are no header', async t => {
  t.throws(() => decodeHeader(new Reader(octetsOf(hex).subarray(1))), { name: 'FormatError' })
})
