import fc from 'fast-check'
import t from 'tap'
import type { DataPoint } from '../../../src/rating/data-point.ts'
import { add, type Decimal, formatDecimal, getDecimal, zero } from '../../../src/rating/decimal.ts'
import { priceByHashmap } from '../../../src/rating/hashmap/price.ts'
import { compileRuleBook } from '../../../src/rating/hashmap/rule-book.ts'
import { hashmapRows, pointOf } from '../../helpers/hashmap-rows.ts'
import { held } from '../../helpers/held.ts'

type Rules = Parameters<typeof hashmapRows>[0]

const priceOf = (rules: Rules, point: Parameters<typeof pointOf>[0]): string =>
  formatDecimal(priceByHashmap(compileRuleBook(hashmapRows(rules)), pointOf(point)))

t.test('the worked example: a price a GiB, discounted by volume', async t => {
  const rules: Rules = {
    mappings: [{ service: 'storage', cost: '0.001' }],
    thresholds: [
      { service: 'storage', type: 'rate', level: '50', cost: '0.98' },
      { service: 'storage', type: 'rate', level: '200', cost: '0.95' },
    ],
  }
  const rows = [
    ['20', '0.02'],
    ['49.999', '0.049999'],
    ['50', '0.049'],
    ['80', '0.0784'],
    ['199', '0.19502'],
    ['200', '0.19'],
    ['250', '0.2375'],
  ] as const
  for (const [qty, expected] of rows) t.equal(priceOf(rules, { qty }), expected, `${qty} GiB`)
})

t.test('nothing is priced without a rule', async t => {
  const rules: Rules = { mappings: [{ service: 'other', cost: '1' }] }
  t.equal(priceOf(rules, { qty: '5' }), '0')
  t.equal(priceOf({}, { qty: '5' }), '0')
})

t.test('of several flat costs in a group the dearest is charged', async t => {
  const rules: Rules = {
    mappings: [
      { service: 'storage', cost: '0.5' },
      { field: 'storage/kind', value: 'fast', cost: '0.7' },
      { field: 'storage/place', value: 'east', cost: '0.6' },
    ],
  }
  t.equal(priceOf(rules, { qty: '2' }), '1')
  t.equal(priceOf(rules, { qty: '2', metadata: { kind: 'fast', place: 'east' } }), '1.4')
  t.equal(priceOf(rules, { qty: '2', metadata: { place: 'east' } }), '1.2')
})

t.test('all rates in a group apply to its flat cost', async t => {
  const rules: Rules = {
    mappings: [
      { service: 'storage', cost: '10' },
      { field: 'storage/kind', value: 'fast', type: 'rate', cost: '1.5' },
      { field: 'storage/place', value: 'east', type: 'rate', cost: '0.1' },
    ],
  }
  t.equal(priceOf(rules, { metadata: { kind: 'fast', place: 'east' } }), '1.5')
})

t.test('a rate without a flat cost charges nothing, a rate of zero waives', async t => {
  const rate: Rules = { mappings: [{ service: 'storage', type: 'rate', cost: '3' }] }
  t.equal(priceOf(rate, { qty: '5' }), '0')
  const waiver: Rules = {
    mappings: [
      { service: 'storage', cost: '4' },
      { field: 'storage/rcode', value: 'NXDOMAIN', type: 'rate', cost: '0' },
    ],
  }
  t.equal(priceOf(waiver, { metadata: { rcode: 'NXDOMAIN' } }), '0')
  t.equal(priceOf(waiver, { metadata: { rcode: 'NOERROR' } }), '4')
})

t.test('prices of different groups add up', async t => {
  const rules: Rules = {
    mappings: [
      { service: 'storage', group: 'a', cost: '1' },
      { service: 'storage', group: 'b', cost: '2' },
      { field: 'storage/kind', value: 'fast', group: 'b', type: 'rate', cost: '2' },
      { service: 'storage', cost: '0.25' },
    ],
  }
  t.equal(priceOf(rules, { qty: '2', metadata: { kind: 'fast' } }), '10.5')
})

t.test('a groupby attribute goes before metadata of the same name', async t => {
  const rules: Rules = { mappings: [{ field: 'storage/kind', value: 'fast', cost: '1' }] }
  t.equal(priceOf(rules, { groupby: { kind: 'slow' }, metadata: { kind: 'fast' } }), '0')
})

t.test('a service threshold of type flat is charged once, whatever the quantity', async t => {
  const rules: Rules = {
    mappings: [{ service: 'storage', cost: '1' }],
    thresholds: [{ service: 'storage', level: '10', cost: '100' }],
  }
  t.equal(priceOf(rules, { qty: '9' }), '9')
  t.equal(priceOf(rules, { qty: '12' }), '112')
})

t.test('a field threshold compares the attribute and changes the unit price', async t => {
  const rules: Rules = {
    mappings: [{ service: 'storage', cost: '1' }],
    thresholds: [
      { field: 'storage/cores', level: '2', cost: '0.5' },
      { field: 'storage/cores', level: '8', type: 'rate', cost: '3' },
    ],
  }
  t.equal(priceOf(rules, { qty: '10', metadata: { cores: '1' } }), '10')
  t.equal(priceOf(rules, { qty: '10', metadata: { cores: '2.0' } }), '15')
  t.equal(priceOf(rules, { qty: '10', metadata: { cores: '9' } }), '30', 'only the highest level')
  t.equal(priceOf(rules, { qty: '10', metadata: { cores: 'many' } }), '10')
})

t.test('of equal levels the service goes before its fields', async t => {
  const rules: Rules = {
    thresholds: [
      { field: 'storage/cores', level: '1', cost: '7' },
      { service: 'storage', level: '1', cost: '5' },
    ],
  }
  t.equal(priceOf(rules, { qty: '2', metadata: { cores: '2' } }), '5')
})

t.test('level zero always counts, a level below zero never', async t => {
  t.equal(
    priceOf({ thresholds: [{ service: 'storage', level: '0', cost: '5' }] }, { qty: '0' }),
    '5',
  )
  t.equal(priceOf({ thresholds: [{ service: 'storage', level: '-1', cost: '5' }] }, {}), '0')
})

t.test("a tenant's rule replaces the global one with the same place in the same group", async t => {
  const rules: Rules = {
    mappings: [
      { service: 'storage', cost: '10' },
      { service: 'storage', cost: '4', tenant: 'p1' },
      { field: 'storage/kind', value: 'fast', group: 'g', cost: '100' },
      { field: 'storage/kind', value: 'fast', group: 'h', cost: '1', tenant: 'p1' },
    ],
    thresholds: [
      { service: 'storage', level: '5', type: 'rate', cost: '0.5' },
      { service: 'storage', level: '5.0', type: 'rate', cost: '0.25', tenant: 'p1' },
    ],
  }
  const metadata = { kind: 'fast' }
  t.equal(priceOf(rules, {}), '4', 'its own instead of the dearer global one')
  t.equal(priceOf(rules, { qty: '8' }), '8', 'its own threshold at an equal level')
  t.equal(priceOf(rules, { metadata }), '105', 'in another group it adds')
  t.equal(priceOf(rules, { groupby: { project_id: 'p2' }, metadata }), '110')
})

t.test('a rule prices the periods that begin while it is valid', async t => {
  const rules: Rules = {
    mappings: [
      { service: 'storage', cost: '1', end: 7200 },
      { service: 'storage', cost: '2', start: 7200 },
    ],
  }
  t.equal(priceOf(rules, { begin: 3600, end: 7200 }), '1')
  t.equal(priceOf(rules, { begin: 7199, end: 10_800 }), '1')
  t.equal(priceOf(rules, { begin: 7200, end: 10_800 }), '2')
})

t.test('a rule whose parent is gone prices nothing', async t => {
  const rows = hashmapRows({ mappings: [{ service: 'storage', cost: '1' }] })
  const book = compileRuleBook({ ...rows, services: [] })
  t.equal(formatDecimal(priceByHashmap(book, pointOf())), '0')
})

t.test('a price is rounded once, to 28 digits', async t => {
  const rules: Rules = {
    mappings: [
      { service: 'storage', cost: '0.3333333333333333333333333333' },
      {
        field: 'storage/kind',
        value: 'fast',
        type: 'rate',
        cost: '0.3333333333333333333333333333',
      },
    ],
  }
  t.equal(
    priceOf(rules, { qty: '9', metadata: { kind: 'fast' } }),
    '0.9999999999999999999999999998',
  )
})

const quantity = fc.tuple(fc.nat(10 ** 9), fc.nat(6)).map(([n, places]) => `${n}e-${places}`)
const point = fc
  .record({
    qty: quantity,
    kind: fc.constantFrom('fast', 'slow', 'none'),
    project: fc.constantFrom('p1', 'p2'),
  })
  .map(({ qty, kind, project }) =>
    pointOf({ qty, groupby: { project_id: project }, metadata: { kind } }),
  )
const linearRules = hashmapRows({
  mappings: [
    { service: 'storage', cost: '0.000684931506849' },
    { service: 'storage', cost: '0.0004', tenant: 'p2' },
    { field: 'storage/kind', value: 'fast', type: 'rate', cost: '1.5' },
    { field: 'storage/kind', value: 'slow', group: 'g', cost: '0.07' },
  ],
})
const total = (points: readonly DataPoint[], book = compileRuleBook(linearRules)): Decimal =>
  points.reduce<Decimal>((sum, each) => add(sum, priceByHashmap(book, each)), zero)

t.test('rating is additive over any split of points, and independent of their order', async t => {
  held(
    t,
    fc.property(fc.array(point), fc.nat(), fc.infiniteStream(fc.nat()), (points, cut, keys) => {
      const at = points.length === 0 ? 0 : cut % points.length
      const shuffled = points
        .map(each => ({ each, key: keys.next().value }))
        .sort((a, b) => a.key - b.key)
        .map(({ each }) => each)
      const whole = formatDecimal(total(points))
      const parts = add(total(points.slice(0, at)), total(points.slice(at)))
      return whole === formatDecimal(parts) && whole === formatDecimal(total(shuffled))
    }),
  )
})

t.test(
  'without thresholds a quantity may be split: the parts cost what the whole does',
  async t => {
    held(
      t,
      fc.property(point, quantity, (whole, text) => {
        const part = getDecimal(text)
        const rest = { ...whole, qty: add(whole.qty, getDecimal(`-${text}`)) }
        const book = compileRuleBook(linearRules)
        const parts = total([{ ...whole, qty: part }, rest], book)
        return formatDecimal(parts) === formatDecimal(priceByHashmap(book, whole))
      }),
    )
  },
)

t.test('the order in which rules were written does not matter', async t => {
  const rules = {
    mappings: linearRules.mappings,
    thresholds: hashmapRows({
      thresholds: [
        { service: 'storage', type: 'rate', level: '1', cost: '0.9' },
        { field: 'storage/kind', level: '2', cost: '0.1' },
        { service: 'storage', group: 'g', level: '3', cost: '2' },
      ],
    }).thresholds,
  }
  held(
    t,
    fc.property(
      fc.shuffledSubarray(rules.mappings, { minLength: 4 }),
      fc.shuffledSubarray(rules.thresholds, { minLength: 3 }),
      point,
      (mappings, thresholds, each) => {
        const base = compileRuleBook({ ...linearRules, ...rules })
        const book = compileRuleBook({ ...linearRules, mappings, thresholds })
        return (
          formatDecimal(priceByHashmap(book, each)) === formatDecimal(priceByHashmap(base, each))
        )
      },
    ),
  )
})
