import fc from 'fast-check'
import t from 'tap'
import { add, type Decimal, decimal, formatDecimal, zero } from '../../src/rating/decimal.ts'
import { ExactSum } from '../../src/rating/exact-sum.ts'
import { held } from '../helpers/held.ts'

const scaled = fc.record({ value: fc.maxSafeInteger(), scale: fc.nat(30) })
const amount = fc
  .tuple(fc.bigInt(-(10n ** 30n), 10n ** 30n), fc.nat(30))
  .map(([coefficient, scale]) => decimal(coefficient, scale))

t.test('a sum of anything, in any order, is exact', async t => {
  held(
    t,
    fc.property(fc.array(scaled), fc.array(amount), (numbers, amounts) => {
      const sum = new ExactSum()
      for (const { value, scale } of numbers) sum.addScaled(value, scale)
      for (const value of amounts) sum.add(value)
      const values = numbers.map(({ value, scale }) => decimal(BigInt(value), scale))
      const expected = [...values, ...amounts].reduce<Decimal>(
        (total, value) => add(total, value),
        zero,
      )
      return formatDecimal(sum.total()) === formatDecimal(expected)
    }),
  )
})

t.test('a sum passes 2^53 without a loss', async t => {
  const sum = new ExactSum()
  for (let i = 0; i < 3; i++) sum.addScaled(Number.MAX_SAFE_INTEGER, 2)
  t.equal(formatDecimal(sum.total()), '270215977642229.73')
})
