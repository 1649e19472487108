import t from 'tap'
import { atOnce, inSlices, inTurns, TimeSlice } from '../src/time-slice.ts'

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

function* counting(count: number) {
  for (let i = 0; i < count; i++) yield
  return count
}

t.test('steps are done at once, or with turns for others between them', async t => {
  t.equal(atOnce(counting(1000)), 1000)
  t.equal(await inSlices(counting(1000)), 1000)
  let turnCount = 0
  let isDone = false
  const turn = () => {
    turnCount++
    if (!isDone) setImmediate(turn)
  }
  setImmediate(turn)
  await inSlices(counting(2_000_000))
  isDone = true
  t.ok(turnCount > 1, `${turnCount} turns`)
})

t.test('what fits into one slice is done before inSlices returns; what fails rejects', async t => {
  let isDone = false
  const done = inSlices(
    (function* () {
      yield
      isDone = true
    })(),
  )
  t.ok(isDone)
  await done
  const failing = (function* (): Generator<undefined, never> {
    yield
    throw new RangeError('no')
  })()
  await t.rejects(inSlices(failing), { name: 'RangeError', message: 'no' })
})

t.test('pieces are handed on in order, with turns for others', async t => {
  const pieces: number[] = []
  for await (const piece of inTurns([1, 2, 3])) pieces.push(piece)
  t.same(pieces, [1, 2, 3])
})
