import t from 'tap'
import { startRatingApi } from '../../../helpers/rating-api.ts'

const base = '/rating/v1/rating'

t.test('modules are shown in the words of each API', async t => {
  const { api } = await startRatingApi(t)
  const hashmap = {
    module_id: 'hashmap',
    description: 'HashMap rating module.',
    enabled: false,
    'hot-config': true,
    priority: 1,
  }
  const { body } = await api.admin.get(`${base}/modules/`)
  t.strictSame(body.modules[0], hashmap)
  t.equal(body.modules.length, 3)
  const one = await api.admin.get(`${base}/modules/hashmap?module_id=hashmap`)
  t.strictSame(one.body, hashmap)
  const missing = await api.admin.get(`${base}/modules/unheard`)
  t.strictSame([missing.status, missing.body.faultstring], [404, 'Module not found.'])
  const { 'hot-config': hot_config, ...rest } = hashmap
  const second = await api.admin.get('/rating/v2/rating/modules')
  t.strictSame(second.body.modules[0], { ...rest, hot_config })
})

t.test('a module that is shown can be sent back changed', async t => {
  const { api } = await startRatingApi(t)
  const { body } = await api.admin.get(`${base}/modules/hashmap`)
  const answer = await api.admin.put(`${base}/modules/hashmap`, { ...body, enabled: true })
  t.strictSame(
    [answer.status, answer.headers.get('location')],
    [302, `${api.url}${base}/modules/hashmap`],
  )
  t.equal((await api.admin.get(`${base}/modules/hashmap`)).body.enabled, true)
  const ranked = await api.admin.put(`${base}/modules`, { module_id: 'hashmap', priority: 7 })
  t.equal(ranked.status, 302)
  t.match((await api.admin.get(`${base}/modules/hashmap`)).body, { enabled: true, priority: 7 })
  for (const bad of [{ enabled: 'maybe' }, { priority: 0 }, { priority: 1.5 }, { colour: 1 }])
    t.equal((await api.admin.put(`${base}/modules/hashmap`, bad)).status, 400)
  const refused = await api.admin.put(`${base}/modules/pyscripts`, { enabled: true })
  t.match([refused.status, refused.body.faultstring], [400, /never run/])
})

t.test('there is nothing to reload, and nothing to configure of noop', async t => {
  const { api } = await startRatingApi(t)
  const reloaded = await api.admin.get(`${base}/reload_modules/`)
  t.strictSame([reloaded.status, reloaded.text], [204, ''])
  for (const method of ['GET', 'POST', 'PUT', 'DELETE']) {
    const { status, body } = await api.admin.call(method, `${base}/module_config/noop`)
    t.strictSame([status, body.faultstring], [409, 'Module is not configurable'])
  }
})

t.test('anyone is told what something would cost', async t => {
  const { api } = await startRatingApi(t)
  const { body } = await api.admin.post(`${base}/module_config/hashmap/services`, { name: 'cpu' })
  const rule = { service_id: body.service_id, cost: '0.333' }
  await api.admin.post(`${base}/module_config/hashmap/mappings`, rule)
  const reader = await api.clientOf({ project: 'alpha', role: 'reader' })
  const resources = [{ service: 'cpu', volume: '2.5', desc: { groupby: {}, metadata: {} } }]
  const before = await reader.post(`${base}/quote`, { resources })
  t.strictSame([before.status, before.text], [200, '"0"'], 'nothing costs before it is enabled')
  await api.admin.put('/rating/v2/rating/modules/hashmap', { enabled: true })
  t.equal((await reader.post(`${base}/quote`, { resources })).text, '"0.8325"')
  t.equal((await reader.post(`${base}/quote`, { resources: [] })).text, '"0"')
  const special = { ...rule, cost: '9', tenant_id: 'p2' }
  await api.admin.post(`${base}/module_config/hashmap/mappings`, special)
  const asOther = [{ service: 'cpu', desc: { groupby: { project_id: 'p2' } } }]
  t.equal((await api.admin.post(`${base}/quote`, { resources: asOther })).text, '"9"')
  const own = await reader.post(`${base}/quote`, { resources: asOther })
  t.equal(own.text, '"0.333"', 'what another project pays is not reported')
  const bad = await reader.post(`${base}/quote`, { resources: [{ service: 'cpu', volume: 'NaN' }] })
  t.match([bad.status, bad.body.faultstring], [400, /'resources', 0, 'volume'/])
})

t.test('scripts are kept as text', async t => {
  const { api } = await startRatingApi(t)
  const scripts = `${base}/module_config/pyscripts/scripts`
  const made = await api.admin.post(scripts, { name: 'policy', data: 'x = "ü"' })
  t.equal(made.status, 201)
  const { script_id: id } = made.body
  t.equal(made.headers.get('location'), `${api.url}${scripts}/${id}`)
  t.match(made.body, { name: 'policy', data: 'x = "ü"', checksum: /^[0-9a-f]{128}$/, start: null })
  const changed = await api.admin.put(`${scripts}/${id}`, { ...made.body, data: 'x = 2' })
  t.match([changed.status, changed.body], [201, { script_id: id, data: 'x = 2' }])
  const { body } = await api.admin.get(`${scripts}?no_data=True`)
  t.equal(body.scripts.length, 1)
  t.notOk('data' in body.scripts[0])
  t.equal((await api.admin.post(scripts, { name: 'policy', data: 'y' })).status, 409)
  t.equal((await api.admin.post(scripts, { name: 'other' })).status, 400)
  t.equal((await api.admin.call('DELETE', scripts, { body: { script_id: id } })).status, 204)
  t.equal((await api.admin.get(`${scripts}/${id}`)).status, 404)
})
