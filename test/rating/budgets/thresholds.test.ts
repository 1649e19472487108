import t from 'tap'
import { reachedThresholds } from '../../../src/rating/budgets/thresholds.ts'
import { getDecimal } from '../../../src/rating/decimal.ts'

const reached = (amount: string, thresholds: readonly number[], cost: string) =>
  reachedThresholds({ amount, thresholds }, getDecimal(cost))

t.test('a threshold is reached at its part of the amount, to the last digit', async t => {
  const cases: readonly (readonly [amount: string, cost: string, expected: readonly number[]])[] = [
    ['100', '0', []],
    ['100', '79.9999999999999999999999999999', []],
    ['100', '80', [80]],
    ['100', '100', [80, 100]],
    ['100', '1000000', [80, 100, 150]],
    ['0.0000000000000000000000000001', '0.00000000000000000000000000008', [80]],
    ['100', '-5', []],
  ]
  for (const [amount, cost, expected] of cases)
    t.strictSame(reached(amount, [80, 100, 150], cost), expected, `${cost} of ${amount}`)
})
