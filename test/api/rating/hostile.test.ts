import fc from 'fast-check'
import t from 'tap'
import { ratingMounts } from '../../../src/api/rating/mounts.ts'
import { depth } from '../../helpers/depth.ts'
import { setUpHashmap } from '../../helpers/hashmap-api.ts'
import { startRatingApi } from '../../helpers/rating-api.ts'

// Whatever an administrator's program sends by mistake, it is told what is wrong with it: no call ends in 500.

/** Names that mean something to some route. */
const names = [
  'service_id',
  'field_id',
  'group_id',
  'mapping_id',
  'threshold_id',
  'script_id',
  'module_id',
  'scope_id',
  'scope_ids',
  'name',
  'value',
  'level',
  'cost',
  'type',
  'start',
  'end',
  'begin',
  'tenant_id',
  'groupby',
  'filters',
  'data',
  'enabled',
  'active',
  'priority',
  'resources',
  'service',
  'collector',
  'dataframes',
  'limit',
  'offset',
  'order',
  'reason',
  'state',
  '__proto__',
  'constructor',
]

const oddTexts = [
  '',
  ' ',
  '0',
  '-1',
  '1e999',
  'NaN',
  'null',
  'ALL',
  'time-d',
  'a:b',
  '2026-11-01',
  '9999-12-31T23:59:59-23:59',
  '0001-01-01T00:00:00+23:59',
  '00000000-0000-4000-8000-000000000000',
  'x'.repeat(5000),
  '\u0000',
  '\ud800',
  '%',
  'ü',
]

const leaf = fc.oneof(
  fc.constantFrom<unknown>(...oddTexts, true, false, null, 0, -1, 1.5, 1e300, 2 ** 53),
  fc.jsonValue(),
)
const body = fc.oneof(
  fc.dictionary(fc.constantFrom(...names), leaf, { maxKeys: 5 }).map(each => JSON.stringify(each)),
  fc.json(),
  fc.constantFrom(
    '',
    '{',
    '[]',
    '{"__proto__": {"cost": 1}}',
    '{"resources": [{"service": "dns.zone", "desc": {"__proto__": 1}}]}',
  ),
)
const query = fc
  .array(fc.tuple(fc.constantFrom(...names), fc.constantFrom(...oddTexts)), { maxLength: 3 })
  .map(pairs => new URLSearchParams(pairs).toString())

t.test('no call ends in 500', async t => {
  const { api, services } = await startRatingApi(t)
  await setUpHashmap(api.admin, [
    { service: 'dns.zone', cost: '1', group: 'a' },
    { service: 'dns.zone', field: 'zone_type', value: 'PRIMARY', cost: '2' },
    { service: 'dns.zone', level: '3', cost: '1' },
  ])
  const { mappings } = services.administration
  const idOfRule = mappings.list({})[0]?.id ?? ''
  const calls = ratingMounts(services).flatMap(({ base, routes }) =>
    routes.map(({ method, path }) => ({ method, path: base + path })),
  )
  const parameter = fc.constantFrom(idOfRule, 'hashmap', 'x', ...oddTexts.slice(0, 12))
  const call = fc.record({ route: fc.constantFrom(...calls), parameter, body, query })
  const property = fc.asyncProperty(call, async ({ route, parameter, body, query }) => {
    const path = route.path.replaceAll(/:[a-z_]+/g, encodeURIComponent(parameter) || '-')
    const hasBody = route.method !== 'GET'
    const { status } = await api.admin.call(
      route.method,
      `${path}?${query}`,
      hasBody ? { body } : {},
    )
    return status < 500
  })
  await fc.assert(property, { numRuns: 100 * depth })
  const shown = await api.admin.get('/rating/v1/rating/modules')
  t.equal(shown.status, 200)
})
