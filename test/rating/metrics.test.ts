import t from 'tap'
import { defaultPriceModel } from '../../src/rating/hashmap/price-model.ts'
import { meteredMetrics, metrics } from '../../src/rating/metrics.ts'

t.test('each metric has a name of its own, and each attribute one place', async t => {
  t.equal(new Set(metrics.map(({ name }) => name)).size, metrics.length)
  for (const { name, groupby, metadata } of metrics) {
    const attributes = [...groupby, ...metadata]
    t.equal(new Set(attributes).size, attributes.length, name)
    t.ok(groupby.includes('project_id'), `${name} is somebody’s`)
  }
})

t.test('the default prices are for what is metered, by attributes it has', async t => {
  for (const { service, field } of defaultPriceModel.rules) {
    const metric = meteredMetrics.find(({ name }) => name === service)
    t.ok(metric, service)
    if (field !== undefined)
      t.ok([...(metric?.groupby ?? []), ...(metric?.metadata ?? [])].includes(field), field)
  }
})
