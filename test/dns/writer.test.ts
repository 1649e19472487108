import t from 'tap'
import { parseName } from '../../src/dns/name.ts'
import { Writer } from '../../src/dns/writer.ts'
import { hexOf, octetsOf } from '../helpers/wire.ts'

const www = parseName('www.example.')
const example = parseName('example.')

t.test('numbers are in network order', async t => {
  const writer = new Writer(new Uint8Array(20))
  writer.u8(1)
  writer.u16(0x0203)
  writer.u32(0xfedcba98)
  writer.octets(octetsOf('aabb'))
  t.equal(hexOf(writer.finish()), '010203fedcba98aabb')
})

t.test('a compressed name points at its longest known suffix, case aside', async t => {
  const writer = new Writer(new Uint8Array(100))
  writer.compressedName(example)
  writer.compressedName(www)
  writer.compressedName(parseName('FTP.EXAMPLE.'))
  writer.compressedName(parseName('Www.Example.'))
  t.equal(
    hexOf(writer.finish()),
    `${'076578616d706c6500'}${'03777777c000'}${'03465450c000'}${'c009'}`,
  )
})

t.test('the root is never a pointer', async t => {
  const writer = new Writer(new Uint8Array(10))
  writer.compressedName(parseName('.'))
  writer.compressedName(parseName('.'))
  t.equal(hexOf(writer.finish()), '0000')
})

t.test('an uncompressed name may be pointed at, but does not point', async t => {
  const writer = new Writer(new Uint8Array(100))
  writer.compressedName(example)
  writer.name(www)
  writer.compressedName(www)
  t.equal(hexOf(writer.finish()), `076578616d706c6500${'03777777076578616d706c6500'}c009`)
})

t.test('a pointer reaches 0x3fff and not one further (RFC 1035 section 4.1.4)', async t => {
  for (const [at, expected] of [
    [0x3fff, 'ffff'],
    [0x4000, '016100'],
  ] as const) {
    const writer = new Writer(new Uint8Array(0x5000))
    writer.octets(new Uint8Array(at))
    writer.compressedName(parseName('a.'))
    const second = writer.offset
    writer.compressedName(parseName('a.'))
    t.equal(hexOf(writer.finish().subarray(second)), expected)
  }
})

t.test('what does not fit is dropped whole and remembered until the roll-back', async t => {
  const writer = new Writer(new Uint8Array(100), 4)
  writer.u16(1)
  const mark = writer.mark()
  writer.u16(2)
  writer.u8(3)
  t.ok(writer.hasOverflowed)
  t.equal(writer.offset, 4)
  writer.rollback(mark)
  t.notOk(writer.hasOverflowed)
  writer.u16(5)
  t.equal(hexOf(writer.finish()), '00010005')
})

t.test('after an overflow nothing more is written, however small', async t => {
  const writer = new Writer(new Uint8Array(3))
  writer.u32(1)
  writer.u8(2)
  t.equal(writer.offset, 0)
})

t.test('a roll-back forgets the names written since', async t => {
  const writer = new Writer(new Uint8Array(100))
  writer.compressedName(example)
  const mark = writer.mark()
  writer.compressedName(www)
  writer.rollback(mark)
  writer.compressedName(parseName('x.www.example.'))
  t.equal(hexOf(writer.finish()), '076578616d706c6500' + '0178' + '03777777' + 'c000')
})

t.test('a moved limit gives back what was reserved, never more than the buffer', async t => {
  const writer = new Writer(new Uint8Array(4), 2)
  writer.u16(1)
  writer.setLimit(99)
  writer.u16(2)
  writer.u8(3)
  t.ok(writer.hasOverflowed)
  t.equal(hexOf(writer.finish()), '00010002')
})

t.test('a length is put in afterwards', async t => {
  const writer = new Writer(new Uint8Array(4))
  writer.u16(0)
  writer.u16(7)
  writer.patch16(0, 2)
  t.equal(hexOf(writer.finish()), '00020007')
})
