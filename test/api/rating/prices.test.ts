import t from 'tap'
import { askToApplyPrices } from '../../../src/api/rating/prices-client.ts'
import { testAdminToken } from '../../helpers/api.ts'
import { startRatingApi } from '../../helpers/rating-api.ts'

const proof = { kind: 'token', token: testAdminToken } as const

t.test('administrators apply a price model, as often as they like', async t => {
  const { api } = await startRatingApi(t)
  const put = () => api.admin.put('/v2/prices/default')
  const done = { model: 'default', kept: [] }
  t.match(await put(), { status: 200, body: { ...done, added: 4, present: 0 } })
  t.match(await put(), { status: 200, body: { ...done, added: 0, present: 4 } })
  t.match(await api.admin.get('/rating/v1/rating/module_config/hashmap/services/'), {
    body: { services: { length: 2 } },
  })
})

t.test('nobody else applies one, and there is none of another name', async t => {
  const { api } = await startRatingApi(t)
  const member = await api.clientOf({ project: 'alpha' })
  t.equal((await member.put('/v2/prices/default')).status, 403)
  t.match(await api.admin.put('/v2/prices/other'), { status: 404 })
})

t.test('the program asks a server, and believes only a report', async t => {
  const { api } = await startRatingApi(t)
  const { url } = api
  t.match(await askToApplyPrices({ url, proof }, 'default'), { added: 4 })
  const unavailable = { name: 'ServerUnavailableError', message: /404/ }
  await t.rejects(askToApplyPrices({ url, proof }, 'no/such'), unavailable)
})
