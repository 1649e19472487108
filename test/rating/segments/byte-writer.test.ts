import fc from 'fast-check'
import t from 'tap'
import { ByteReader } from '../../../src/rating/segments/byte-reader.ts'
import { ByteWriter } from '../../../src/rating/segments/byte-writer.ts'
import { held } from '../../helpers/held.ts'

t.test('numbers and texts come back in the order written', async t => {
  const item = fc.oneof(
    fc.record({ kind: fc.constant('varint' as const), value: fc.maxSafeNat() }),
    fc.record({
      kind: fc.constant('signed' as const),
      value: fc.integer({ min: -(2 ** 52), max: 2 ** 52 - 1 }),
    }),
    fc.record({ kind: fc.constant('text' as const), value: fc.string({ unit: 'binary' }) }),
    fc.record({ kind: fc.constant('byte' as const), value: fc.nat(255) }),
  )
  held(
    t,
    fc.property(fc.array(item), items => {
      const writer = new ByteWriter()
      for (const { kind, value } of items) (writer[kind] as (value: string | number) => void)(value)
      const reader = new ByteReader(writer.bytes)
      return (
        items.every(({ kind, value }) => reader[kind]() === value) &&
        reader.position === writer.length
      )
    }),
  )
})

t.test('a varint grows by an octet every seven bits', async t => {
  for (const [value, length] of [
    [0, 1],
    [127, 1],
    [128, 2],
    [16_383, 2],
    [16_384, 3],
    [Number.MAX_SAFE_INTEGER, 8],
  ] as const) {
    const writer = new ByteWriter()
    writer.varint(value)
    t.equal(writer.length, length, `${value}`)
  }
})

t.test('reading past the end is refused', async t => {
  t.throws(() => new ByteReader(Buffer.of(0x80)).varint(), RangeError)
  t.throws(() => new ByteReader(Buffer.of(5, 0x41)).text(), RangeError)
})

t.test('a buffer grows as far as one write needs', async t => {
  const writer = new ByteWriter()
  writer.byte(1)
  writer.append(Buffer.alloc(100_000, 2))
  t.equal(writer.bytes.length, 100_001)
  t.equal(writer.bytes[100_000], 2)
})
