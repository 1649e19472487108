import t from 'tap'
import { getDecimal } from '../../../src/rating/decimal.ts'
import { ratePoint } from '../../../src/rating/modules.ts'
import { Dice } from '../../helpers/dice.ts'
import { startRatingApi } from '../../helpers/rating-api.ts'
import { usage } from '../../helpers/usage.ts'

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
  t.equal((await member.get('/v2/prices')).status, 403)
  t.equal((await member.put('/v2/prices', { rules: [] })).status, 403)
  t.equal((await member.post('/v2/prices/preview', { month: '2026-11', rules: [] })).status, 403)
  t.match(await api.admin.put('/v2/prices/other'), { status: 404 })
})

const flat = { service: 'dns.queries', type: 'flat', cost: '0.4', description: '' }
const waiver = { ...flat, field: 'rcode', value: 'NXDOMAIN', type: 'rate', cost: '0' }

t.test('the price list is read and replaced as a whole', async t => {
  const { api } = await startRatingApi(t)
  const list = (...rules: readonly object[]) => ({ rules, other_rules: 0 })
  t.same((await api.admin.get('/v2/prices')).body, list())
  t.same((await api.admin.put('/v2/prices', { rules: [waiver, flat] })).body, list(flat, waiver))
  const mappings = '/rating/v1/rating/module_config/hashmap/mappings/'
  const { body: before } = await api.admin.get(mappings)
  const changed = { ...flat, cost: '0.50', description: 'dearer' }
  t.match((await api.admin.put('/v2/prices', { rules: [changed, waiver] })).status, 200)
  t.same((await api.admin.get('/v2/prices')).body, list({ ...changed, cost: '0.5' }, waiver))
  const { body: after } = await api.admin.get(mappings)
  const idOf = (body: typeof before, cost: string) =>
    body.mappings.find((each: { cost: string }) => Number(each.cost) === Number(cost)).mapping_id
  t.equal(idOf(after, '0'), idOf(before, '0'), 'what is the same stays')
  t.equal(idOf(after, '0.5'), idOf(before, '0.4'))
  t.same((await api.admin.put('/v2/prices', { rules: [] })).body, list())
})

t.test('rules of other groups, of projects and for a time are left alone, and counted', async t => {
  const { api, services } = await startRatingApi(t)
  const { administration } = services
  await api.admin.put('/v2/prices', { rules: [flat] })
  const [mapping] = administration.mappings.list({})
  const { serviceId, groupId } = mapping!
  const other = { ...mapping!, serviceId, groupId, tenantId: 'p1', cost: '9' }
  await administration.mappings.create(other, { by: 'somebody' })
  t.same((await api.admin.put('/v2/prices', { rules: [] })).body, { rules: [], other_rules: 1 })
})

t.test('a list that is wrong is refused at the place, and changes nothing', async t => {
  const { api } = await startRatingApi(t)
  await api.admin.put('/v2/prices', { rules: [flat] })
  const wrong: readonly (readonly [object, RegExp])[] = [
    [{ ...flat, cost: 'much' }, /rules\.1\.cost/],
    [{ ...flat, cost: '1e400' }, /rules\.1\.cost/],
    [{ ...flat, value: 'NOERROR' }, /'rules', 1, 'value'/],
    [{ ...flat, field: 'rcode' }, /'rules', 1, 'value'/],
    [{ ...flat, type: 'other' }, /rules\.1\.type/],
    [flat, /'rules', 1\]/],
    [{ ...flat, service: 'dns.querys' }, /dns\.queries.*'rules', 1, 'service'/],
    [{ ...flat, field: 'rcod', value: 'NOERROR' }, /rcode.*'rules', 1, 'field'/],
  ]
  for (const [rule, message] of wrong) {
    const rules = [flat, rule]
    const refused = { status: 400, body: { message } }
    t.match(await api.admin.put('/v2/prices', { rules }), refused)
    t.match(await api.admin.post('/v2/prices/preview', { month: '2026-11', rules }), refused)
  }
  t.same((await api.admin.get('/v2/prices')).body, { rules: [flat], other_rules: 0 })
})

t.test('a preview by the prices that hold is what the month has cost', async t => {
  const { api, services } = await startRatingApi(t)
  const rules = [flat, waiver, { ...flat, field: 'tier', value: '1', type: 'rate', cost: '0.3' }]
  await api.admin.put('/v2/prices', { rules })
  const dice = new Dice(7)
  const points = Array.from({ length: 2000 }, (_, i) =>
    usage(
      `2026-11-${String(1 + (i % 20)).padStart(2, '0')}T05`,
      `p${dice.below(4)}`,
      `${dice.below(100)}.${dice.below(1000)}`,
      {
        groupby: { id: `z${dice.below(9)}`, rcode: dice.below(2) === 0 ? 'NXDOMAIN' : 'NOERROR' },
        metadata: { tier: String(dice.below(2)) },
      },
    ),
  )
  const rated = points.map(point => ratePoint(point, services.administration.rules()))
  await services.points.write({ origin: 'dns', points: rated })
  const pushed = usage('2026-11-02T05', 'p1', '1', { price: getDecimal('7'), metric: 'volume' })
  await services.points.write({ origin: 'pushed', points: [pushed] })
  const body = { month: '2026-11', rules }
  const { body: same } = await api.admin.post('/v2/prices/preview', body)
  t.equal(same.preview, same.cost)
  t.ok(Number(same.cost) > 100)
  t.ok(same.metrics.every((each: { cost: string; preview: string }) => each.cost === each.preview))
  const { body: free } = await api.admin.post('/v2/prices/preview', { ...body, rules: [] })
  t.match(free, { cost: same.cost, preview: '7.00', projects: { length: 4 } })
  const changes = free.projects.map((each: { cost: string; preview: string }) =>
    Math.abs(Number(each.preview) - Number(each.cost)),
  )
  t.same(
    changes,
    changes.toSorted((a: number, b: number) => b - a),
    'the largest change first',
  )
  t.equal((await api.admin.post('/v2/prices/preview', { ...body, month: '2027-01' })).status, 400)
  t.equal(
    (await api.admin.post('/v2/prices/preview', { ...body, month: '2026-10' })).body.cost,
    '0.00',
  )
})
