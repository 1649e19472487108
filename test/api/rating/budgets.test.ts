import t, { type Test } from 'tap'
import { getDecimal } from '../../../src/rating/decimal.ts'
import { startRatingApi } from '../../helpers/rating-api.ts'
import { scopeState } from '../../helpers/scope-states.ts'
import { at, usage } from '../../helpers/usage.ts'

/** Noon of the 21st of November 2026, by the clock of the tests. */
async function startWithProjects(t: Test) {
  const { api, services, budgetWatch } = await startRatingApi(t)
  const alpha = await api.clientOf({ project: 'alpha' })
  const beta = await api.clientOf({ project: 'beta' })
  const idOf = (name: string) => api.store.find('projects', 'byName', `default\n${name}`)?.id ?? ''
  return {
    api,
    alpha,
    beta,
    everywhere: api.admin.with({ 'x-auth-all-projects': 'true' }),
    idOf,
    async spend(projectId: string, price: string, zone = 'a') {
      const point = usage('2026-11-20', projectId, '1', {
        price: getDecimal(price),
        groupby: { id: `id-of-${zone}` },
        metadata: { zone_name: `${zone}.example.` },
      })
      await services.points.write({ origin: 'dns', points: [point] })
      await budgetWatch.settled()
    },
  }
}

t.test('a budget shows cost, forecast, zones and what has been reached', async t => {
  const { api, alpha, idOf, spend } = await startWithProjects(t)
  const id = idOf('alpha')
  await spend(id, '0.1000000000000000000000000001')
  const lastProcessed = at('2026-11-14T23')
  await api.store.commit(tx => tx.put('scopeStates', scopeState(id, { lastProcessed })))
  const made = await alpha.post('/v2/budgets?exact=true', {
    amount: '10.50',
    thresholds: [100, 1, 50, 1],
  })
  t.equal(made.status, 201)
  const url = `${api.url}/v2/budgets/${made.body.id}`
  t.equal(made.headers.get('location'), url)
  t.strictSame(made.body, {
    id: made.body.id,
    project_id: id,
    amount: '10.50',
    thresholds: [1, 50, 100],
    month: '2026-11',
    cost: '0.1000000000000000000000000001',
    forecast: '0.2142857142857142857142857145',
    rated_until: '2026-11-15T00:00:00+00:00',
    crossed_thresholds: [],
    top_zones: [{ id: 'id-of-a', name: 'a.example.', cost: '0.1000000000000000000000000001' }],
    created_at: '2026-11-21T12:00:00+00:00',
    updated_at: null,
    links: { self: url },
  })
  await spend(id, '5.2', 'b')
  const { body } = await alpha.get(`/v2/budgets/${made.body.id}?exact=true`)
  t.equal(body.cost, '5.3000000000000000000000000001')
  t.same(
    body.top_zones.map((zone: { name: string }) => zone.name),
    ['b.example.', 'a.example.'],
  )
  t.strictSame(
    body.crossed_thresholds,
    [1, 50].map(threshold => ({
      threshold,
      amount: '10.50',
      cost: '5.3000000000000000000000000001',
      crossed_at: '2026-11-21T12:00:00+00:00',
    })),
  )
})

t.test('what is spent already is reported with the budget that says so', async t => {
  const { alpha, idOf, spend } = await startWithProjects(t)
  await spend(idOf('alpha'), '9')
  const { body } = await alpha.post('/v2/budgets', { amount: '10' })
  t.strictSame(body.thresholds, [80, 100])
  t.match(body.crossed_thresholds, [{ threshold: 80 }])
  t.equal(body.crossed_thresholds.length, 1)
})

t.test('a change keeps what it leaves out; a raised amount takes crossings back', async t => {
  const { alpha, idOf, spend } = await startWithProjects(t)
  await spend(idOf('alpha'), '9')
  const { body: made } = await alpha.post('/v2/budgets', { amount: '9', thresholds: [50, 100] })
  const path = `/v2/budgets/${made.id}`
  const raised = await alpha.put(path, { amount: '12' })
  t.equal(raised.status, 200)
  t.match(raised.body, {
    amount: '12',
    thresholds: [50, 100],
    crossed_thresholds: [{ amount: '9' }],
  })
  t.equal(raised.body.crossed_thresholds.length, 1)
  t.type(raised.body.updated_at, 'string')
  await spend(idOf('alpha'), '3')
  const { body } = await alpha.get(path)
  t.match(body.crossed_thresholds, [
    { amount: '9' },
    { threshold: 100, amount: '12', cost: '12.00' },
  ])
  const repeated = await alpha.put(path, { amount: ' 12 ', thresholds: [100, 50] })
  t.strictSame(repeated.body, body)
  t.strictSame((await alpha.put(path, { thresholds: [70] })).body.thresholds, [70])
  t.equal((await alpha.delete(path)).status, 204)
  t.equal((await alpha.get(path)).status, 404)
  const { body: again } = await alpha.post('/v2/budgets', { amount: '9' })
  t.equal(again.crossed_thresholds.length, 2, 'nothing is left of the one before')
})

t.test('a project has one budget and sees no other', async t => {
  const { api, alpha, beta, everywhere, idOf } = await startWithProjects(t)
  const { body: made } = await alpha.post('/v2/budgets', { amount: '1' })
  const second = await alpha.post('/v2/budgets', { amount: '1' })
  t.equal(second.status, 409)
  t.match(second.body.message, /has a budget already$/)
  const path = `/v2/budgets/${made.id}`
  const foreign = [
    await beta.get(path),
    await beta.put(path, { amount: '5' }),
    await beta.delete(path),
    await api.admin.get(path),
  ]
  for (const { status, body } of foreign)
    t.strictSame([status, body], [404, { message: 'Could not find Budget' }])
  const other = { amount: '1', project_id: idOf('alpha') }
  t.equal((await beta.post('/v2/budgets', other)).status, 403)
  t.equal((await everywhere.put(path, { amount: '5' })).body.amount, '5')
  const given = await everywhere.post('/v2/budgets', { amount: '7', project_id: idOf('beta') })
  t.equal(given.status, 201)
  t.equal((await beta.get('/v2/budgets')).body.budgets[0].amount, '7')
})

t.test('lists follow the collection conventions', async t => {
  const { api, alpha, beta, everywhere, idOf } = await startWithProjects(t)
  await alpha.post('/v2/budgets', { amount: '1' })
  await beta.post('/v2/budgets', { amount: '2' })
  t.strictSame((await api.admin.get('/v2/budgets')).body, {
    budgets: [],
    links: { self: `${api.url}/v2/budgets` },
    metadata: { total_count: 0 },
  })
  const amountsOf = (body: { budgets: { amount: string }[] }) =>
    body.budgets.map(({ amount }) => amount)
  t.same(amountsOf((await beta.get('/v2/budgets')).body), ['2'])
  const first = (await everywhere.get('/v2/budgets?limit=1')).body
  t.same(amountsOf(first), ['1'])
  t.equal(first.metadata.total_count, 2)
  t.same(amountsOf((await everywhere.get(first.links.next)).body), ['2'])
  const down = '/v2/budgets?sort_key=created_at&sort_dir=desc'
  t.same(amountsOf((await everywhere.get(down)).body), ['2', '1'])
  const ofBeta = await everywhere.get(`/v2/budgets?project_id=${idOf('beta')}`)
  t.same(amountsOf(ofBeta.body), ['2'])
  for (const query of ['sort_key=amount', 'colour=1', 'limit=0', 'marker=x'])
    t.equal((await alpha.get(`/v2/budgets?${query}`)).status, 400, query)
})

t.test('a budget that makes no sense is refused with its place', async t => {
  const { alpha } = await startWithProjects(t)
  const { body: made } = await alpha.post('/v2/budgets', { amount: '1' })
  const wholePercentage = 'expected a whole percentage from 1 to 1000'
  const cases: readonly (readonly [body: object, message: string])[] = [
    [{ amount: 5 }, `expected a decimal number as text, such as "50.00" (path: '['amount']')`],
    [{ amount: 'much' }, "expected a finite decimal number (path: '['amount']')"],
    [{ amount: 'NaN' }, "expected a finite decimal number (path: '['amount']')"],
    [{ amount: '0' }, "value must be above 0 (path: '['amount']')"],
    [{ amount: '-1' }, "value must be above 0 (path: '['amount']')"],
    [{ thresholds: 80 }, "expected a list (path: '['thresholds']')"],
    [{ thresholds: [] }, "expected 1 to 10 thresholds (path: '['thresholds']')"],
    [{ thresholds: [80, 0] }, `${wholePercentage} (path: '['thresholds', 1]')`],
    [{ thresholds: [80.5] }, `${wholePercentage} (path: '['thresholds', 0]')`],
    [{ thresholds: ['80'] }, `${wholePercentage} (path: '['thresholds', 0]')`],
    [{ thresholds: [1001] }, `${wholePercentage} (path: '['thresholds', 0]')`],
    [{ colour: 1 }, "extra keys not allowed (path: '['colour']')"],
  ]
  for (const [fields, message] of cases) {
    for (const answer of [
      await alpha.post('/v2/budgets', { amount: '1', ...fields }),
      await alpha.put(`/v2/budgets/${made.id}`, fields),
    ])
      t.strictSame([answer.status, answer.body], [400, { message }])
  }
  const missing = await alpha.post('/v2/budgets', {})
  t.strictSame(missing.body, { message: "required key not provided (path: '['amount']')" })
  const moved = await alpha.put(`/v2/budgets/${made.id}`, { project_id: 'x' })
  t.equal(moved.status, 400)
})

t.test('readers look, members change, strangers do neither', async t => {
  const { api, alpha } = await startWithProjects(t)
  const { body: made } = await alpha.post('/v2/budgets', { amount: '1' })
  const reader = await api.clientOf({ project: 'alpha', role: 'reader' })
  const path = `/v2/budgets/${made.id}`
  t.equal((await reader.get(path)).status, 200)
  const refused = [
    await reader.post('/v2/budgets', { amount: '1' }),
    await reader.put(path, { amount: '1' }),
    await reader.delete(path),
  ]
  for (const { status } of refused) t.equal(status, 403)
  t.equal((await api.anonymous.get('/v2/budgets')).status, 401)
  t.equal((await alpha.get('/v2/budgets/x')).status, 400)
  t.equal((await alpha.patch(path, {})).status, 405)
})

t.test('costs are shown in the digits of the currency, and all of them on request', async t => {
  const { alpha, idOf, spend } = await startWithProjects(t)
  await spend(idOf('alpha'), '9.125')
  const { body } = await alpha.post('/v2/budgets', { amount: '10' })
  const zones = (cost: string) => [{ id: 'id-of-a', name: 'a.example.', cost }]
  const crossed = (cost: string) => [{ threshold: 80, cost }]
  const rounded = { amount: '10', cost: '9.12', crossed_thresholds: crossed('9.12') }
  t.match(body, { ...rounded, forecast: /^\d+\.\d\d$/, top_zones: zones('9.12') })
  t.match((await alpha.get('/v2/budgets')).body.budgets, [rounded])
  const exact = { cost: '9.125', crossed_thresholds: crossed('9.125'), top_zones: zones('9.125') }
  const listed = await alpha.get('/v2/budgets?exact=true&limit=1')
  t.match(listed.body, { budgets: [exact], links: { self: /exact=true/ } })
})
