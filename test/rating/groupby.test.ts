import t from 'tap'
import { ApiError } from '../../src/errors.ts'
import { fixedValue, groupValue, parseGroupby } from '../../src/rating/groupby.ts'
import { seriesOf } from '../../src/rating/segments/series.ts'
import { at, usage } from '../helpers/usage.ts'

t.test('elements come repeated or with commas, keep their order and count once', async t => {
  t.same(parseGroupby(['project_id,type', 'id,type']), {
    names: ['project_id', 'type', 'id'],
    byPeriod: false,
  })
  t.same(parseGroupby(['time,type']), { names: ['type'], byPeriod: true })
  t.same(parseGroupby(['']), { names: [], byPeriod: false })
})

t.test('time with a letter stands for a calendar attribute', async t => {
  t.same(parseGroupby(['time-d,time-w,time-m,time-y']).names, [
    'day_of_the_year',
    'week_of_the_year',
    'month',
    'year',
  ])
  t.throws(() => parseGroupby(['time-u']), {
    name: ApiError.name,
    message: 'Invalid groupby time option. There is no groupby processing for [time-u].',
  })
  t.same(parseGroupby(['time-a-b', 'x-d']).names, ['time-a-b', 'x-d'], 'attributes of that name')
})

t.test('a value is the attribute of groupby, the calendar, or empty', async t => {
  const series = seriesOf(
    usage('2026-10-31', 'p1', '1', { groupby: { year: '1999' }, metadata: { id: 'x' } }),
    'dns',
  )
  const value = (name: string) => groupValue(name, series, at('2026-10-31'))
  t.equal(value('type'), 'dns.queries')
  t.equal(value('project_id'), 'p1')
  t.equal(value('id'), '', 'metadata is not grouped by')
  t.equal(value('month'), '10')
  t.equal(value('year'), '1999', 'what a point says itself goes before the calendar')
  t.equal(fixedValue('month', series), undefined, 'it depends on the point')
  t.equal(fixedValue('year', series), '1999')
})
