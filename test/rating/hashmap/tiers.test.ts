import fc from 'fast-check'
import t from 'tap'
import {
  add,
  compare,
  type Decimal,
  formatDecimal,
  getDecimal,
  zero,
} from '../../../src/rating/decimal.ts'
import { splitByTier } from '../../../src/rating/hashmap/tiers.ts'
import { held } from '../../helpers/held.ts'

const split = (qty: string, monthToDate: string, ...boundaries: readonly string[]) =>
  splitByTier(getDecimal(qty), {
    monthToDate: getDecimal(monthToDate),
    boundaries: boundaries.map(getDecimal),
  }).map(({ tier, qty: part }) => `${tier}:${formatDecimal(part)}`)

t.test('a quantity is cut at the boundaries it crosses', async t => {
  t.same(split('5', '0', '1000'), ['0:5'])
  t.same(split('5', '998', '1000'), ['0:2', '1:3'])
  t.same(split('5', '1000', '1000'), ['1:5'])
  t.same(split('5', '995', '1000'), ['0:5'], 'reaching a boundary does not cross it')
  t.same(split('50', '5', '10', '20'), ['0:5', '1:10', '2:35'])
  t.same(split('0', '1000', '1000'), ['1:0'])
  t.same(split('5', '7'), ['0:5'], 'without boundaries there is one tier')
})

t.test('parts add up to the quantity', async t => {
  const amount = fc.tuple(fc.nat(10 ** 6), fc.nat(4)).map(([n, places]) => `${n}e-${places}`)
  held(
    t,
    fc.property(amount, amount, amount, amount, (qty, before, first, step) => {
      const low = getDecimal(first)
      const parts = splitByTier(getDecimal(qty), {
        monthToDate: getDecimal(before),
        boundaries: [low, add(low, getDecimal(step))],
      })
      const sum = parts.reduce<Decimal>((total, part) => add(total, part.qty), zero)
      return compare(sum, getDecimal(qty)) === 0
    }),
  )
})
