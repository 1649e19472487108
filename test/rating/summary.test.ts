import fc from 'fast-check'
import t from 'tap'
import { defaultFields } from '../../src/rating/aggregate.ts'
import { calendarValue, isCalendarAttribute } from '../../src/rating/calendar.ts'
import { parseCustomFields } from '../../src/rating/custom-fields.ts'
import type { DataPoint } from '../../src/rating/data-point.ts'
import { add, type Decimal, formatDecimal, getDecimal, zero } from '../../src/rating/decimal.ts'
import { parseFilters } from '../../src/rating/filters.ts'
import { noGrouping, parseGroupby } from '../../src/rating/groupby.ts'
import { contains, hourBegin } from '../../src/rating/period.ts'
import { PointStore } from '../../src/rating/segments/point-store.ts'
import {
  type AmountForm,
  objectsJson,
  summarize,
  summaryCsv,
  tableJson,
} from '../../src/rating/summary.ts'
import type { SummaryQuery } from '../../src/rating/summary-query.ts'
import { heldAsync } from '../helpers/held.ts'
import { SimulatedDisk } from '../helpers/simulated-disk.ts'
import { anyPoint, at, usage } from '../helpers/usage.ts'

const october = { begin: at('2026-10-01'), end: at('2026-11-01') }

const storeOf = async (points: readonly DataPoint[]): Promise<PointStore> => {
  const store = await PointStore.open('s', {
    files: new SimulatedDisk(),
    limits: { memoryPoints: 10 },
  })
  for (let i = 0; i < points.length; i += 7) {
    await store.write({ origin: 'dns', points: points.slice(i, i + 7) })
  }
  return store
}

const queryOf = (query: Partial<SummaryQuery>): SummaryQuery => ({
  period: october,
  filters: new Map(),
  grouping: noGrouping,
  offset: 0,
  limit: 100,
  ...query,
})

const example = [
  usage('2026-10-01T00', 'p1', '1.5', { groupby: { id: 'a', rcode: 'NOERROR' } }),
  usage('2026-10-01T01', 'p1', '2', { groupby: { id: 'a', rcode: 'NXDOMAIN' } }),
  usage('2026-10-02T00', 'p2', '4', { groupby: { id: 'b', rcode: 'NOERROR' } }),
  usage('2026-10-02T00', 'p2', '1', { metric: 'dns.zone', groupby: { id: 'b' } }),
].map(point => ({ ...point, price: point.qty }))

type Table = {
  readonly total: number
  readonly columns: readonly string[]
  readonly results: readonly unknown[][]
}

const parsed = (pieces: Iterable<string>): Table => JSON.parse([...pieces].join(''))

const table = async (query: Partial<SummaryQuery>) => {
  const store = await storeOf(example)
  const result = parsed(tableJson(await summarize(store, queryOf(query)), 'float'))
  await store.close()
  return result
}

t.test('without groupby there is one row of the requested period', async t => {
  t.strictSame(await table({}), {
    total: 1,
    columns: ['begin', 'end', 'qty', 'rate'],
    results: [['2026-10-01T00:00:00+00:00', '2026-11-01T00:00:00+00:00', 8.5, 8.5]],
    format: 'table',
  })
})

t.test('an hour whose points were removed has no row, in memory as on disk', async t => {
  const store = await PointStore.open('s', { files: new SimulatedDisk() })
  const hours = ['00', '01', '02', '03']
  const points = hours.map(hour => usage(`2026-10-01T${hour}`, 'p1', '1'))
  await store.write({ origin: 'dns', points })
  for (const hour of ['00', '03']) {
    const period = { begin: at(`2026-10-01T${hour}`), end: at(`2026-10-01T${hour}`) + 3600 }
    await store.write({ origin: 'dns', removals: [{ period }], points: [] })
  }
  const begins = async () => {
    const { rows } = await summarize(store, queryOf({ grouping: parseGroupby(['time']) }))
    return rows.map(row => row.period.begin)
  }
  t.same(await begins(), [at('2026-10-01T01'), at('2026-10-01T02')])
  await store.flush()
  t.same(await begins(), [at('2026-10-01T01'), at('2026-10-01T02')])
  await store.close()
})

t.test('columns of attributes follow in the order asked for, rows are sorted by them', async t => {
  const { columns, results } = await table({ grouping: parseGroupby(['type,project_id']) })
  t.same(columns, ['begin', 'end', 'qty', 'rate', 'type', 'project_id'])
  t.same(
    results.map(row => row.slice(2)),
    [
      [3.5, 3.5, 'dns.queries', 'p1'],
      [4, 4, 'dns.queries', 'p2'],
      [1, 1, 'dns.zone', 'p2'],
    ],
  )
})

t.test('points without an attribute count under the empty text', async t => {
  const { results } = await table({ grouping: parseGroupby(['rcode']) })
  t.same(
    results.map(row => row.slice(3)),
    [
      [1, ''],
      [5.5, 'NOERROR'],
      [2, 'NXDOMAIN'],
    ],
  )
})

t.test('by time, each collect period that has points has rows, without a column', async t => {
  const { columns, results } = await table({ grouping: parseGroupby(['time']) })
  t.same(columns, ['begin', 'end', 'qty', 'rate'])
  t.same(
    results.map(row => row.slice(0, 3)),
    [
      ['2026-10-01T00:00:00+00:00', '2026-10-01T01:00:00+00:00', 1.5],
      ['2026-10-01T01:00:00+00:00', '2026-10-01T02:00:00+00:00', 2],
      ['2026-10-02T00:00:00+00:00', '2026-10-02T01:00:00+00:00', 5],
    ],
  )
})

t.test('by day of the year, the period stays the requested one', async t => {
  const { columns, results } = await table({ grouping: parseGroupby(['time-d']) })
  t.same(columns.at(-1), 'day_of_the_year')
  t.same(
    results.map(row => row.slice(1)),
    [
      ['2026-11-01T00:00:00+00:00', 3.5, 3.5, '274'],
      ['2026-11-01T00:00:00+00:00', 5, 5, '275'],
    ],
  )
})

t.test('filters: any value of a key, all keys', async t => {
  const filtered = async (text: string) => {
    const filters = parseFilters([text], { valuesPerKey: 'many' })
    return (await table({ filters })).results[0]?.[2] ?? 'none'
  }
  t.equal(await filtered('rcode:NXDOMAIN,rcode:NOERROR'), 7.5)
  t.equal(await filtered('rcode:NOERROR,project_id:p2'), 4)
  t.equal(await filtered('project_id:p3'), 'none')
})

t.test('a period takes points by their begin: its own begin, not its end', async t => {
  const period = { begin: at('2026-10-01T01'), end: at('2026-10-02T00') }
  t.equal((await table({ period })).results[0]?.[2], 2)
  t.equal((await table({ period: { begin: period.end, end: period.begin } })).total, 0)
})

t.test('nothing found has no columns, a page past the end has', async t => {
  t.strictSame(await table({ period: { begin: 0, end: 1 } }), {
    total: 0,
    columns: [],
    results: [],
    format: 'table',
  })
  const past = await table({ offset: 5 })
  t.equal(past.total, 1)
  t.same(past.results, [])
})

t.test('total counts rows before paging', async t => {
  const { total, results } = await table({ grouping: parseGroupby(['id']), offset: 1, limit: 1 })
  t.equal(total, 2)
  t.same(
    results.map(row => row.at(-1)),
    ['b'],
  )
})

t.test('as objects, rows have names instead of places', async t => {
  const store = await storeOf(example)
  const summary = await summarize(store, queryOf({ grouping: parseGroupby(['id']), limit: 1 }))
  t.strictSame(parsed(objectsJson(summary, 'float')), {
    total: 2,
    results: [
      {
        begin: '2026-10-01T00:00:00+00:00',
        end: '2026-11-01T00:00:00+00:00',
        qty: 3.5,
        rate: 3.5,
        id: 'a',
      },
    ],
    format: 'object',
  })
  await store.close()
})

t.test('custom fields are computed exactly', async t => {
  const fields = parseCustomFields(
    'count(qty), mean(qty), min(qty), max(qty), first(qty), last(qty) as latest',
  )
  const { columns, results } = await table({ fields })
  t.same(columns.slice(2), ['count', 'mean', 'min', 'max', 'first', 'latest'])
  t.same(results[0]?.slice(2), [4, 2.125, 1, 4, 1.5, 4])
})

/** A summary in the plainest way: all points, one after the other. */
function naiveRows(points: readonly DataPoint[], names: readonly string[], byPeriod: boolean) {
  const rows = new Map<string, { qty: Decimal; price: Decimal }>()
  for (const point of points.filter(({ begin }) => contains(october, begin))) {
    const values = names.map(name =>
      name === 'type'
        ? point.metric
        : isCalendarAttribute(name)
          ? calendarValue(name, point.begin)
          : (point.groupby[name] ?? ''),
    )
    const key = JSON.stringify([...values, byPeriod ? hourBegin(point.begin) : october.begin])
    const { qty, price } = rows.get(key) ?? { qty: zero, price: zero }
    rows.set(key, { qty: add(qty, point.qty), price: add(price, point.price) })
  }
  return [...rows]
    .map(([key, { qty, price }]) => `${key} ${formatDecimal(qty)} ${formatDecimal(price)}`)
    .sort()
}

t.test('any summary is the one of adding up all points one by one', async t => {
  const name = fc.constantFrom(
    'type',
    'project_id',
    'rcode',
    'time-d',
    'time-w',
    'time-m',
    'missing',
  )
  await heldAsync(
    t,
    fc.asyncProperty(
      fc.array(anyPoint, { maxLength: 40 }),
      fc.uniqueArray(name, { maxLength: 3 }),
      fc.boolean(),
      async (points, elements, byPeriod) => {
        const store = await storeOf(points)
        const grouping = parseGroupby(byPeriod ? [...elements, 'time'] : elements)
        const query = queryOf({ grouping, limit: 1e6 })
        const { rows } = await summarize(store, query)
        await store.close()
        const found = rows.map(({ values, period, amounts }) =>
          [JSON.stringify([...values, period.begin]), ...amounts.map(formatDecimal)].join(' '),
        )
        const expected = naiveRows(points, grouping.names, byPeriod)
        return found.sort().join('\n') === expected.join('\n')
      },
    ),
    { numRuns: 150 },
  )
})

t.test('sum, count and mean of chunks are those of their points', async t => {
  const fields = parseCustomFields('sum(qty) as s, count(qty) as c, mean(qty) as m, max(qty) as x')
  await heldAsync(
    t,
    fc.asyncProperty(fc.array(anyPoint, { minLength: 1, maxLength: 20 }), async points => {
      const store = await storeOf(points)
      const period = { begin: 0, end: at('2027-01-01') }
      const whole = await summarize(store, queryOf({ period, fields }))
      const hourly = await summarize(
        store,
        queryOf({ period, fields: defaultFields, grouping: parseGroupby(['time']), limit: 1e6 }),
      )
      await store.close()
      const sum = hourly.rows.reduce<Decimal>((total, row) => add(total, row.amounts[0]!), zero)
      const [s, c] = whole.rows[0]!.amounts.map(formatDecimal)
      return s === formatDecimal(sum) && c === String(points.length)
    }),
    { numRuns: 50 },
  )
})

async function shown(form: AmountForm) {
  const amount = getDecimal('0.3333333333333333333333333333')
  const groupby = { id: 'a "b"' }
  const point = { ...usage('2026-10-01T00', 'p1', '1', { groupby }), qty: amount, price: amount }
  const store = await storeOf([point])
  const fields = parseCustomFields(
    'SUM(qty) AS qty, SUM(price) AS rate, COUNT(price) AS points, FORECAST(price) AS forecast',
  )
  const summary = await summarize(store, queryOf({ fields, grouping: parseGroupby(['id']) }))
  await store.close()
  return {
    json: [...tableJson(summary, form)].join(''),
    csv: [...summaryCsv(summary, form)].join('').split('\r\n'),
  }
}

const period = '2026-10-01T00:00:00+00:00,2026-11-01T00:00:00+00:00'
const digits = '0.3333333333333333333333333333'

t.test('money is rounded to the digits of the currency, and nothing else is', async t => {
  const { json, csv } = await shown({ moneyPlaces: 2 })
  t.match(json, '0.3333333333333333,0.33,1,0.33,')
  t.same(csv, [
    'begin,end,qty,rate,points,forecast,id',
    `${period},${digits},0.33,1,0.33,"a ""b"""`,
    '',
  ])
  t.match((await shown({ moneyPlaces: 0 })).csv[1], `${period},${digits},0,1,0,`)
})

t.test('exact amounts have all their digits, in JSON too', async t => {
  const { json, csv } = await shown('exact')
  t.match(json, `${digits},${digits},1,${digits},`)
  t.match(csv[1], `${period},${digits},${digits},1,${digits},`)
})

t.test('a summary of nothing is an empty file', async t => {
  const store = await storeOf([])
  t.equal([...summaryCsv(await summarize(store, queryOf({})), 'exact')].join(''), '')
  await store.close()
})
