import { scopeState } from '../../helpers/scope-states.ts'
import { at } from '../../helpers/usage.ts'
import type { Stage, Stories, Story } from './story.ts'

// Usage and its cost, in the terms of each API.

const begin = '2026-11-01T00:00:00+00:00'
const end = '2026-12-01T00:00:00+00:00'

function point(projectId: string, qty: string, price: string) {
  return {
    vol: { unit: 'Mquery', qty },
    rating: { price },
    groupby: { project_id: projectId, rcode: 'NOERROR' },
    metadata: { zone_name: 'example.com.' },
  }
}

function frames() {
  const period = { begin: '20261101T000000Z', end: '20261101T010000Z' }
  const usage = {
    'dns.queries': [point('p1', '2', '0.8'), point('p2', '1', '0.4')],
    'dns.zone': [{ ...point('p1', '1', '0.000684931506849'), vol: { unit: 'zone', qty: 1 } }],
  }
  return { dataframes: [{ period, usage }] }
}

async function putScopes({ api }: Stage): Promise<void> {
  await api.store.commit(tx => {
    tx.put('scopeStates', scopeState('p1', { lastProcessed: at('2026-11-01T06') }))
    tx.put('scopeStates', scopeState('p2', { lastProcessed: at('2026-11-01T06') }))
  })
}

const tenants: Story = async (t, stage) => {
  const { client } = stage
  t.same(await client.json('report tenant list'), [])
  await putScopes(stage)
  t.same(await client.json('report tenant list -b 2026-11-01 -e 2026-12-01'), [
    { 'Tenant ID': 'p1' },
    { 'Tenant ID': 'p2' },
  ])
}

const reports: Story = async (t, { client, api }) => {
  await api.admin.post('/rating/v2/dataframes', frames())
  const month = '-b 2026-11-01T00:00:00Z -e 2026-12-01T00:00:00Z'
  const row = {
    'Tenant ID': 'ALL',
    'Resource Type': 'ALL',
    Rate: '1.20068',
    'Begin Time': '2026-11-01T00:00:00',
    'End Time': '2026-12-01T00:00:00',
  }
  t.same(await client.json(`summary get -a ${month}`), [row])
  t.same(await client.json('summary get'), [], 'the own project has used nothing')
  t.same(await client.json('summary get -t p2'), [{ ...row, 'Tenant ID': 'p2', Rate: '0.4' }])
  t.same(await client.json('summary get -a -g tenant_id res_type'), [
    { ...row, 'Tenant ID': 'p1', 'Resource Type': 'dns.queries', Rate: '0.8' },
    { ...row, 'Tenant ID': 'p1', 'Resource Type': 'dns.zone', Rate: '0.00068' },
    { ...row, 'Tenant ID': 'p2', 'Resource Type': 'dns.queries', Rate: '0.4' },
  ])
  t.same(await client.json('summary get -a -s dns.zone'), [
    { ...row, 'Resource Type': 'dns.zone', Rate: '0.00068' },
  ])
  t.same(await client.json(`total get -a ${month}`), { Total: 1.200684931506849 })
  t.same(await client.json('total get -t p2 -s dns.queries'), { Total: 0.4 })
  t.same(await client.json('total get'), { Total: 0 })
  t.match(await client.refusal('summary get -g colour'), /groupby.*HTTP 400/)
}

const storedFrames: Story = async (t, { client, api }) => {
  t.same(await client.json('dataframes get'), [])
  await api.admin.post('/rating/v2/dataframes', frames())
  const month = '-b 2026-11-01T00:00:00Z -e 2026-12-01T00:00:00Z'
  const [queries, zone, others, ...rest] = await client.json(`dataframes get ${month}`)
  t.same(rest, [])
  t.same(queries, {
    Begin: '2026-11-01T00:00:00',
    End: '2026-11-01T01:00:00',
    'Project ID': 'p1',
    Resources: [
      {
        service: 'dns.queries',
        desc: { zone_name: 'example.com.', project_id: 'p1', rcode: 'NOERROR' },
        volume: '2',
        rating: '0.8',
        rate_value: '0.4000',
      },
    ],
  })
  t.match(zone, { 'Project ID': 'p1', Resources: [{ service: 'dns.zone', rate_value: '0.0007' }] })
  t.match(others, { 'Project ID': 'p2' })
  t.same(await client.json('dataframes get -p p2 -r dns.queries'), [others])
  t.same(await client.json('dataframes get -r image.size'), [])
  const csv = await client.run('dataframes get -p p2 -f df-to-csv')
  t.same(csv.trim().split(/\r?\n/), [
    'Begin,End,Metric Type,Qty,Cost,Project ID,Resource ID,User ID',
    '2026-11-01T00:00:00,2026-11-01T01:00:00,dns.queries,1,0.4,p2,,',
  ])
}

const addedFrames: Story = async (t, { client }) => {
  t.match(await client.refusal('dataframes get'), /No resource found.*HTTP 404/)
  const bad = { dataframes: [...frames().dataframes, { period: {}, usage: {} }] }
  const folder = t.testdir({
    'usage.json': JSON.stringify(frames()),
    'bad.json': JSON.stringify(bad),
  })
  t.match(
    await client.refusal(`dataframes add ${folder}/bad.json`),
    /'dataframes', 1, 'period'.*HTTP 400/,
  )
  await client.run(`dataframes add ${folder}/usage.json`)
  const row = {
    Begin: begin,
    End: '2026-11-01T01:00:00+00:00',
    'Metric Type': 'dns.queries',
    Unit: 'Mquery',
    Quantity: 2,
    Price: 0.8,
    'Group By': 'project_id="p1" rcode="NOERROR"',
    Metadata: 'zone_name="example.com."',
  }
  const all = await client.json(`dataframes get -b ${begin} -e ${end}`)
  t.equal(all.length, 3, 'what was refused has left nothing')
  t.same(all[0], row)
  t.same(await client.json('dataframes get --filter project_id:p1 --filter type:dns.queries'), [
    row,
  ])
  t.equal((await client.json('dataframes get --offset 2 --limit 5')).length, 1)
}

const summaries: Story = async (t, { client, api }) => {
  t.same(await client.json('summary get'), [])
  await api.admin.post('/rating/v2/dataframes', frames())
  const row = { Begin: begin, End: end, Qty: 4, Rate: 1.200684931506849 }
  t.same(await client.json(`summary get -b ${begin} -e ${end}`), [row])
  t.same(await client.json('summary get -g type -g project_id'), [
    { ...row, Qty: 2, Rate: 0.8, Type: 'dns.queries', 'Project id': 'p1' },
    { ...row, Qty: 1, Rate: 0.4, Type: 'dns.queries', 'Project id': 'p2' },
    { ...row, Qty: 1, Rate: 0.000684931506849, Type: 'dns.zone', 'Project id': 'p1' },
  ])
  t.same(await client.json('summary get --filter project_id:p2 -g time'), [
    { Begin: begin, End: '2026-11-01T01:00:00+00:00', Qty: 1, Rate: 0.4 },
  ])
  t.equal((await client.json('summary get -g type --offset 1 --limit 1')).length, 1)
  t.match(await client.refusal('summary get -g time-x'), /groupby time option.*HTTP 400/)
}

const scopes: Story = async (t, stage) => {
  const { client, services } = stage
  t.match(await client.refusal('scope state get'), /No resource found.*HTTP 404/)
  await putScopes(stage)
  const row = {
    'Scope ID': 'p1',
    'Scope Key': 'project_id',
    Collector: 'dns',
    Fetcher: 'dns',
    State: '2026-11-01T06:00:00+00:00',
  }
  const both = [row, { ...row, 'Scope ID': 'p2' }]
  t.same(await client.json('scope state get'), both)
  t.same(await client.json('scope state get --scope-id p1 --scope-id p3'), [row])
  t.same(await client.json('scope state get --collector dns --fetcher dns --limit 1'), [row])
  t.match(await client.refusal('scope state get --scope-key domain_id'), /HTTP 404/)

  await client.run('scope state reset --scope-id p1 2026-11-01T03:00:00Z')
  await services.scopes.settled()
  const [first, second] = await client.json('scope state get')
  t.equal(first.State, '2026-11-01T03:00:00+00:00')
  t.equal(second.State, '2026-11-01T06:00:00+00:00')
  await client.run('scope state reset -a 2026-11-01T04:00:00Z')
  await services.scopes.settled()
  for (const { State } of await client.json('scope state get'))
    t.equal(State, '2026-11-01T04:00:00+00:00')
  t.match(await client.refusal('scope state reset --scope-id p3 2026-11-01'), /HTTP 404/)

  await client.run('scope patch -id p1 --active false --fetcher other')
  t.match(services.scopes.list({ scopeIds: ['p1'] }), [{ isActive: false, fetcher: 'other' }])
  t.match(await client.refusal('scope patch -id p3 --active true'), /HTTP 404/)
}

const reprocessing: Story = async (t, stage) => {
  const { client } = stage
  await putScopes(stage)
  t.same(await client.json('tasks reprocessing get'), [])
  const window =
    '--start-reprocess-time 2026-11-01T01:00:00Z --end-reprocess-time 2026-11-01T03:00:00Z'
  const later =
    '--start-reprocess-time 2026-11-01T03:00:00Z --end-reprocess-time 2026-11-01T04:00:00Z'
  const made = await client.json(
    `tasks reprocessing create --scope-id p1 ${window} --reason`,
    'other prices',
  )
  t.same(made, [], 'there is nothing to tell of an order that was taken')
  await client.json(`tasks reprocessing create --scope-id ALL ${later} --reason x`)
  const row = {
    'Scope ID': 'p1',
    Reason: 'other prices',
    'Start reprocessing time': '2026-11-01T01:00:00+00:00',
    'End reprocessing time': '2026-11-01T03:00:00+00:00',
    'Current reprocessing time': '',
  }
  const [first, ...rest] = await client.json('tasks reprocessing get --order ASC')
  t.same(first, row)
  t.same(rest.map((each: typeof row) => each['Scope ID']).sort(), ['p1', 'p2'])
  t.same((await client.json('tasks reprocessing get'))[2], row)
  t.same(await client.json('tasks reprocessing get --scope-id p1 --limit 1 --order asc'), [row])
  t.match(
    await client.refusal(`tasks reprocessing create --scope-id p1 ${window} --reason again`),
    /already has a schedule.*HTTP 400/,
  )
  t.match(
    await client.refusal(`tasks reprocessing create --scope-id p3 ${window} --reason x`),
    /do not exist.*HTTP 400/,
  )
}

/** The same in both APIs. */
export const tenantStories: Stories = {
  'report tenant': tenants,
}

/** In the words of the first API. */
export const firstUsageStories: Stories = {
  'summary, total': reports,
  dataframes: storedFrames,
}

/** In the words of the second API. */
export const secondUsageStories: Stories = {
  dataframes: addedFrames,
  summary: summaries,
  scope: scopes,
  'tasks reprocessing': reprocessing,
}
