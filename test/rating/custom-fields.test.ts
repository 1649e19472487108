import t from 'tap'
import { ApiError } from '../../src/errors.ts'
import { defaultFields } from '../../src/rating/aggregate.ts'
import { parseCustomFields } from '../../src/rating/custom-fields.ts'

t.test('aggregates of the two amounts are understood, in either case', async t => {
  t.same(parseCustomFields('SUM(qty) AS qty, max( price ) as dearest,COUNT(qty)'), [
    { aggregate: 'sum', column: 'qty', alias: 'qty' },
    { aggregate: 'max', column: 'price', alias: 'dearest' },
    { aggregate: 'count', column: 'qty', alias: 'count' },
  ])
  t.same(parseCustomFields('*'), defaultFields)
  t.same(parseCustomFields('SUM(qty) AS qty, SUM(price) AS rate'), defaultFields)
})

t.test('anything else is refused', async t => {
  const texts = [
    'qty',
    'SELECT * FROM x',
    'sum(id)',
    'drop(qty)',
    'sum(qty) as a b',
    `sum(qty) as ${'a'.repeat(65)}`,
    Array.from({ length: 17 }, (_, i) => `sum(qty) as a${i}`).join(),
    ' '.repeat(1025),
  ]
  for (const text of texts) t.throws(() => parseCustomFields(text), ApiError, text.slice(0, 30))
})
