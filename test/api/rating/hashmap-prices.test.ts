import t from 'tap'
import { type RuleWords, setUpHashmap } from '../../helpers/hashmap-api.ts'
import { startRatingApi } from '../../helpers/rating-api.ts'

// Price lists as administrators set them up over HTTP, and what things then cost, computed by hand: each example is
// quoted resource by resource and all at once, and stored at those prices, and every sum must be the same.

type Resource = {
  readonly volume: string
  /** That of the first rule where not given. */
  readonly service?: string
  readonly project?: string
  readonly attributes?: Readonly<Record<string, string>>
  readonly price: string
}

type Example = {
  readonly rules: readonly RuleWords[]
  readonly resources: readonly Resource[]
  readonly total: string
}

const storage = { service: 'storage' } as const
const cpu = { service: 'cpu' } as const

const examples: Readonly<Record<string, Example>> = {
  'thresholds of a service: a discount on all of it, from the level on': {
    rules: [
      { ...storage, cost: '0.001' },
      { ...storage, level: '50', type: 'rate', cost: '0.98' },
      { ...storage, level: '200', type: 'rate', cost: '0.95' },
    ],
    resources: [
      { volume: '20', price: '0.02' },
      { volume: '49.999999', price: '0.049999999' },
      { volume: '50', price: '0.049' },
      { volume: '80', price: '0.0784' },
      { volume: '250', price: '0.2375' },
    ],
    total: '0.434899999',
  },
  'a flat threshold of a service is charged once, not by the unit': {
    rules: [
      { ...storage, cost: '0.1' },
      { ...storage, level: '10', cost: '3' },
    ],
    resources: [
      { volume: '9', price: '0.9' },
      { volume: '10', price: '4' },
      { volume: '100', price: '13' },
    ],
    total: '17.9',
  },
  'thresholds of a field change the price of a unit': {
    rules: [
      { ...storage, cost: '2' },
      { ...storage, field: 'iops', level: '100', cost: '0.5' },
      { ...storage, field: 'iops', level: '1000', type: 'rate', cost: '1.5' },
    ],
    resources: [
      { volume: '3', attributes: { iops: '99' }, price: '6' },
      { volume: '3', attributes: { iops: '100' }, price: '7.5' },
      { volume: '3', attributes: { iops: '1000.0' }, price: '9' },
      { volume: '3', attributes: { iops: 'many' }, price: '6' },
    ],
    total: '28.5',
  },
  'the dearest flat cost counts, and every rate': {
    rules: [
      { ...cpu, cost: '1' },
      { ...cpu, field: 'flavor', value: 'large', cost: '4' },
      { ...cpu, field: 'region', value: 'north', cost: '3' },
      { ...cpu, field: 'image', value: 'licensed', type: 'rate', cost: '1.25' },
      { ...cpu, field: 'tier', value: '1', type: 'rate', cost: '0.5' },
    ],
    resources: [
      { volume: '2', attributes: { flavor: 'large', region: 'north' }, price: '8' },
      { volume: '2', attributes: { region: 'north', image: 'licensed', tier: '1' }, price: '3.75' },
      { volume: '2', attributes: { flavor: 'small' }, price: '2' },
    ],
    total: '13.75',
  },
  'groups add up': {
    rules: [
      { ...cpu, group: 'machine', cost: '1' },
      { ...cpu, group: 'machine', field: 'flavor', value: 'large', type: 'rate', cost: '2' },
      { ...cpu, group: 'license', field: 'image', value: 'licensed', cost: '0.3' },
      { ...cpu, cost: '0.01' },
    ],
    resources: [
      { volume: '1', attributes: { flavor: 'large', image: 'licensed' }, price: '2.31' },
      { volume: '10', attributes: { image: 'free' }, price: '10.1' },
    ],
    total: '12.41',
  },
  'a project’s own rule takes the place of the global one, in its group only': {
    rules: [
      { ...cpu, group: 'a', cost: '5' },
      { ...cpu, group: 'a', tenant: 'p2', cost: '1' },
      { ...cpu, group: 'b', tenant: 'p2', cost: '0.25' },
    ],
    resources: [
      { volume: '2', project: 'p1', price: '10' },
      { volume: '2', project: 'p2', price: '2.5' },
    ],
    total: '12.5',
  },
  'names that do not exist are free': {
    rules: [
      { service: 'dns.queries', group: 'dns', cost: '0.4' },
      {
        service: 'dns.queries',
        group: 'dns',
        field: 'rcode',
        value: 'NXDOMAIN',
        type: 'rate',
        cost: '0',
      },
      {
        service: 'dns.queries',
        group: 'dns',
        field: 'tier',
        value: '1',
        type: 'rate',
        cost: '0.5',
      },
      { service: 'dns.zone', group: 'dns', cost: '0.000684931506849' },
    ],
    resources: [
      {
        service: 'dns.queries',
        volume: '1.234567',
        attributes: { rcode: 'NOERROR' },
        price: '0.4938268',
      },
      { service: 'dns.queries', volume: '200', attributes: { rcode: 'NXDOMAIN' }, price: '0' },
      {
        service: 'dns.queries',
        volume: '10',
        attributes: { rcode: 'NOERROR', tier: '1' },
        price: '2',
      },
      { service: 'dns.zone', volume: '730', price: '0.49999999999977' },
      { service: 'dns.bytes', volume: '9999', price: '0' },
    ],
    total: '2.99382679999977',
  },
  'a rule holds from its start up to its end': {
    rules: [
      { ...cpu, cost: '7', end: '2026-11-01T00:00:00Z' },
      { ...cpu, cost: '8', start: '2026-11-01T00:00:00Z', end: '2036-01-01T00:00:00Z' },
      { ...cpu, cost: '9', start: '2036-01-01T00:00:00Z' },
    ],
    resources: [{ volume: '1', price: '8' }],
    total: '8',
  },
  'amounts are exact': {
    rules: [{ ...cpu, cost: '0.1000000000000000055511151231' }],
    resources: [{ volume: '3', price: '0.3000000000000000166533453693' }],
    total: '0.3000000000000000166533453693',
  },
}

for (const [name, { rules, total, resources: given }] of Object.entries(examples)) {
  t.test(name, async t => {
    const resources = given.map(each => ({ service: rules[0]?.service ?? '', ...each }))
    const { api } = await startRatingApi(t)
    await setUpHashmap(api.admin, rules)
    const quote = async (asked: typeof resources) => {
      const body = { resources: asked.map(quotedResource) }
      return (await api.admin.post('/rating/v1/rating/quote', body)).body
    }
    const prices: string[] = []
    for (const resource of resources) prices.push(await quote([resource]))
    t.strictSame(
      prices,
      resources.map(({ price }) => price),
    )
    t.equal(await quote(resources), total)

    const added = await api.admin.post('/rating/v2/dataframes', framesOf(resources, prices))
    t.equal(added.status, 204)
    const report = await api.admin.get('/rating/v1/report/total?all_tenants=true')
    t.equal(report.body, total)
    const { body } = await api.admin.get('/v2/summary?exact=true')
    t.equal(body.results[0][3], Number(total))
  })
}

type ServiceResource = Resource & { readonly service: string }

function quotedResource({ service, volume, project = 'p1', attributes }: ServiceResource) {
  return { service, volume, desc: { groupby: { project_id: project }, metadata: attributes ?? {} } }
}

function framesOf(resources: readonly ServiceResource[], prices: readonly string[]) {
  const period = { begin: '20261101T000000Z', end: '20261101T010000Z' }
  const dataframes = resources.map(({ service, volume, attributes }, i) => ({
    period,
    usage: {
      [service]: [
        {
          vol: { unit: 'u', qty: volume },
          rating: { price: prices[i] },
          groupby: { project_id: 'p1' },
          metadata: attributes ?? {},
        },
      ],
    },
  }))
  return { dataframes }
}
