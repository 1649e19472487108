import t from 'tap'
import { commitSteps, type StepPlace } from '../../src/service/step-commits.ts'

type Begun = StepPlace & { readonly step: number; settle(isWanted: boolean): void }

/** Steps whose commits end when a test says so. */
function bench(count: number) {
  const begun: Begun[] = []
  let underWay = 0
  let most = 0
  const steps = Array.from({ length: count }, (_, step) => step)
  const done = commitSteps(steps, async (step, place) => {
    underWay += 1
    most = Math.max(most, underWay)
    const { promise, resolve } = Promise.withResolvers<boolean>()
    begun.push({ ...place, step, settle: resolve })
    const isWanted = await promise
    underWay -= 1
    if (step === 13 && !isWanted) throw new Error('step 13')
    return isWanted
  })
  done.catch(() => undefined)
  return { begun, done, underWay: () => underWay, most: () => most }
}

const turn = () => new Promise(setImmediate)

/** Lets all go through as they come, but for those of which something else is known. */
async function settleAll(begun: Begun[], isWanted: (step: number) => boolean, turns = 500) {
  for (let settled = 0, left = turns; left > 0; left -= 1) {
    for (; settled < begun.length; settled += 1) {
      const one = begun[settled] as Begun
      one.settle(isWanted(one.step))
    }
    await turn()
  }
}

t.test('steps begin in their order, several at a time, the last one alone', async t => {
  const { begun, done, underWay, most } = bench(50)
  for (let i = 0; i < 50; i += 1) await turn()
  t.ok(begun.length > 5 && begun.length < 49)
  t.equal(underWay(), begun.length)
  let settled = 0
  while (begun.length < 50) {
    for (; settled < begun.length; settled += 1) begun[settled]?.settle(true)
    await turn()
  }
  t.equal(underWay(), 1)
  begun.at(-1)?.settle(true)
  t.equal(await done, true)
  t.ok(most() < 30)
  t.strictSame(
    begun.map(({ step }) => step),
    Array.from({ length: 50 }, (_, step) => step),
  )
  t.strictSame(
    begun.filter(({ isFirst, isLast }) => isFirst || isLast).map(({ step }) => step),
    [0, 49],
  )
})

t.test('a step alone is first and last', async t => {
  const { begun, done } = bench(1)
  await turn()
  t.match(begun, [{ isFirst: true, isLast: true }])
  begun[0]?.settle(true)
  t.equal(await done, true)
})

t.test('after one that is not wanted no more begin, and nothing is under way', async t => {
  const { begun, done, underWay } = bench(100)
  await settleAll(begun, step => step !== 3)
  t.equal(await done, false)
  t.equal(underWay(), 0)
  t.ok(begun.length < 60)
})

t.test('the failure of the first that fails is told, when nothing is under way', async t => {
  const { begun, done, underWay } = bench(15)
  await settleAll(begun, step => step !== 13)
  await t.rejects(done, { message: 'step 13' })
  t.equal(underWay(), 0)
  t.notOk(begun.some(({ isLast }) => isLast))
})
