import t from 'tap'
import { parseCustomFields } from '../../src/rating/custom-fields.ts'
import { formatDecimal, getDecimal } from '../../src/rating/decimal.ts'
import { parseGroupby } from '../../src/rating/groupby.ts'
import { monthPeriod } from '../../src/rating/period.ts'
import { PointStore } from '../../src/rating/segments/point-store.ts'
import { summarize } from '../../src/rating/summary.ts'
import { columnsOf, type SummaryQuery } from '../../src/rating/summary-query.ts'
import { SimulatedDisk } from '../helpers/simulated-disk.ts'
import { at, usage } from '../helpers/usage.ts'

const points = (
  [
    ['a', '1', '0.3'],
    ['b', '10', '0.30'],
    ['c', '9', '2'],
    ['d', '-1', '0'],
  ] as const
).map(([id, qty, price]) =>
  usage('2026-10-05T00', 'p1', qty, { groupby: { id }, price: getDecimal(price) }),
)

async function summary(query: Partial<SummaryQuery>) {
  const store = await PointStore.open('s', { files: new SimulatedDisk() })
  await store.write({ origin: 'dns', points })
  const whole = {
    period: monthPeriod('2026-10'),
    filters: new Map(),
    grouping: parseGroupby(['id']),
    offset: 0,
    limit: 100,
    ...query,
  }
  const { rows } = await summarize(store, whole)
  await store.close()
  return rows
}

const idsBy = async (column: string, isDescending = false, more: Partial<SummaryQuery> = {}) =>
  (await summary({ ...more, order: { column, isDescending } }))
    .map(({ values }) => values[0])
    .join('')

t.test('rows are sorted by any column, ties in the usual order', async t => {
  t.equal(await idsBy('qty'), 'dacb', 'by number, not by text')
  t.equal(await idsBy('qty', true), 'bcad')
  t.equal(await idsBy('rate', true), 'cabd')
  t.equal(await idsBy('rate'), 'dabc')
  t.equal(await idsBy('id', true), 'dcba')
  t.equal(await idsBy('begin', true), 'abcd')
  t.equal(await idsBy('qty', true, { limit: 2, offset: 1 }), 'ca', 'before paging')
  const fields = parseCustomFields('max(price) as dearest')
  t.equal(await idsBy('dearest', true, { fields }), 'cabd')
  t.strictSame(columnsOf({ fields, grouping: parseGroupby(['id']) }), [
    'begin',
    'end',
    'dearest',
    'id',
  ])
})

t.test('a forecast is what the sum will come to by what is rated of the period', async t => {
  const fields = parseCustomFields('FORECAST(price) AS forecast, sum(price) as rate')
  const forecasts = async (ratedUntil?: string) =>
    (await summary({ fields, ...(ratedUntil && { ratedUntil: at(ratedUntil) }) })).map(row =>
      row.amounts.map(formatDecimal).join(' '),
    )
  t.strictSame(await forecasts('2026-10-11'), ['0.93 0.3', '0.93 0.3', '6.2 2', '0 0'])
  t.strictSame(await forecasts(), ['0.3 0.3', '0.3 0.3', '2 2', '0 0'], 'all of it')
  t.strictSame(await forecasts('2026-10-01'), ['0.3 0.3', '0.3 0.3', '2 2', '0 0'], 'none of it')
})
