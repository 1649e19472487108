import t from 'tap'
import { startRatingApi } from '../../helpers/rating-api.ts'
import { scopeState } from '../../helpers/scope-states.ts'
import { at } from '../../helpers/usage.ts'

// CloudKitty's second API where it is more than the specification, or something else.

const base = '/rating/v2'

t.test('anyone is told which versions there are', async t => {
  const { api } = await startRatingApi(t)
  const { status, body } = await api.anonymous.get('/rating')
  t.equal(status, 200)
  t.match(body.versions, [
    { id: 'v1', status: 'CURRENT', links: [{ rel: 'self', href: `${api.url}/rating/v1` }] },
    { id: 'v2', status: 'EXPERIMENTAL', links: [{ rel: 'self', href: `${api.url}/rating/v2` }] },
  ])
  t.equal((await api.anonymous.get('/rating/')).status, 200)
})

t.test('no data frames are nothing found', async t => {
  const { api } = await startRatingApi(t)
  const message = 'No resource found for provided filters.'
  const none = await api.admin.get(`${base}/dataframes`)
  t.strictSame([none.status, none.body], [404, { message }])
  const period = { begin: '20261101T000000Z', end: '20261101T010000Z' }
  const point = { vol: { unit: 'u', qty: 1 }, groupby: { project_id: 'p1' }, metadata: {} }
  const dataframes = [{ period, usage: { cpu: [point] } }]
  t.equal((await api.admin.post(`${base}/dataframes`, { dataframes })).status, 204)
  const found = await api.admin.get(`${base}/dataframes?offset=5`)
  t.strictSame([found.status, found.body], [200, { total: 1, dataframes: [] }])
  for (const query of ['begin=20270101', 'filters=type:disk', 'filters=type:cpu,project_id:p2'])
    t.equal((await api.admin.get(`${base}/dataframes?${query}`)).status, 404, query)
  const reader = await api.clientOf({ project: 'alpha', role: 'reader' })
  t.equal((await reader.get(`${base}/dataframes`)).status, 404)
  const summary = await reader.get(`${base}/summary`)
  t.match([summary.status, summary.body], [200, { total: 0, columns: [], results: [] }])
})

t.test('the state of a scope is a timestamp like any other', async t => {
  const { api } = await startRatingApi(t)
  await api.store.commit(tx => {
    tx.put('scopeStates', scopeState('p1', { lastProcessed: at('2026-11-01T05') }))
  })
  const { body } = await api.admin.get(`${base}/scope`)
  t.equal(body.results[0].state, '2026-11-01T05:00:00+00:00')
  t.equal(body.results[0].last_processed_timestamp, '2026-11-01T05:00:00+00:00')
})

t.test('a scope is made and changed by hand', async t => {
  const { api } = await startRatingApi(t)
  const made = await api.admin.post(`${base}/scope`, {
    scope_id: 'p1',
    last_processed_timestamp: '2026-11-01T00:00:00',
  })
  const scope = {
    scope_id: 'p1',
    scope_key: 'project_id',
    fetcher: 'dns',
    collector: 'dns',
    state: '2026-11-01T00:00:00+00:00',
    last_processed_timestamp: '2026-11-01T00:00:00+00:00',
    active: true,
    scope_activation_toggle_date: null,
  }
  t.strictSame([made.status, made.body], [200, scope])
  const again = await api.admin.post(`${base}/scope`, { scope_id: 'p1' })
  t.strictSame(
    [again.status, again.body.message],
    [404, 'Cannot create a scope with an already existing scope_id: p1.'],
  )
  const off = await api.admin.patch(`${base}/scope`, { scope_id: 'p1', active: 0, fetcher: 'f' })
  t.match(off.body, {
    active: false,
    fetcher: 'f',
    scope_activation_toggle_date: /^2026-.*\+00:00$/,
  })
  t.strictSame((await api.admin.get(`${base}/scope?active=0`)).body.results, [off.body])
  const refused = [
    [await api.admin.patch(`${base}/scope`, { scope_id: 'p2', active: 1 }), 404],
    [await api.admin.patch(`${base}/scope`, { active: 1 }), 400],
    [await api.admin.patch(`${base}/scope`, { scope_id: 'p1', active: 'maybe' }), 400],
    [await api.admin.patch(`${base}/scope`, { scope_id: 'p1', state: '2026' }), 400],
    [await api.admin.patch(`${base}/scope`, { scope_id: 'p1', collector: 'x'.repeat(41) }), 400],
    [await api.admin.post(`${base}/scope`, { scope_id: 'a'.repeat(257) }), 400],
    [await api.admin.post(`${base}/scope`, { scope_id: 7 }), 400],
  ] as const
  for (const [answer, status] of refused) t.equal(answer.status, status)
  t.equal((await api.admin.post('/v2/scope', { scope_id: 'p9' })).status, 405)
})

t.test('a module is switched and ranked', async t => {
  const { api } = await startRatingApi(t)
  const path = `${base}/rating/modules/hashmap`
  for (const body of [{ enabled: true }, { priority: 9 }, { enabled: true, priority: 9 }, {}]) {
    const { status, text } = await api.admin.put(path, body)
    t.strictSame([status, text], [204, ''])
  }
  t.match((await api.admin.get(path)).body, { enabled: true, priority: 9, hot_config: true })
  const cases = [
    [{ priority: 0 }, "value must be at least 1 (path: '['priority']')"],
    [{ priority: '1' }, "expected int (path: '['priority']')"],
    [{ enabled: 'maybe' }, "expected boolean (path: '['enabled']')"],
    [{ colour: 1 }, "extra keys not allowed (path: '['colour']')"],
  ] as const
  for (const [body, message] of cases) {
    const answer = await api.admin.put(path, body)
    t.strictSame([answer.status, answer.body], [400, { message }])
  }
  const missing = await api.admin.get(`${base}/rating/modules/unheard`)
  t.strictSame([missing.status, missing.body], [404, { message: `Module 'unheard' not found` }])
})

t.test('an order to rate again is taken at either address, once', async t => {
  const { api } = await startRatingApi(t)
  await api.store.commit(tx => {
    for (const id of ['p1', 'p2'])
      tx.put('scopeStates', scopeState(id, { lastProcessed: at('2026-11-01T06') }))
  })
  const order = {
    scope_ids: 'p1,p2',
    start_reprocess_time: '2026-11-01T01:00:00+00:00',
    end_reprocess_time: '2026-11-01T02:00:00+00:00',
    reason: 'a price was wrong',
  }
  const taken = await api.admin.post(`${base}/task/reprocess`, order)
  t.strictSame([taken.status, taken.body], [202, {}])
  const later = {
    ...order,
    scope_ids: ['p1'],
    start_reprocess_time: '2026-11-01T03:00:00',
    end_reprocess_time: '2026-11-01T04:00:00',
  }
  t.equal((await api.admin.post(`${base}/task/reprocesses`, later)).status, 202)
  t.strictSame((await api.admin.get(`${base}/task/reprocesses/p1?order=ASC&limit=1`)).body, {
    results: [
      {
        scope_id: 'p1',
        reason: 'a price was wrong',
        start_reprocess_time: '2026-11-01T01:00:00+00:00',
        end_reprocess_time: '2026-11-01T02:00:00+00:00',
        current_reprocess_time: '',
      },
    ],
  })
  const ids = async (query: string) =>
    (await api.admin.get(`${base}/task/reprocesses${query}`)).body.results.map(
      (each: { scope_id: string }) => each.scope_id,
    )
  t.equal((await ids(''))[0], 'p1', 'the newest first')
  t.strictSame(await ids('?scope_ids=p2,p3'), ['p2'])
  t.strictSame(await ids('/p3'), [])
  t.strictSame(await ids('?offset=3'), [])
})

t.test('an order that is not clear is refused', async t => {
  const { api } = await startRatingApi(t)
  const lastProcessed = at('2026-11-01T06')
  await api.store.commit(tx => tx.put('scopeStates', scopeState('p1', { lastProcessed })))
  const order = {
    scope_ids: 'p1',
    start_reprocess_time: '2026-11-01T01:00:00',
    end_reprocess_time: '2026-11-01T02:00:00',
    reason: 'x',
  }
  const cases = [
    [{ scope_ids: undefined }, /'scope_ids'/],
    [{ scope_ids: 'ALL,p1' }, /^Cannot use 'ALL' with scope ID/],
    [{ scope_ids: 'p2' }, /do not exist\.$/],
    [{ reason: undefined }, /'reason'/],
    [{ reason: ' ' }, /^Empty or blank reason text/],
    [{ start_reprocess_time: 'soon' }, /^expected dt_from_iso/],
    [{ end_reprocess_time: undefined }, /'end_reprocess_time'/],
    [{ end_reprocess_time: '2026-11-01T00:00:00' }, /cannot be less than start/],
    [{ end_reprocess_time: '2026-11-01T01:30:00' }, /does not comply with the configured/],
    [{ end_reprocess_time: '2026-11-01T07:00:00' }, /ending after the last possible/],
    [{ colour: 1 }, /^extra keys not allowed/],
  ] as const
  for (const [more, message] of cases) {
    const { status, body } = await api.admin.post(`${base}/task/reprocesses`, { ...order, ...more })
    t.match([status, body.message], [400, message])
  }
  t.strictSame((await api.admin.get(`${base}/task/reprocesses`)).body, { results: [] })
  const wrong = await api.admin.get(`${base}/task/reprocesses?order=up`)
  t.match([wrong.status, wrong.body.message], [400, /^The order \[up\] is not valid\./])
})

t.test('who is not known, who may not, and what is not there', async t => {
  const { api } = await startRatingApi(t)
  const member = await api.clientOf({ project: 'alpha' })
  const forAdministrators = [
    ['GET', '/scope'],
    ['POST', '/scope'],
    ['PATCH', '/scope'],
    ['GET', '/rating/modules'],
    ['GET', '/rating/modules/noop'],
    ['PUT', '/rating/modules/noop'],
    ['GET', '/task/reprocesses'],
    ['POST', '/task/reprocess'],
  ] as const
  for (const [method, path] of forAdministrators) {
    const options = method === 'GET' ? {} : { body: {} }
    const denied = await member.call(method, base + path, options)
    t.match([denied.status, denied.body.message], [403, /^You are not authorized/], path)
    t.equal((await api.anonymous.call(method, base + path, options)).status, 401)
  }
  for (const path of ['/rating/v1/nothing', '/rating/v2/nothing', '/rating/v3']) {
    const { status, body } = await api.admin.get(path)
    t.equal(status, 404)
    t.ok(body.message ?? body.faultstring, path)
  }
  t.equal((await api.anonymous.get('/rating/v2/nothing')).status, 401)
  const wrong = await api.admin.delete(`${base}/rating/modules`)
  t.strictSame([wrong.status, wrong.headers.get('allow')], [405, 'GET'])
})
