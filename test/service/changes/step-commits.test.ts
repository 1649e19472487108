import t from 'tap'
import { commitSteps, type StepPosition } from '../../../src/service/changes/step-commits.ts'

type Begun = StepPosition & {
  readonly step: number
  readonly resolve: (isWanted: boolean) => void
  readonly reject: (error: Error) => void
}

/** Steps whose commits end when a test says so. */
function bench(count: number) {
  const begun: Begun[] = []
  const bench = { begun, underWay: 0, most: 0, isSettled: false }
  const steps = Array.from({ length: count }, (_, step) => step)
  const done = commitSteps(steps, async (step, place) => {
    bench.underWay += 1
    bench.most = Math.max(bench.most, bench.underWay)
    const { promise, resolve, reject } = Promise.withResolvers<boolean>()
    begun.push({ ...place, step, resolve, reject })
    return promise.finally(() => (bench.underWay -= 1))
  })
  const settle = () => (bench.isSettled = true)
  done.then(settle, settle)
  return Object.assign(bench, { done })
}

const turn = () => new Promise(setImmediate)

/** Until all that can happen has happened. */
async function turns(): Promise<void> {
  for (let i = 0; i < 200; i += 1) await turn()
}

t.test('steps begin in their order, several at a time, the last one alone', async t => {
  const work = bench(50)
  await turns()
  t.ok(work.begun.length > 1 && work.begun.length < 40)
  for (let ended = 0; work.begun.length < 50; await turn()) {
    for (; ended < work.begun.length; ended += 1) work.begun[ended]?.resolve(true)
  }
  await turns()
  t.equal(work.underWay, 1)
  t.ok(work.most < 40)
  work.begun.at(-1)?.resolve(true)
  t.equal(await work.done, true)
  t.strictSame(
    work.begun.map(({ step }) => step),
    Array.from({ length: 50 }, (_, step) => step),
  )
  t.strictSame(
    work.begun.filter(({ isFirst, isLast }) => isFirst || isLast).map(({ step }) => step),
    [0, 49],
  )
})

t.test('a step alone is first and last', async t => {
  const { begun, done } = bench(1)
  await turns()
  t.match(begun, [{ isFirst: true, isLast: true }])
  begun[0]?.resolve(true)
  t.equal(await done, true)
})

t.test('after one that is not wanted no more begin, and nothing is under way', async t => {
  const work = bench(50)
  await turns()
  const { length } = work.begun
  work.begun[0]?.resolve(false)
  await turns()
  t.notOk(work.isSettled)
  for (const { resolve } of work.begun) resolve(true)
  t.equal(await work.done, false)
  t.equal(work.begun.length, length)
})

t.test('of several that fail the first is reported, when nothing is under way', async t => {
  const work = bench(50)
  await turns()
  const [first, second, ...others] = work.begun
  for (const { step, reject } of others) reject(new Error(`step ${step}`))
  second?.reject(new Error('step 1'))
  await turns()
  t.notOk(work.isSettled)
  first?.resolve(true)
  await turns()
  // The one that has begun in place of the first.
  work.begun.at(-1)?.resolve(true)
  await t.rejects(work.done, { message: 'step 1' })
  t.equal(work.underWay, 0)
})

t.test('a failure is not reported before what is behind it is through', async t => {
  const work = bench(50)
  await turns()
  work.begun[0]?.reject(new Error('step 0'))
  await turns()
  t.notOk(work.isSettled)
  for (const { resolve } of work.begun) resolve(true)
  await t.rejects(work.done, { message: 'step 0' })
})
