import t from 'tap'
import {
  aheadOfLongWork,
  atOnce,
  inPieces,
  inSlices,
  inTurns,
  mapInSlices,
  TimeSlice,
  undivided,
} from '../src/time-slice.ts'
import { heldTimers } from './helpers/held-timers.ts'
import { until } from './helpers/until.ts'

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
  await new TimeSlice().yield()
  t.ok(hadTurn)
})

function compute(ms: number): void {
  for (const until = performance.now() + ms; performance.now() < until; );
}

t.test('work that is under way at the same time shares a slice, and goes on in turns', async t => {
  const log: string[] = []
  const work = async (name: string) => {
    const slice = new TimeSlice()
    for (let i = 0; i < 3; i += 1) {
      compute(6)
      log.push(name)
      if (slice.isSpent) await slice.yield()
    }
  }
  let isDone = false
  const turn = () => {
    log.push('turn')
    if (!isDone) setImmediate(turn)
  }
  setImmediate(turn)
  await Promise.all(['a', 'b', 'c'].map(work))
  isDone = true
  // All three begin in one turn; from then on never two of them in the same.
  t.same(log.slice(0, 3), ['a', 'b', 'c'])
  const others = log.slice(3)
  t.same(
    others.filter(name => name !== 'turn'),
    ['a', 'b', 'c', 'a', 'b', 'c'],
  )
  t.notOk(
    others.some((name, i) => name !== 'turn' && others[i + 1] !== 'turn' && i + 1 < others.length),
  )
})

/** Whether something is so in one of many turns: in others another program may have had its turn in between. */
async function isSoInSomeTurn(isSo: () => boolean): Promise<boolean> {
  for (let turn = 0; turn < 1000; turn += 1) {
    if (isSo()) return true
    await new Promise(resolve => setImmediate(resolve))
  }
  return false
}

function spendSlice(): void {
  const large = new TimeSlice()
  while (!large.isSpent) compute(0.1)
}

t.test('a small piece of work is not held up by a large one in the same turn', async t => {
  const isSo = () => {
    spendSlice()
    return !new TimeSlice().isSpent
  }
  t.ok(await isSoInSomeTurn(isSo))
})

t.test('many small pieces in one turn are', async t => {
  const isSo = () => {
    spendSlice()
    for (let i = 0; i < 20; i += 1) {
      const small = new TimeSlice()
      compute(0.5)
      if (small.isSpent) return true
    }
    return false
  }
  t.ok(await isSoInSomeTurn(isSo))
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
  const doOnce = async (): Promise<boolean> => {
    const state = { isDone: false }
    const done = inSlices(
      (function* () {
        yield
        state.isDone = true
      })(),
    )
    const wasDone = state.isDone
    await done
    t.ok(state.isDone, 'it is done in the end')
    return wasDone
  }
  // A machine that is busy with others can spend a slice on nothing, but not every time.
  await until(doOnce, wasDone => wasDone)
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

t.test('texts are joined into pieces that are worth sending', async t => {
  const pieces: string[] = []
  const half = 'x'.repeat(32 * 1024)
  for await (const piece of inPieces([half, half, 'rest'])) pieces.push(piece)
  t.same(pieces, [half + half, 'rest'])
})

t.test('what is made of items comes in their order, with turns for others', async t => {
  t.same(await mapInSlices([1, 2, 3], number => number * 2), [2, 4, 6])
  let turnCount = 0
  setImmediate(() => {
    turnCount += 1
  })
  await mapInSlices([1, 2, 3], () => compute(4))
  t.equal(turnCount, 1)
})

t.test('work that cannot be divided is done at once, or after a turn for others', async t => {
  const log: string[] = []
  setImmediate(() => log.push('turn'))
  const work = (name: string) =>
    undivided(() => {
      compute(8)
      log.push(name)
    })
  await Promise.all(['a', 'b', 'c'].map(work))
  t.ok(log.includes('turn'))
  t.same(
    log.filter(name => name !== 'turn'),
    ['a', 'b', 'c'],
  )
  t.not(log.at(-1), 'turn')
  await t.rejects(
    undivided(() => {
      throw new RangeError('no')
    }),
    { name: 'RangeError' },
  )
})

const nextTurn = () => new Promise(resolve => setImmediate(resolve))

t.test('resting work waits until something short is over', async t => {
  heldTimers(t)
  const log: string[] = []
  const [first, second] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  const short = [aheadOfLongWork(first.promise), aheadOfLongWork(second.promise)]
  const rests = ['a', 'b'].map(name => new TimeSlice().yield().then(() => log.push(name)))
  for (let i = 0; i < 3; i += 1) await nextTurn()
  first.resolve()
  await nextTurn()
  t.same(log, [])
  second.reject(new RangeError('no'))
  t.equal(await short[0], undefined)
  await t.rejects(Promise.resolve(short[1]), { message: 'no' })
  await Promise.all(rests)
  t.same(log, ['a', 'b'])
})

t.test('resting work waits for something short only for a while, once in each rest', async t => {
  const timers = heldTimers(t)
  const short = Promise.withResolvers<void>()
  const ahead = aheadOfLongWork(short.promise)
  for (let i = 0; i < 2; i += 1) {
    const rest = new TimeSlice().yield()
    await nextTurn()
    timers.letGo()
    await rest
  }
  short.resolve()
  await ahead
  t.pass('both rests ended before it')
})
