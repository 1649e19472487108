import t from 'tap'
import { TimeSlice } from '../src/time-slice.ts'

t.test('a slice is spent some time after it began', async t => {
  const slice = new TimeSlice()
  let stepCount = 0
  while (!slice.isSpent) stepCount += 1
  t.pass(`spent after ${stepCount} steps`)
})

t.test('a rest lets others have their turn', async t => {
  let hadTurn = false
  setImmediate(() => {
    hadTurn = true
  })
  await new TimeSlice().rest()
  t.ok(hadTurn)
})
