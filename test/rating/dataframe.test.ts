import t from 'tap'
import { ApiError } from '../../src/errors.ts'
import type { DataPoint } from '../../src/rating/data-point.ts'
import { framesJson, pointsFromBody } from '../../src/rating/dataframe.ts'
import { formatDecimal, getDecimal } from '../../src/rating/decimal.ts'
import { exactJson } from '../../src/rating/exact-json.ts'
import { atOnce } from '../../src/time-slice.ts'

const period = { begin: '20190723T122810Z', end: '20190723T132810Z' }
const point = {
  vol: { unit: 'GiB', qty: 1.2 },
  rating: { price: 0.04 },
  groupby: { project_id: 'p1', id: 'z' },
  metadata: { flavor: 'small' },
}

const bodyOf = (...points: readonly unknown[]) => ({
  dataframes: [{ period, usage: { volume: points } }],
})

type Frame = {
  readonly usage: Readonly<Record<string, readonly object[]>>
  readonly period: object
}

const framesOf = (points: readonly DataPoint[]): readonly Frame[] =>
  JSON.parse(`[${[...framesJson(points)].join('')}]`)

const parsed = (text: string) => atOnce(exactJson(text))

const pointsOf = (body: unknown) => atOnce(pointsFromBody(body))

const pathOf = (body: unknown): string => {
  try {
    pointsOf(body)
  } catch (error) {
    if (error instanceof ApiError) return error.fieldErrors[0]?.path.join('.') ?? 'no path'
    throw error
  }
  return 'accepted'
}

t.test('a frame becomes its points, exactly', async t => {
  const [read] = pointsOf(bodyOf(point))
  t.strictSame(read, {
    metric: 'volume',
    begin: 1_563_884_890,
    end: 1_563_888_490,
    unit: 'GiB',
    qty: getDecimal('1.2'),
    price: getDecimal('0.04'),
    groupby: { id: 'z', project_id: 'p1' },
    metadata: { flavor: 'small' },
  })
})

t.test('what may be left out has a default', async t => {
  const { rating: _, ...unrated } = point
  t.equal(formatDecimal(pointsOf(bodyOf(unrated))[0]!.price), '0')
  t.equal(formatDecimal(pointsOf(bodyOf({ ...point, rating: {} }))[0]!.price), '0')
  const unitless = { ...point, vol: { unit: '', qty: 1 } }
  t.equal(pointsOf(bodyOf(unitless))[0]!.unit, 'undefined')
  t.same(pointsOf(bodyOf()), [], 'a metric without points')
})

t.test('quantities and prices may be text, and keep every digit', async t => {
  const digits = '1234567890123456789012345678901234567.891'
  const text = JSON.stringify(bodyOf({ ...point, vol: { unit: 'B', qty: digits } }))
  t.equal(formatDecimal(pointsOf(parsed(text))[0]!.qty), digits)
  const bare = text.replace(`"${digits}"`, digits)
  t.equal(formatDecimal(pointsOf(parsed(bare))[0]!.qty), digits)
  const credit = { ...point, rating: { price: -5 } }
  t.equal(formatDecimal(pointsOf(bodyOf(credit))[0]!.price), '-5', 'a credit is negative')
})

t.test('scalar attributes are taken as text', async t => {
  const body = bodyOf({ ...point, groupby: { a: 1, b: true, c: null, d: 'x' } })
  t.strictSame(pointsOf(body)[0]!.groupby, { a: '1', b: 'true', c: '', d: 'x' })
})

t.test('attributes with names of built-in properties are ordinary attributes', async t => {
  const text = '{"__proto__":"x","constructor":"y"}'
  const body = parsed(JSON.stringify(bodyOf(point)).replace('{"flavor":"small"}', text))
  t.equal(JSON.stringify(pointsOf(body)[0]!.metadata), text)
})

t.test('the first offending path is named', async t => {
  const withVol = (vol: unknown) => bodyOf(point, { ...point, vol })
  const withPeriod = (broken: unknown) => ({ dataframes: [{ period: broken, usage: {} }] })
  const rows: readonly (readonly [unknown, string])[] = [
    [[], ''],
    [{}, 'dataframes'],
    [{ dataframes: [], extra: 1 }, 'extra'],
    [{ dataframes: [] }, 'dataframes'],
    [{ dataframes: {} }, 'dataframes'],
    [{ dataframes: [{ period, usage: {} }, 7] }, 'dataframes.1'],
    [{ dataframes: [{ usage: {} }] }, 'dataframes.0.period'],
    [withPeriod({ begin: period.begin }), 'dataframes.0.period.end'],
    [withPeriod({ ...period, begin: '20190723TZ' }), 'dataframes.0.period.begin'],
    [withPeriod({ begin: period.end, end: period.begin }), 'dataframes.0.period.end'],
    [{ dataframes: [{ period, usage: { volume: {} } }] }, 'dataframes.0.usage.volume'],
    [{ dataframes: [{ period, usage: { '': [] } }] }, 'dataframes.0.usage.'],
    [withVol({ unit: 'GiB' }), 'dataframes.0.usage.volume.1.vol.qty'],
    [withVol({ unit: 1, qty: 1 }), 'dataframes.0.usage.volume.1.vol.unit'],
    [withVol({ unit: 'GiB', qty: 'NaN' }), 'dataframes.0.usage.volume.1.vol.qty'],
    [withVol({ unit: 'GiB', qty: null }), 'dataframes.0.usage.volume.1.vol.qty'],
    [withVol({ unit: 'GiB', qty: true }), 'dataframes.0.usage.volume.1.vol.qty'],
    [withVol({ unit: 'GiB', qty: 'Infinity' }), 'dataframes.0.usage.volume.1.vol.qty'],
    [withVol({ unit: 'GiB', qty: Number.NaN }), 'dataframes.0.usage.volume.1.vol.qty'],
    [withVol({ unit: 'GiB', qty: '1'.repeat(41) }), 'dataframes.0.usage.volume.1.vol.qty'],
    [withVol({ unit: 'GiB', qty: 1, no: 1 }), 'dataframes.0.usage.volume.1.vol.no'],
    [bodyOf({ ...point, groupby: undefined }), 'dataframes.0.usage.volume.0.groupby'],
    [bodyOf({ ...point, metadata: { a: {} } }), 'dataframes.0.usage.volume.0.metadata.a'],
    [bodyOf({ ...point, metadata: { a: '\ud800' } }), 'dataframes.0.usage.volume.0.metadata.a'],
    [
      bodyOf({ ...point, groupby: { a: 'x'.repeat(4097) } }),
      'dataframes.0.usage.volume.0.groupby.a',
    ],
    [bodyOf({ ...point, rating: { price: 'x' } }), 'dataframes.0.usage.volume.0.rating.price'],
    [bodyOf({ ...point, rating: 3 }), 'dataframes.0.usage.volume.0.rating'],
  ]
  for (const [body, path] of rows) t.equal(pathOf(body), path, path)
})

t.test('a number too large for a float is refused as a number, not taken as infinity', async t => {
  const text = JSON.stringify(bodyOf(point)).replace('1.2', '1e400')
  t.equal(pathOf(parsed(text)), 'dataframes.0.usage.volume.0.vol.qty')
})

t.test('ten thousand frames are one request, one more is refused', async t => {
  const frame = { period, usage: { volume: [point] } }
  t.equal(pointsOf({ dataframes: Array(10_000).fill(frame) }).length, 10_000)
  t.equal(pathOf({ dataframes: Array(10_001).fill(frame) }), 'dataframes')
  t.equal(pathOf(bodyOf(...Array(100_001).fill(point))), 'dataframes')
})

t.test('points of one period share a frame, metrics in order of arrival', async t => {
  const points = pointsOf({
    dataframes: [
      { period, usage: { b: [point], a: [point, point] } },
      { period: { ...period, end: '20190723T142810Z' }, usage: { b: [point] } },
    ],
  })
  const frames = framesOf(points)
  t.same(
    frames.map(({ usage }) => Object.keys(usage)),
    [['b', 'a'], ['b']],
  )
  t.strictSame(frames[0]!.period, {
    begin: '2019-07-23T12:28:10+00:00',
    end: '2019-07-23T13:28:10+00:00',
  })
  t.strictSame(frames[0]!.usage.a?.[1], {
    vol: { unit: 'GiB', qty: 1.2 },
    rating: { price: 0.04 },
    groupby: { id: 'z', project_id: 'p1' },
    metadata: { flavor: 'small' },
  })
  t.same(framesOf([]), [])
})

t.test('a frame of many points is written in many pieces', async t => {
  const points = pointsOf(bodyOf(...Array(1234).fill(point)))
  t.equal(framesOf(points)[0]!.usage.volume?.length, 1234)
  t.ok([...framesJson(points)].length > 12)
})
