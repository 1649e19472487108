import t from 'tap'
import { ApiError } from '../../src/errors.ts'
import { chunkMatcher, parseFilters, rangeOf, withinProject } from '../../src/rating/filters.ts'
import { chunkOf } from '../../src/rating/segments/chunk.ts'
import { packColumns } from '../../src/rating/segments/columns.ts'
import { seriesOf } from '../../src/rating/segments/series.ts'
import { at, usage } from '../helpers/usage.ts'

const many = { valuesPerKey: 'many' } as const

t.test('filters are pairs, repeated or with commas between them', async t => {
  t.same(
    [...parseFilters(['project_id:p1,type:cpu', 'type:ram'], many)],
    [
      ['project_id', ['p1']],
      ['type', ['cpu', 'ram']],
    ],
  )
  t.same([...parseFilters([], many)], [])
})

t.test('what is no pair is refused, and a second value where there may be one', async t => {
  for (const token of ['x', '', 'a:b:c', 'a:b,']) {
    t.throws(() => parseFilters([token], many), ApiError, token)
  }
  const one = { valuesPerKey: 'one' } as const
  t.throws(() => parseFilters(['a:1', 'a:2'], one), { message: 'key a already provided' })
  t.throws(() => parseFilters(['x'], one), { message: 'invalid key:value association x' })
  t.equal(parseFilters(['a:1,b:2'], one).size, 2)
})

t.test('a caller without all projects gets its own, whatever it asked for', async t => {
  const filters = withinProject(parseFilters(['project_id:other,type:cpu'], many), 'mine')
  t.same([...(rangeOf({ period: { begin: 0, end: 1 }, filters }).projectIds ?? [])], ['mine'])
  t.same(filters.get('type'), ['cpu'])
})

const day = (text: string) => usage(text, 'p1', '1', { metadata: { zone_name: 'a.example.' } })
const points = ['2026-10-30', '2026-10-31'].map(day)
const chunk = chunkOf(seriesOf(points[0]!, 'dns'), packColumns(points))
const matching = (text: string): number =>
  chunkMatcher(parseFilters([text], many))(chunk)?.count ?? 0

t.test('a chunk matches by metric, groupby, metadata and calendar', async t => {
  const rows = new Map([
    ['type:dns.queries', 2],
    ['type:dns.zone', 0],
    ['type:dns.zone,type:dns.queries', 2],
    ['project_id:p1', 2],
    ['project_id:p2', 0],
    ['zone_name:a.example.', 2],
    ['type:dns.queries,zone_name:b.example.', 0],
    ['missing:', 2],
    ['missing:x', 0],
    ['month:10', 2],
    ['day_of_the_year:304', 1],
    ['day_of_the_year:304,day_of_the_year:303', 2],
    ['year:2025', 0],
    ['toString:x', 0],
  ])
  for (const [text, count] of rows) t.equal(matching(text), count, text)
  const kept = chunkMatcher(parseFilters(['day_of_the_year:304'], many))(chunk)
  t.same(Array.from(kept?.begins() ?? []), [at('2026-10-31')])
})
