import t from 'tap'
import { sortInSteps } from '../../src/store/sort-numbers.ts'
import { atOnce } from '../../src/time-slice.ts'
import { Dice } from '../helpers/dice.ts'

for (const count of [0, 1, 1023, 1024, 1025, 2048, 5000, 10_000]) {
  t.test(`${count} numbers are sorted by what they stand for, in short steps`, async t => {
    const dice = new Dice(count + 1)
    const values = Array.from({ length: count + 1 }, () => dice.below(count))
    const numbers = Int32Array.from({ length: count }, (_, i) => count - i)
    const compare = (left: number, right: number) =>
      (values[left] as number) - (values[right] as number) || left - right
    const expected = [...numbers].sort(compare)
    let comparisons = 0
    const steps = sortInSteps(numbers, (left, right) => {
      comparisons += 1
      return compare(left, right)
    })
    for (let step = steps.next(); ; step = steps.next()) {
      t.ok(comparisons <= 12_000, 'few comparisons in a step')
      comparisons = 0
      if (step.done !== true) continue
      t.same([...step.value], expected)
      return
    }
  })
}

t.test('numbers that are in order take a comparison each', async t => {
  let comparisons = 0
  const numbers = Int32Array.from({ length: 10_000 }, (_, i) => i)
  const sorted = atOnce(
    sortInSteps(numbers, (left, right) => {
      comparisons += 1
      return left - right
    }),
  )
  t.same(sorted, numbers)
  t.ok(comparisons <= numbers.length, `${comparisons} comparisons`)
})
