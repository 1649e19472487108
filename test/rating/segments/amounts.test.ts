import fc from 'fast-check'
import t from 'tap'
import { type Decimal, decimal, formatDecimal, getDecimal } from '../../../src/rating/decimal.ts'
import {
  amountAt,
  amountOf,
  concatAmounts,
  decimalOf,
  packAmounts,
  readAmount,
  readAmounts,
  selectAmounts,
  sliceAmounts,
  writeAmount,
  writeAmounts,
} from '../../../src/rating/segments/amounts.ts'
import { ByteReader } from '../../../src/rating/segments/byte-reader.ts'
import { ByteWriter } from '../../../src/rating/segments/byte-writer.ts'
import { held } from '../../helpers/held.ts'

const amount = fc.oneof(
  fc.tuple(fc.maxSafeInteger(), fc.nat(9)).map(([n, scale]) => decimal(BigInt(n), scale)),
  fc.tuple(fc.bigInt(-(10n ** 60n), 10n ** 60n), fc.nat(40)).map(([n, scale]) => decimal(n, scale)),
)
const texts = (column: ReturnType<typeof packAmounts>): readonly string[] =>
  Array.from({ length: column.values.length }, (_, i) => formatDecimal(amountAt(column, i)))

t.test('amounts of any size and scale come back, alone and in a column', async t => {
  held(
    t,
    fc.property(fc.array(amount), amounts => {
      const writer = new ByteWriter()
      writeAmounts(writer, packAmounts(amounts))
      for (const each of amounts) writeAmount(writer, amountOf(each))
      const reader = new ByteReader(writer.bytes)
      const expected = amounts.map(formatDecimal).join()
      return (
        texts(readAmounts(reader, amounts.length)).join() === expected &&
        amounts.map(() => formatDecimal(decimalOf(readAmount(reader)))).join() === expected
      )
    }),
  )
})

t.test('columns are joined, cut and picked from without a change of value', async t => {
  held(
    t,
    fc.property(fc.array(fc.array(amount)), columns => {
      const joined = concatAmounts(columns.map(packAmounts))
      const all = columns.flat().map(formatDecimal)
      const places = Uint32Array.from(all.keys()).reverse()
      return (
        texts(joined).join() === all.join() &&
        texts(selectAmounts(joined, places)).join() === all.toReversed().join() &&
        texts(sliceAmounts(joined, { from: 1, to: 3 })).join() === all.slice(1, 3).join()
      )
    }),
  )
})

t.test('small amounts are whole floats at one scale', async t => {
  const column = packAmounts(['0.5', '20', '0.125'].map(getDecimal) as Decimal[])
  t.same(column, { scale: 3, values: Float64Array.of(500, 20_000, 125) })
})
