import t from 'tap'
import { metrics } from '../../../../src/rating/metrics.ts'
import { startRatingApi } from '../../../helpers/rating-api.ts'

t.test('anyone may ask what is rated', async t => {
  const { api } = await startRatingApi(t)
  const reader = await api.clientOf({ project: 'alpha', role: 'reader' })
  const { body } = await reader.get('/rating/v1/info/config/')
  t.strictSame(
    Object.keys(body.metrics),
    metrics.map(({ name }) => name),
  )
  t.match(body.metrics['volume.size'], { unit: 'GiB', metadata: ['volume_type'] })
  const volume = { unit: 'GiB', metadata: ['volume_type'] }
  for (const [plural, singular] of [
    ['metrics', 'metric'],
    ['services', 'service'],
  ] as const) {
    const all = await reader.get(`/rating/v1/info/${plural}/`)
    t.equal(all.body[plural].length, metrics.length)
    const one = await reader.get(`/rating/v1/info/${plural}/volume.size`)
    t.strictSame(one.body, { [`${singular}_id`]: 'volume.size', ...volume })
    t.strictSame(
      all.body[plural].filter((each: object) => JSON.stringify(each).includes('volume.size')),
      [one.body],
    )
    t.equal((await reader.get(`/rating/v1/info/${plural}/none`)).status, 404)
  }
})

t.test('collectors are kept as they are reported', async t => {
  const { api } = await startRatingApi(t)
  const mappings = '/rating/v1/collector/mappings'
  const row = { service: 'cpu', collector: 'gnocchi' }
  const made = await api.admin.post(`${mappings}/`, row)
  t.strictSame([made.status, made.body], [200, row])
  t.strictSame((await api.admin.get(`${mappings}/cpu`)).body, row)
  t.strictSame((await api.admin.get(`${mappings}/?collector=other`)).body, { mappings: [] })
  const deleted = await api.admin.call('DELETE', `${mappings}/`, { body: { service: 'cpu' } })
  t.equal(deleted.status, 204)
  const missing = await api.admin.get(`${mappings}/cpu`)
  t.strictSame([missing.status, missing.body.faultstring], [404, 'No mapping for service: cpu'])

  const states = '/rating/v1/collector/states'
  t.strictSame((await api.admin.get(`${states}?name=dns`)).body, { name: 'dns', enabled: false })
  const on = { name: 'dns', enabled: true }
  t.strictSame((await api.admin.put(`${states}/`, on)).body, on)
  for (const path of [`${states}/dns`, '/rating/v1/collector/dns/states'])
    t.strictSame((await api.admin.get(path)).body, on)
  t.equal((await api.admin.get(states)).status, 400)
  const member = await api.clientOf({ project: 'alpha' })
  t.equal((await member.get(`${states}/dns`)).status, 403)
})
