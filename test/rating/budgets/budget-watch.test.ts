import t, { type Test } from 'tap'
import type { BudgetDraft } from '../../../src/model/budget.ts'
import { newStamp } from '../../../src/model/stamped.ts'
import { BudgetWatch } from '../../../src/rating/budgets/budget-watch.ts'
import { CostLedger } from '../../../src/rating/budgets/cost-ledger.ts'
import { getDecimal } from '../../../src/rating/decimal.ts'
import { PointStore } from '../../../src/rating/segments/point-store.ts'
import { eventFactsOf, eventsOf } from '../../../src/service/events/resource-event.ts'
import { fakeClock } from '../../helpers/clock.ts'
import { openMemoryStore } from '../../helpers/memory-store.ts'
import { SimulatedDisk } from '../../helpers/simulated-disk.ts'
import { at, usage } from '../../helpers/usage.ts'

/** Stores whose budget events are noted, and watches on them, one after the other as over restarts. */
async function openWatched(t: Test, now = '2026-11-21T12:00') {
  const clock = fakeClock(at(now) * 1000)
  const store = openMemoryStore({ clock, factsOf: eventFactsOf })
  const told: string[] = []
  store.setCommitListener(commit => {
    for (const { type, payload } of eventsOf(commit) ?? [])
      told.push(`${type} ${payload.project_id} ${payload.month ?? ''} ${payload.threshold ?? ''}`)
  })
  const points = await PointStore.open('s', { files: new SimulatedDisk() })
  t.teardown(() => points.close())
  const start = () => {
    const onFailed = (error: unknown) => t.fail('not looked at', { error })
    const watch = new BudgetWatch({ store, ledger: new CostLedger(points), clock, onFailed })
    points.setListener(watch)
    return watch
  }
  return {
    clock,
    store,
    points,
    start,
    told: () => told.splice(0),
    setBudget: (projectId: string, draft: BudgetDraft) =>
      store.commit(tx => tx.put('budgets', { ...newStamp(tx, projectId), projectId, ...draft })),
    /** Rates an hour, as a collector does. */
    async rate(watch: BudgetWatch, projectId: string, hour: string, price: string) {
      const period = { begin: at(hour), end: at(hour) + 3600 }
      const removals = [{ projectId, origin: 'dns', period }]
      const point = usage(hour, projectId, '1', { price: getDecimal(price) })
      await points.write({ origin: 'dns', removals, points: [point] })
      await watch.settled()
    },
  }
}

const thresholds = [50, 100]

t.test(
  'each threshold is reported once a month, also when several are reached at once',
  async t => {
    const { start, rate, setBudget, told, clock } = await openWatched(t)
    await setBudget('p1', { amount: '10', thresholds })
    const watch = start()
    told()
    await rate(watch, 'p1', '2026-11-20T01', '4.99')
    await rate(watch, 'p2', '2026-11-20T01', '1000')
    t.strictSame(told(), [])
    await rate(watch, 'p1', '2026-11-20T02', '0.01')
    t.strictSame(told(), ['rating.budget.threshold p1 2026-11 50'])
    await rate(watch, 'p1', '2026-11-20T03', '1')
    t.strictSame(told(), [])
    clock.advanceMillis(12 * 86_400_000)
    await rate(watch, 'p1', '2026-12-02T01', '100')
    t.strictSame(told(), [
      'rating.budget.threshold p1 2026-12 50',
      'rating.budget.threshold p1 2026-12 100',
    ])
  },
)

t.test('rating again, restarting and looking again tell nothing twice', async t => {
  const { start, rate, setBudget, told } = await openWatched(t)
  await setBudget('p1', { amount: '10', thresholds })
  const first = start()
  await rate(first, 'p1', '2026-11-20T01', '7')
  told()
  // Down below the threshold and up again.
  await rate(first, 'p1', '2026-11-20T01', '1')
  await rate(first, 'p1', '2026-11-20T01', '8')
  await first.checkAll()
  const second = start()
  await second.checkAll()
  await rate(second, 'p1', '2026-11-20T01', '9')
  t.strictSame(told(), [])
  await rate(second, 'p1', '2026-11-20T01', '10')
  t.strictSame(told(), ['rating.budget.threshold p1 2026-11 100'])
})

t.test('what was stored while nobody looked is told at the next look', async t => {
  const { start, points, setBudget, told } = await openWatched(t)
  await setBudget('p1', { amount: '10', thresholds })
  const point = usage('2026-11-20', 'p1', '1', { price: getDecimal('7') })
  await points.write({ origin: 'dns', points: [point] })
  told()
  const watch = start()
  await Promise.all([watch.checkAll(), watch.checkAll()])
  t.strictSame(told(), ['rating.budget.threshold p1 2026-11 50'])
})

t.test('the last hours of a month count for theirs, under the budget of that month', async t => {
  const { start, rate, setBudget, told, clock } = await openWatched(t, '2026-11-30T23:30')
  await setBudget('p1', { amount: '10', thresholds })
  const watch = start()
  clock.advanceMillis(2 * 3_600_000)
  told()
  await rate(watch, 'p1', '2026-11-30T23', '7')
  t.strictSame(told(), ['rating.budget.threshold p1 2026-11 50'])
  await setBudget('p1', { amount: '1', thresholds })
  told()
  await rate(watch, 'p1', '2026-11-30T22', '7')
  t.strictSame(told(), [], 'a budget of December does not judge November')
})

t.test('what is told of older months is forgotten', async t => {
  const { start, rate, setBudget, store, clock } = await openWatched(t)
  await setBudget('p1', { amount: '10', thresholds })
  const watch = start()
  const kept: number[] = []
  for (const hour of ['2026-11-20T01', '2026-12-20T01', '2027-01-20T01', '2027-02-20T01']) {
    await rate(watch, 'p1', hour, '100')
    kept.push(store.count('budgetCrossings', 'byBudget', 'p1'))
    clock.advanceMillis(30 * 86_400_000)
  }
  t.strictSame(kept, [2, 4, 4, 4])
})

t.test('points that cannot be read are told of, and the next look makes up for it', async t => {
  const { store, setBudget, clock, points, told } = await openWatched(t)
  await setBudget('p1', { amount: '10', thresholds })
  let isBroken = true
  const ledger = new CostLedger({
    snapshot(range) {
      if (isBroken) throw new Error('a bad disk')
      return points.snapshot(range)
    },
  })
  const failures: unknown[] = []
  const watch = new BudgetWatch({ store, ledger, clock, onFailed: error => failures.push(error) })
  points.setListener(watch)
  told()
  const point = usage('2026-11-20', 'p1', '1', { price: getDecimal('7') })
  await points.write({ origin: 'dns', points: [point] })
  await watch.settled()
  t.match(failures, [{ message: 'a bad disk' }])
  isBroken = false
  await watch.checkAll()
  t.strictSame(told(), ['rating.budget.threshold p1 2026-11 50'])
})
