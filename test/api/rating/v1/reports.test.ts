import t, { type Test } from 'tap'
import { startRatingApi } from '../../../helpers/rating-api.ts'
import { scopeState } from '../../../helpers/scope-states.ts'

function entry(projectId: string | undefined, price: string) {
  return {
    vol: { unit: 'u', qty: '2' },
    rating: { price },
    groupby: projectId === undefined ? {} : { project_id: projectId, id: 'same' },
    metadata: { name: 'n', id: 'other' },
  }
}

async function startWithUsage(t: Test) {
  const { api } = await startRatingApi(t)
  const reader = await api.clientOf({ project: 'alpha', role: 'reader' })
  const own = api.store.find('projects', 'byName', 'default\nalpha')?.id ?? ''
  const hours = [
    ['20261101T000000Z', '20261101T010000Z'],
    ['20261101T010000Z', '20261101T020000Z'],
  ]
  const dataframes = hours.map(([begin, end]) => ({
    period: { begin, end },
    usage: {
      cpu: [entry(own, '0.1000000000000000000001'), entry('p2', '1')],
      disk: [entry(own, '0.000004')],
    },
  }))
  await api.admin.post('/v2/dataframes', { dataframes })
  return { api, reader, own }
}

const month = {
  begin: '2026-11-01T00:00:00',
  end: '2026-12-01T00:00:00',
}

t.test('a total is text, to the last digit', async t => {
  const { api, reader, own } = await startWithUsage(t)
  const total = async (query: string, who = api.admin) =>
    (await who.get(`/rating/v1/report/total/${query}`)).text
  t.equal(await total('', reader), '"0.2000080000000000000002"')
  t.equal(await total(`?tenant_id=${own}`), '"0.2000080000000000000002"')
  t.equal(await total(`?tenant_id=${own}&service=disk`), '"0.000008"')
  t.equal(await total('?all_tenants=True'), '"2.2000080000000000000002"')
  t.equal(await total('?tenant_id=p2&end=2026-11-01T01:00:00'), '"1"')
  t.equal(await total(''), '"0"', 'an administrator’s own project has used nothing')
})

t.test('a summary is rounded, and says what its rows are about', async t => {
  const { api, reader, own } = await startWithUsage(t)
  const summary = async (query: string, who = api.admin) =>
    (await who.get(`/rating/v1/report/summary${query}`)).body.summary
  const row = { ...month, tenant_id: own, res_type: 'ALL', rate: '0.20001' }
  t.strictSame(await summary('', reader), [row])
  t.strictSame(await summary('?all_tenants=true'), [{ ...row, tenant_id: 'ALL', rate: '2.20001' }])
  t.strictSame(await summary('?groupby=res_type', reader), [
    { ...row, res_type: 'cpu', rate: '0.2' },
    { ...row, res_type: 'disk', rate: '0.00001' },
  ])
  t.equal((await summary('?all_tenants=1&groupby=res_type,tenant_id')).length, 3)
  t.strictSame(await summary('?begin=2027-01-01&end=2026-01-01', reader), [])
})

t.test('nobody but an administrator sees another project', async t => {
  const { reader, own } = await startWithUsage(t)
  for (const path of ['report/total', 'report/summary', 'storage/dataframes']) {
    const { status, body } = await reader.get(`/rating/v1/${path}?tenant_id=p2`)
    t.match([status, body.faultstring], [403, /^Policy doesn't allow/], path)
    t.equal((await reader.get(`/rating/v1/${path}?tenant_id=${own}`)).status, 200)
  }
  t.equal((await reader.get('/rating/v1/report/total?all_tenants=true')).status, 403)
  t.equal((await reader.get('/rating/v1/report/tenants')).status, 403)
})

t.test('stored frames are reported by period, metric and project', async t => {
  const { api, reader, own } = await startWithUsage(t)
  const frames = async (query: string, who = api.admin) =>
    (await who.get(`/rating/v1/storage/dataframes${query}`)).body.dataframes
  t.strictSame(await frames('?resource_type=disk&end=2026-11-01T01:00:00', reader), [
    {
      begin: '2026-11-01T00:00:00',
      end: '2026-11-01T01:00:00',
      tenant_id: own,
      resources: [
        {
          service: 'disk',
          desc: { name: 'n', project_id: own, id: 'same' },
          volume: '2',
          rating: '0.000004',
        },
      ],
    },
  ])
  t.equal((await frames('')).length, 6)
  t.equal((await frames('', reader)).length, 4)
  t.strictSame(await frames('?resource_type=none'), [])
  const period = { begin: '20261101T000000Z', end: '20261101T010000Z' }
  const usage = { lost: [entry(undefined, '1'), entry(undefined, '2')] }
  await api.admin.post('/v2/dataframes', { dataframes: [{ period, usage }] })
  const [lost] = await frames('?resource_type=lost')
  t.match(lost, { tenant_id: '__UNDEF__', resources: [{ volume: '2' }, { volume: '2' }] })
})

t.test('projects that are rated are listed once', async t => {
  const { api } = await startRatingApi(t)
  await api.store.commit(tx => {
    tx.put('scopeStates', scopeState('p1'))
    tx.put('scopeStates', { ...scopeState('p1', { fetcher: 'other' }), id: 'second' })
  })
  t.strictSame((await api.admin.get('/rating/v1/report/tenants/')).body, ['p1'])
})

t.test('arguments of reports are checked', async t => {
  const { api } = await startRatingApi(t)
  for (const query of ['begin=soon', 'groupby=colour', 'all_tenants=maybe', 'colour=1'])
    t.equal((await api.admin.get(`/rating/v1/report/summary?${query}`)).status, 400, query)
  for (const path of ['report/tenants', 'report/total', 'storage/dataframes'])
    for (const query of ['begin=soon', 'end=2026-13', 'colour=1'])
      t.equal((await api.admin.get(`/rating/v1/${path}?${query}`)).status, 400, `${path} ${query}`)
})
