import t from 'tap'
import { projectOf } from '../../src/rating/data-point.ts'
import { formatDecimal } from '../../src/rating/decimal.ts'
import { compileRuleBook } from '../../src/rating/hashmap/rule-book.ts'
import { maxQuotedResources, pointsToQuote, quote } from '../../src/rating/quote.ts'
import { atOnce } from '../../src/time-slice.ts'
import { hashmapRows } from '../helpers/hashmap-rows.ts'
import { refusal } from '../helpers/refusal.ts'

const context = { projectId: 'p1', mayNameProject: true, at: 7200 }

const pointsOf = (...args: Parameters<typeof pointsToQuote>) => atOnce(pointsToQuote(...args))

t.test('resources become points of whoever asks, now', async t => {
  const points = pointsOf(
    [
      { service: 'instance', volume: '2', desc: { metadata: { flavor: 'small' } } },
      { service: 'volume', desc: { type: 'ssd', groupby: { project_id: 'p2' } } },
    ],
    context,
  )
  t.match(points, [
    {
      metric: 'instance',
      begin: 7200,
      groupby: { project_id: 'p1' },
      metadata: { flavor: 'small' },
    },
    { metric: 'volume', groupby: { project_id: 'p2' }, metadata: { type: 'ssd' } },
  ])
  t.strictSame(
    points.map(({ qty }) => formatDecimal(qty)),
    ['2', '1'],
  )
})

t.test('who may not name a project asks for its own', async t => {
  const own = { ...context, mayNameProject: false }
  const description = { groupby: { project_id: 'p2' }, project_id: 'p3' }
  const [point] = pointsOf([{ service: 'a', desc: description }], own)
  t.equal(point && projectOf(point), 'p1')
})

t.test('what is wrong is reported with its place', async t => {
  const cases = [
    ['x', /\(path: '\['resources'\]'\)/],
    [[{}], /'resources', 0, 'service'/],
    [[{ service: 7 }], /'resources', 0, 'service'/],
    [[{ service: 'a', more: 1 }], /'more'/],
    [[{ service: 'a' }, { service: 'a', volume: 'NaN' }], /'resources', 1, 'volume'/],
    [[{ service: 'a', desc: 'x' }], /'desc'/],
    [[{ service: 'a', desc: { groupby: { x: [] } } }], /'desc', 'groupby', 'x'/],
  ] as const
  for (const [resources, message] of cases)
    t.throws(() => pointsOf(resources, context), { ...refusal('invalid_object'), message })
  const many = new Array(maxQuotedResources + 1).fill({ service: 'a' })
  t.throws(() => pointsOf(many, context), refusal('invalid_object'))
})

t.test('the price is what rating would come to', async t => {
  const hashmap = compileRuleBook(
    hashmapRows({
      mappings: [
        { service: 'instance', cost: '0.1' },
        { field: 'instance/flavor', value: 'small', type: 'rate', cost: '0.5' },
        { service: 'instance', tenant: 'p2', cost: '9' },
      ],
    }),
  )
  const resources = [
    { service: 'instance', volume: 3, desc: { metadata: { flavor: 'small' } } },
    { service: 'instance' },
    { service: 'unheard' },
  ]
  const points = pointsOf(resources, context)
  t.equal(formatDecimal(atOnce(quote(points, { hashmap }))), '0.25')
  t.equal(formatDecimal(atOnce(quote(points, {}))), '0')
})

t.test('others have a turn between any two resources', async t => {
  const resources = new Array(maxQuotedResources).fill({ service: 'a' })
  const reading = [...pointsToQuote(resources, context)]
  const pricing = [...quote(pointsOf(resources, context), {})]
  t.same([reading.length, pricing.length], [maxQuotedResources, maxQuotedResources])
})
