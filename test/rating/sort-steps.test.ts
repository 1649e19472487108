import fc from 'fast-check'
import t from 'tap'
import { sortSteps } from '../../src/rating/sort-steps.ts'
import { atOnce } from '../../src/time-slice.ts'
import { Dice } from '../helpers/dice.ts'

const byKey = (a: { readonly key: number }, b: { readonly key: number }) => a.key - b.key

t.test('the order is that of the built-in sort, ties as they came', async t => {
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 5000 }), fc.nat(), (length, seed) => {
      const dice = new Dice(seed)
      const items = Array.from({ length }, (_, place) => ({ key: dice.below(50), place }))
      const sorted = atOnce(sortSteps(items, byKey))
      return JSON.stringify(sorted) === JSON.stringify(items.toSorted(byKey))
    }),
    { numRuns: 50 },
  )
  t.pass('50 lists')
})

t.test('a long list is sorted in many steps', async t => {
  const items = Array.from({ length: 100_000 }, (_, i) => ({ key: -i }))
  const compared: number[] = [0]
  const counting = (a: { readonly key: number }, b: { readonly key: number }) => {
    compared[compared.length - 1]!++
    return byKey(a, b)
  }
  for (const _ of sortSteps(items, counting)) compared.push(0)
  t.ok(Math.max(...compared) < 20_000, `at most ${Math.max(...compared)} comparisons a step`)
})
