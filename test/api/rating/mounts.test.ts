import t from 'tap'
import { startRatingApi } from '../../helpers/rating-api.ts'
import { scopeState } from '../../helpers/scope-states.ts'
import { at } from '../../helpers/usage.ts'

const period = { begin: '20261101T000000Z', end: '20261101T010000Z' }

function entry(projectId: string, qty: unknown, more: object = {}) {
  return {
    vol: { unit: 'Mquery', qty },
    rating: { price: '0.5' },
    groupby: { project_id: projectId, zone: 'a.example.' },
    metadata: { rcode: 'NOERROR' },
    ...more,
  }
}

function frame(entries: readonly unknown[], more: object = {}) {
  return { period, usage: { 'dns.queries': entries }, ...more }
}

t.test('what is added is shown, with a total of points', async t => {
  const { api } = await startRatingApi(t)
  const added = await api.admin.post('/v2/dataframes', {
    dataframes: [frame([entry('p1', 1.5), entry('p2', '2')])],
  })
  t.equal(added.status, 204)
  t.equal(added.text, '')
  const { status, body } = await api.admin.get('/v2/dataframes?filters=project_id%3Ap1')
  t.equal(status, 200)
  t.strictSame(body, {
    total: 1,
    dataframes: [
      {
        usage: { 'dns.queries': [entry('p1', 1.5, { rating: { price: 0.5 } })] },
        period: { begin: '2026-11-01T00:00:00+00:00', end: '2026-11-01T01:00:00+00:00' },
      },
    ],
  })
})

t.test('a page counts points; nothing found is an empty list', async t => {
  const { api } = await startRatingApi(t)
  await api.admin.post('/v2/dataframes', {
    dataframes: [frame(['1', '2', '3'].map(qty => entry('p1', qty)))],
  })
  const page = await api.admin.get('/v2/dataframes?offset=1&limit=1')
  t.equal(page.body.total, 3)
  t.equal(page.body.dataframes[0].usage['dns.queries'].length, 1)
  const none = await api.admin.get('/v2/dataframes?begin=20270101T000000Z&end=20260101T000000Z')
  t.strictSame([none.status, none.body], [200, { total: 0, dataframes: [] }])
})

t.test('a summary groups, filters and takes either form', async t => {
  const { api } = await startRatingApi(t)
  await api.admin.post('/v2/dataframes', {
    dataframes: [frame([entry('p1', 1), entry('p2', 2), entry('p2', 3)])],
  })
  const range = ['2026-11-01T00:00:00+00:00', '2026-12-01T00:00:00+00:00']
  const p1 = [...range, 1, 0.5, 'p1', 'dns.queries']
  const p2 = [...range, 5, 1, 'p2', 'dns.queries']
  const columns = ['begin', 'end', 'qty', 'rate', 'project_id', 'type']
  const both = { total: 2, columns, results: [p1, p2], format: 'table' }
  for (const groupby of ['groupby=project_id&groupby=type', 'groupby=project_id,type'])
    t.strictSame((await api.admin.get(`/v2/summary?${groupby}`)).body, both)
  const url = '/v2/summary?groupby=project_id,type'
  const filtered = await api.admin.get(`${url}&filters=project_id:p1,project_id:p2&filters=type:x`)
  t.strictSame(filtered.body, { total: 0, columns: [], results: [], format: 'table' })
  const objects = await api.admin.get(`${url}&response_format=object&offset=1&limit=1`)
  t.strictSame(objects.body, {
    total: 2,
    results: [Object.fromEntries(columns.map((column, i) => [column, p2[i]]))],
    format: 'object',
  })
  const custom = await api.admin.get('/v2/summary?custom_fields=MAX(qty) AS most')
  t.same(custom.body.columns, ['begin', 'end', 'most'])
})

t.test('no column of a summary hides another', async t => {
  const { api } = await startRatingApi(t)
  const queries = [
    ['groupby=qty', 'qty'],
    ['groupby=id,begin&response_format=object', 'begin'],
    ['custom_fields=SUM(qty) AS end', 'end'],
    ['custom_fields=SUM(qty),SUM(price)', 'sum'],
    ['custom_fields=SUM(qty) AS type&groupby=type', 'type'],
  ] as const
  for (const [query, column] of queries) {
    const { status, body } = await api.admin.get(`/v2/summary?${query}`)
    const message = `The summary would have two columns called '${column}'.`
    t.strictSame([status, body], [400, { message }], query)
  }
})

t.test('a summary tells the dearest first, and what the month will cost', async t => {
  const { api } = await startRatingApi(t)
  const priced = (id: string, price: string) =>
    entry(id, 1, { rating: { price }, groupby: { project_id: id, id: `zone-of-${id}` } })
  await api.admin.post('/v2/dataframes', {
    dataframes: [frame([priced('p1', '1'), priced('p2', '7'), priced('p3', '3')])],
  })
  const dearest = '/v2/summary?groupby=id&sort_key=rate&sort_dir=desc&limit=2'
  const { total, results } = (await api.admin.get(dearest)).body
  t.equal(total, 3)
  t.same(
    results.map((row: unknown[]) => row[4]),
    ['zone-of-p2', 'zone-of-p3'],
  )
  const lastProcessed = at('2026-11-05T23')
  await api.store.commit(tx => tx.put('scopeStates', scopeState('p1', { lastProcessed })))
  const fields = 'custom_fields=SUM(price) AS rate, FORECAST(price) AS forecast'
  const ofP1 = await api.admin.get(`/v2/summary?${fields}&filters=project_id:p1`)
  t.same(ofP1.body.results[0].slice(2), [1, 6], 'five of thirty days are rated')
  // Nothing rates p2, so it goes by the clock: noon of the 21st, 20.5 of 30 days.
  const ofP2 = await api.admin.get(`/v2/summary?${fields}&filters=project_id:p2`)
  t.equal(ofP2.body.results[0][3], 10.24)
  const exact = await api.admin.get(`/v2/summary?${fields}&filters=project_id:p2&exact=true`)
  t.match(exact.text, '10.2439024390243902439024390244')
  const past = await api.admin.get(
    `/v2/summary?${fields}&begin=20261101T000000Z&end=20261102T000000Z`,
  )
  t.same(past.body.results[0].slice(2), [11, 11])
  for (const groupby of ['time', 'time-d'])
    t.strictSame((await api.admin.get(`/v2/summary?${fields}&groupby=${groupby}`)).body, {
      message: 'A forecast cannot be grouped by time.',
    })
})

t.test('a project sees its own usage, whatever it asks for', async t => {
  const { api } = await startRatingApi(t)
  const reader = await api.clientOf({ project: 'alpha', role: 'reader' })
  const own = api.store.find('projects', 'byName', 'default\nalpha')?.id ?? ''
  await api.admin.post('/v2/dataframes', {
    dataframes: [frame([entry(own, 1), entry('other', 2)])],
  })
  for (const query of ['', '?filters=project_id:other']) {
    t.equal((await reader.get(`/v2/dataframes${query}`)).body.total, 1)
    t.equal((await reader.get(`/v2/summary${query}`)).body.results[0][2], 1)
  }
})

t.test('parameters are a closed set, each with its own rules', async t => {
  const { api } = await startRatingApi(t)
  const cases = [
    ['/v2/dataframes?colour=1', "extra keys not allowed (path: '['colour']')"],
    ['/v2/dataframes?limit=0', "value must be at least 1 (path: '['limit']')"],
    ['/v2/dataframes?offset=-1', "value must be at least 0 (path: '['offset']')"],
    ['/v2/summary?limit=max', "expected int (path: '['limit']')"],
    ['/v2/summary?limit=1&limit=2', "length of value must be 1 (path: '['limit']')"],
    ['/v2/summary?begin=yesterday', "expected dt_from_iso (path: '['begin']')"],
    ['/v2/dataframes?filters=a:b:c', 'invalid key:value association a:b:c'],
    ['/v2/dataframes?filters=a:b&filters=a:c', 'key a already provided'],
    ['/v2/summary?sort_key=x', "expected one of begin, end, qty, rate (path: '['sort_key']')"],
    ['/v2/summary?sort_dir=up', "expected asc or desc (path: '['sort_dir']')"],
    [
      '/v2/summary?groupby=time-u',
      'Invalid groupby time option. There is no groupby processing for [time-u].',
    ],
    [
      '/v2/summary?response_format=x',
      "Invalid response format [x]. Valid format are [['table', 'object', 'csv']].",
    ],
    ['/v2/scope?active=2', "expected 0 or 1 (path: '['active']')"],
  ] as const
  for (const [url, message] of cases) {
    const { status, body } = await api.admin.get(url)
    t.strictSame([status, body], [400, { message }], url)
  }
})

t.test('who is not known, who may not, and what is not there', async t => {
  const { api } = await startRatingApi(t)
  const member = await api.clientOf({ project: 'alpha' })
  for (const base of ['/v2/dataframes', '/v2/scope', '/v2/summary']) {
    const stranger = await api.anonymous.get(base)
    t.equal(stranger.status, 401)
    t.equal(stranger.body.error.code, 401)
    const wrong = await api.admin.delete(base)
    t.equal(wrong.status, 405)
    t.match(wrong.headers.get('allow'), 'GET')
    t.strictSame(Object.keys(wrong.body), ['message'])
    t.equal((await api.admin.get(`${base}/more`)).status, 404)
  }
  const refused = [
    await member.post('/v2/dataframes', { dataframes: [] }),
    await member.get('/v2/scope'),
    await member.put('/v2/scope', { all_scopes: true, state: '2026-11-01' }),
  ]
  for (const { status, body } of refused) {
    t.equal(status, 403)
    t.match(body.message, /^You are not authorized to perform this action/)
  }
})

t.test('scopes are listed with either name of their state', async t => {
  const { api } = await startRatingApi(t)
  const missing = await api.admin.get('/v2/scope')
  t.strictSame(
    [missing.status, missing.body],
    [404, { message: 'No resource found for provided filters.' }],
  )
  await api.store.commit(tx => {
    tx.put('scopeStates', scopeState('p1', { lastProcessed: at('2026-11-01T05') }))
    tx.put('scopeStates', scopeState('p2', { isActive: false }))
  })
  const { body } = await api.admin.get('/v2/scope?scope_id=p1,p3&active=1')
  t.strictSame(body.results, [
    {
      scope_id: 'p1',
      scope_key: 'project_id',
      fetcher: 'dns',
      collector: 'dns',
      state: '2026-11-01 05:00:00',
      last_processed_timestamp: '2026-11-01T05:00:00+00:00',
      active: true,
      scope_activation_toggle_date: null,
    },
  ])
  t.equal((await api.admin.get('/v2/scope?limit=1&offset=1')).body.results[0].state, null)
  t.equal((await api.admin.get('/v2/scope?offset=2')).status, 404)
})

t.test('a reset is accepted, shown, and takes effect on the points', async t => {
  const { api, services } = await startRatingApi(t)
  await api.store.commit(tx => tx.put('scopeStates', scopeState('p1')))
  const bodies = [
    { scope_id: 'p1', state: '20261101T030000Z' },
    { scope_id: ['p1'], last_processed_timestamp: '2026-11-01T03:00:00+00:00' },
    { all_scopes: 'yes', collector: 'dns', state: '2026-11-01 03:00:00' },
  ]
  for (const body of bodies) {
    const answer = await api.admin.put('/v2/scope', body)
    t.strictSame([answer.status, answer.body], [202, {}])
    await services.scopes.settled()
    const { results } = (await api.admin.get('/v2/scope')).body
    t.equal(results[0].state, '2026-11-01 03:00:00')
  }
})

t.test('a reset that is not clear is refused', async t => {
  const { api } = await startRatingApi(t)
  await api.store.commit(tx => tx.put('scopeStates', scopeState('p1')))
  const state = '20261101T030000Z'
  const cases = [
    [{ state }, 400, /^Either all_scopes or a scope_id should be specified\.$/],
    [{ state, all_scopes: false }, 400, /^Either all_scopes/],
    [{ state, all_scopes: true, scope_id: 'p1' }, 400, /group of exclusion 'scope_selector'$/],
    [{ state, all_scopes: 'maybe' }, 400, /^expected boolean/],
    [{ scope_id: 'p1' }, 400, /^Variables 'state' and 'last_processed_timestamp'/],
    [{ scope_id: 'p1', state: 'soon' }, 400, /^expected dt_from_iso \(path: '\['state'\]'\)$/],
    [{ scope_id: 7, state }, 400, /^expected str/],
    [{ scope_id: 'p1', state, colour: 1 }, 400, /^extra keys not allowed/],
    [{ scope_id: 'p2', state }, 404, /^No resource found for provided filters\.$/],
    [{ all_scopes: true, fetcher: 'x', state }, 404, /^No resource found/],
  ] as const
  for (const [body, status, message] of cases) {
    const answer = await api.admin.put('/v2/scope', body)
    t.equal(answer.status, status, String(message))
    t.match(answer.body.message, message)
  }
})

t.test(
  'a summary comes as CSV where that is asked for, and from CloudKitty’s path never',
  async t => {
    const { api } = await startRatingApi(t)
    await api.admin.post('/v2/dataframes', {
      dataframes: [frame([entry('p1', 1, { rating: { price: '0.125' } })])],
    })
    const file = (rate: string) =>
      [
        'begin,end,qty,rate,project_id',
        `2026-11-01T00:00:00+00:00,2026-12-01T00:00:00+00:00,1,${rate},p1`,
        '',
      ].join('\r\n')
    const path = '/v2/summary?groupby=project_id'
    for (const answer of [
      await api.admin.get(`${path}&format=csv`),
      await api.admin.get(`${path}&response_format=csv`),
      await api.admin.with({ accept: 'text/csv' }).get(path),
    ]) {
      t.match([answer.status, answer.headers.get('content-type')], [200, 'text/csv; charset=utf-8'])
      t.equal(answer.text, file('0.12'))
    }
    t.equal((await api.admin.get(`${path}&format=csv&exact=true`)).text, file('0.125'))
    const many = Array.from({ length: 150 }, (_, i) => entry(`p${i + 2}`, 1))
    await api.admin.post('/v2/dataframes', { dataframes: [frame(many)] })
    const rowsOf = async (query: string) =>
      (await api.admin.get(`${path}&format=csv${query}`)).text.split('\r\n').length - 2
    t.equal(await rowsOf(''), 151, 'a file has no pages')
    t.equal(await rowsOf('&limit=10&offset=5'), 10)
    const cloudkitty = `/rating${path}`
    t.equal((await api.admin.get(cloudkitty)).body.results[0][3], 0.125, 'a float, as ever')
    for (const query of ['format=csv', 'response_format=csv', 'exact=true']) {
      t.equal((await api.admin.get(`${cloudkitty}&${query}`)).status, 400, query)
    }
    t.equal((await api.admin.with({ accept: 'text/csv' }).get(cloudkitty)).status, 406)
  },
)
