import t from 'tap'
import { formatDecimal, getDecimal } from '../../src/rating/decimal.ts'
import { compileRuleBook } from '../../src/rating/hashmap/rule-book.ts'
import { ratePoint, ratingModules } from '../../src/rating/modules.ts'
import { hashmapRows, pointOf } from '../helpers/hashmap-rows.ts'

t.test('hashmap adds to the price a point came with; without it the price stays', async t => {
  const hashmap = compileRuleBook(hashmapRows({ mappings: [{ service: 'storage', cost: '2' }] }))
  const point = pointOf({ qty: '3', price: getDecimal('0.5') })
  t.equal(formatDecimal(ratePoint(point, { hashmap }).price), '6.5')
  t.equal(ratePoint(point, {}), point)
  t.equal(formatDecimal(point.price), '0.5', 'the point itself is not changed')
})

t.test('only noop is on from the start, and scripts can never be', async t => {
  t.same(
    ratingModules.filter(module => module.isEnabledAtFirst).map(module => module.name),
    ['noop'],
  )
  t.same(
    ratingModules.filter(module => !module.canBeEnabled).map(module => module.name),
    ['pyscripts'],
  )
})
