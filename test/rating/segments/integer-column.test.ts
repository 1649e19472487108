import fc from 'fast-check'
import t from 'tap'
import { ByteReader } from '../../../src/rating/segments/byte-reader.ts'
import { ByteWriter } from '../../../src/rating/segments/byte-writer.ts'
import {
  maxColumnInteger,
  readIntegers,
  writeIntegers,
} from '../../../src/rating/segments/integer-column.ts'
import { held } from '../../helpers/held.ts'

const written = (...values: readonly number[]): Buffer => {
  const writer = new ByteWriter()
  writeIntegers(writer, Float64Array.from(values))
  return writer.bytes
}

t.test('any whole numbers come back', async t => {
  const integer = fc.oneof(
    fc.integer({ min: -300, max: 300 }),
    fc.integer({ min: -maxColumnInteger, max: maxColumnInteger }),
    fc.integer({ min: 0, max: 500 }).map(n => n * 3600),
  )
  held(
    t,
    fc.property(fc.array(integer), values => {
      const read = readIntegers(new ByteReader(written(...values)), values.length)
      return Array.from(read).join() === values.join()
    }),
  )
})

t.test('the width of an offset follows from the spread of the values over their step', async t => {
  // Base 0 and step take two octets, the width one.
  t.equal(written(0, 255).length, 1 + 2 + 1 + 2, 'a step of 255 makes offsets 0 and 1')
  for (const [largest, width] of [
    [255, 1],
    [256, 2],
    [65_535, 2],
    [65_536, 4],
    [2 ** 32 - 1, 4],
    [2 ** 32, 8],
  ] as const) {
    t.equal(written(0, 1, largest).length, 3 + 3 * width, `up to ${largest}`)
  }
  t.equal(written(7, 7, 7).length, 2, 'equal values take no room')
  t.equal(written(0, 3600, 744 * 3600 - 3600).length, 4 + 6, 'hours of a month')
})

t.test('the largest spread there is', async t => {
  const values = [-maxColumnInteger, 0, maxColumnInteger]
  t.same(Array.from(readIntegers(new ByteReader(written(...values)), 3)), values)
})
