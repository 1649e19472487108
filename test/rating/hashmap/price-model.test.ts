import t from 'tap'
import { formatDecimal } from '../../../src/rating/decimal.ts'
import { priceByHashmap } from '../../../src/rating/hashmap/price.ts'
import { defaultPriceModel } from '../../../src/rating/hashmap/price-model.ts'
import { ruleBookOf } from '../../../src/rating/price-preview.ts'
import { pointOf } from '../../helpers/hashmap-rows.ts'

const book = ruleBookOf(defaultPriceModel.rules)
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
