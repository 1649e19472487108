import t from 'tap'
import { callerOf } from '../../helpers/dns.ts'
import { startRatingApi } from '../../helpers/rating-api.ts'
import { usage } from '../../helpers/usage.ts'

t.test('of two who give a project its budget at once one is refused', async t => {
  const { services, api } = await startRatingApi(t)
  const draft = { amount: '10', thresholds: [80] }
  const caller = callerOf('p1')
  const outcomes = await Promise.allSettled([
    services.budgets.create(caller, 'p1', draft),
    services.budgets.create(caller, 'p1', { ...draft, amount: '20' }),
  ])
  t.same(outcomes.map(({ status }) => status).sort(), ['fulfilled', 'rejected'])
  const refused = outcomes.find(outcome => outcome.status === 'rejected')
  t.match(refused?.reason, { name: 'ApiError', type: 'duplicate_budget' })
  t.equal(api.store.count('budgets', 'byProject', 'p1'), 1)
})

t.test('a budget without usage has cost nothing; its month goes by the clock', async t => {
  const { services, api } = await startRatingApi(t)
  const caller = callerOf('p1')
  const budget = await services.budgets.create(caller, 'p1', { amount: '10', thresholds: [80] })
  const [november] = await services.budgets.states([budget])
  t.match(november, { month: '2026-11', cost: { coefficient: 0n }, topZones: [], crossings: [] })
  t.match(november?.forecast, { coefficient: 0n })
  const price = { coefficient: 9n, scale: 0 }
  await services.points.write({
    origin: 'dns',
    points: [usage('2026-11-20', 'p1', '1', { price })],
  })
  api.clock.advanceMillis(20 * 86_400_000)
  const [december] = await services.budgets.states([budget])
  t.match(december, { month: '2026-12', cost: { coefficient: 0n }, crossings: [] })
})

t.test('a budget takes what it has reported with it', async t => {
  const { services, api } = await startRatingApi(t)
  const caller = callerOf('p1')
  const price = { coefficient: 9n, scale: 0 }
  await services.points.write({
    origin: 'dns',
    points: [usage('2026-11-20', 'p1', '1', { price })],
  })
  const { id } = await services.budgets.create(caller, 'p1', { amount: '10', thresholds: [50, 80] })
  t.equal(api.store.count('budgetCrossings', 'byBudget', id), 2)
  await services.budgets.delete(caller, id)
  t.equal(api.store.count('budgetCrossings', 'byBudget', id), 0)
  t.throws(() => services.budgets.get(caller, id), { name: 'ApiError', type: 'budget_not_found' })
})
