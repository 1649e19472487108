import t from 'tap'
import { formatDecimal } from '../../../src/rating/decimal.ts'
import { priceByHashmap } from '../../../src/rating/hashmap/price.ts'
import { defaultPriceModel, rowsOfPriceModel } from '../../../src/rating/hashmap/price-model.ts'
import { compileRuleBook } from '../../../src/rating/hashmap/rule-book.ts'
import { pointOf } from '../../helpers/hashmap-rows.ts'

let idCount = 0
const rows = rowsOfPriceModel(defaultPriceModel, {
  atMicros: 1,
  newId: () => `id-${++idCount}`,
})
const book = compileRuleBook({ ...rows, thresholds: [] })
const priceOf = (point: Parameters<typeof pointOf>[0]): string =>
  formatDecimal(priceByHashmap(book, pointOf(point)))

t.test('the default prices are the ones they are described as', async t => {
  t.equal(priceOf({ metric: 'dns.zone', qty: '730' }), '0.49999999999977')
  t.equal(priceOf({ metric: 'dns.queries', qty: '2.5' }), '1', '0.40 a million')
  t.equal(priceOf({ metric: 'dns.queries', qty: '2.5', metadata: { tier: '0' } }), '1')
  t.equal(priceOf({ metric: 'dns.queries', qty: '2.5', metadata: { tier: '1' } }), '0.5')
  t.equal(priceOf({ metric: 'dns.queries', qty: '99', metadata: { rcode: 'NXDOMAIN' } }), '0')
  t.equal(priceOf({ metric: 'dns.bytes', qty: '1000' }), '0')
  t.equal(priceOf({ metric: 'dns.recordset', qty: '1000' }), '0')
})

t.test('the rows of a model share one group and name each service and field once', async t => {
  t.equal(rows.groups.length, 1)
  t.same(
    rows.services.map(service => service.name),
    ['dns.zone', 'dns.queries'],
  )
  t.same(
    rows.fields.map(field => field.name),
    ['tier', 'rcode'],
  )
  t.ok(rows.mappings.every(mapping => mapping.groupId === rows.groups[0]!.id))
  t.ok(rows.mappings.every(mapping => (mapping.serviceId === null) !== (mapping.fieldId === null)))
  t.equal(new Set([...rows.mappings, ...rows.services, ...rows.fields].map(row => row.id)).size, 8)
})
