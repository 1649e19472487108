import fc from 'fast-check'
import t from 'tap'
import { FormatError } from '../../src/dns/format-error.ts'
import { formatName, parseName } from '../../src/dns/name.ts'
import { Reader } from '../../src/dns/reader.ts'
import { Writer } from '../../src/dns/writer.ts'
import { nameArbitrary } from '../helpers/rdata-arbitraries.ts'
import { octetsOf } from '../helpers/wire.ts'

t.test('numbers are in network order, and end with the octets', async t => {
  const reader = new Reader(octetsOf('01 0203 fedcba98'))
  t.equal(reader.u8(), 1)
  t.equal(reader.u16(), 0x0203)
  t.equal(reader.u32(), 0xfedcba98)
  t.equal(reader.remainingOctets, 0)
  for (const read of [() => reader.u8(), () => reader.u16(), () => reader.u32()]) {
    t.throws(read, { name: 'FormatError' })
  }
  t.equal(reader.offset, 7, 'a refused read moves nothing')
})

t.test('what is taken is a view', async t => {
  const octets = octetsOf('010203')
  const view = new Reader(octets).take(2)
  octets[0] = 9
  t.equal(view[0], 9)
  t.throws(() => new Reader(octets).take(4), { name: 'FormatError' })
})

t.test('within moves the end and asks that all is read', async t => {
  const reader = new Reader(octetsOf('0102 0304'))
  t.equal(
    reader.within(2, () => reader.u16()),
    0x0102,
  )
  t.equal(reader.remainingOctets, 2, 'the end is back')
  t.throws(() => reader.within(2, () => reader.u8()), { name: 'FormatError' })
  t.throws(() => new Reader(octetsOf('01')).within(2, () => 0), { name: 'FormatError' })
  const short = new Reader(octetsOf('0102'))
  t.throws(() => short.within(1, () => short.u16()), { name: 'FormatError' })
})

t.test('a name inside a shorter rdata may still point back out of it', async t => {
  const reader = new Reader(octetsOf('016100 c000 0162'))
  reader.take(3)
  t.equal(
    reader.within(2, () => reader.name()),
    parseName('a.'),
  )
})

t.test('after a pointer the reader goes on behind it', async t => {
  const reader = new Reader(octetsOf('016100 0162c000 07'))
  t.equal(reader.name(), parseName('a.'))
  t.equal(reader.name(), parseName('b.a.'))
  t.equal(reader.u8(), 7)
})

t.test('malformed names are refused (RFC 1035 section 4.1.4)', async t => {
  const rows: readonly (readonly [string, string, number])[] = [
    ['nothing at all', '', 0],
    ['no root label', '0161', 0],
    ['a label past the end', '0261', 0],
    ['half a pointer', 'c0', 0],
    ['a pointer to itself', 'c000', 0],
    ['a pointer to the start of its own name', '0161c000', 0],
    ['two pointers in a circle', 'c002c000', 2],
    ['a pointer forward', 'c002016100', 0],
    ['a pointer into the middle of its own name, forward in the end', '0161c001', 0],
    ['a pointer past the end', 'c0ff', 0],
    ['the reserved label type 01', '4161', 0],
    ['the reserved label type 10', '8161', 0],
  ]
  for (const [what, hex, start] of rows) {
    const reader = new Reader(octetsOf(hex))
    reader.take(start)
    t.throws(() => reader.name(), { name: 'FormatError' }, what)
  }
})

t.test('a name has at most 255 octets, however it is put together', async t => {
  const label = `3f${'61'.repeat(63)}`
  const fitting = new Reader(octetsOf(`${label.repeat(3)}3d${'61'.repeat(61)}00`))
  t.equal(fitting.name().length, 255)
  const tooLong = new Reader(octetsOf(`${label.repeat(3)}3e${'61'.repeat(62)}00`))
  t.throws(() => tooLong.name(), { name: 'FormatError' })
  const pointing = new Reader(octetsOf(`${label.repeat(3)}00${label}c000`))
  pointing.name()
  t.throws(() => pointing.name(), { name: 'FormatError' })
})

t.test('any names survive a message, compressed or not', async t => {
  const property = fc.property(fc.array(nameArbitrary, { maxLength: 8 }), names => {
    const writer = new Writer(new Uint8Array(0xffff))
    for (const name of names) {
      writer.compressedName(name)
      writer.name(name)
    }
    const reader = new Reader(writer.finish())
    return names.every(name => {
      const [first, second] = [reader.name(), reader.name()]
      // A pointer takes the case of what it points at.
      return formatName(first).toLowerCase() === formatName(name).toLowerCase() && second === name
    })
  })
  t.doesNotThrow(() => fc.assert(property))
})

t.test('a message of chained pointers spends its budget of labels and is refused', async t => {
  // 126 labels of one octet, each name one pointer longer than the one before: whoever follows them all
  // takes millions of steps for 64 kB.
  const octets = new Uint8Array(0xffff)
  const chainOctets = 0x3ffe
  octets.set([0], 0)
  for (let at = 1; at + 1 < chainOctets; at += 2) {
    const target = at === 1 ? 0 : at - 2
    octets[at] = 0xc0 | (target >>> 8)
    octets[at + 1] = target & 0xff
  }
  const lastPointer = chainOctets - 3
  for (let at = chainOctets; at + 1 < octets.length; at += 2) {
    octets[at] = 0xc0 | (lastPointer >>> 8)
    octets[at + 1] = lastPointer & 0xff
  }
  const reader = new Reader(octets)
  reader.take(chainOctets)
  let nameCount = 0
  const readAll = () => {
    for (; reader.remainingOctets >= 2; nameCount += 1) reader.name()
  }
  t.throws(readAll, { name: 'FormatError' })
  // Each name takes over 8,000 steps, and a message has 8 steps for each of its octets.
  t.ok(nameCount <= 64, `${nameCount} names were read`)
})

t.test('a full message of short honest records stays inside the budget', async t => {
  const writer = new Writer(new Uint8Array(0xffff))
  const owner = parseName('a.b.c.d.e.f.example.')
  let nameCount = 0
  for (; !writer.hasOverflowed; nameCount += 1) {
    writer.compressedName(owner)
    writer.octets(new Uint8Array(14))
  }
  const reader = new Reader(writer.finish())
  const readAll = () => {
    for (let i = 0; i < nameCount - 1; i += 1) {
      reader.name()
      reader.take(14)
    }
  }
  t.doesNotThrow(readAll)
})

t.test('any octets give a name or a FormatError', async t => {
  const octet = fc.oneof(fc.integer({ min: 0, max: 255 }), fc.constantFrom(0, 1, 2, 0xc0))
  const property = fc.property(fc.array(octet, { maxLength: 60 }), octets => {
    const reader = new Reader(Uint8Array.from(octets))
    try {
      while (reader.remainingOctets > 0) parseName(formatName(reader.name()))
    } catch (error) {
      return error instanceof FormatError
    }
    return true
  })
  t.doesNotThrow(() => fc.assert(property, { numRuns: 500 }))
})
