import t from 'tap'
import { pageLinksOf, parseListQuery } from '../../src/api/paging.ts'

const rules = { sortKeys: ['created_at', 'id', 'name'], filters: ['name', 'email'] } as const
const marker = '5b1c7f40-7d4e-4a53-9f0c-0a3c5b0f1d11'

function parse(query: string) {
  return parseListQuery(new URLSearchParams(query), rules)
}

t.test('without parameters a list is the first 20 by creation, oldest first', async t => {
  const expected = {
    limit: 20,
    marker: undefined,
    sortKey: 'created_at',
    isDescending: false,
    filters: {},
  }
  t.strictSame(parse(''), expected)
})

t.test('every parameter is read', async t => {
  const query = `limit=5&marker=${marker}&sort_key=name&sort_dir=desc&name=a*&email=x%40y.example`
  t.strictSame(parse(query), {
    limit: 5,
    marker,
    sortKey: 'name',
    isDescending: true,
    filters: { name: 'a*', email: 'x@y.example' },
  })
})

const limits: readonly [text: string, limit: number][] = [
  ['1', 1],
  ['1000', 1000],
  ['1001', 1000],
  ['99999999999999999999', 1000],
  ['max', 1000],
  ['MAX', 1000],
]

t.test('limit is a positive number or max, and never more than 1000', async t => {
  for (const [text, limit] of limits) t.equal(parse(`limit=${text}`).limit, limit, text)
})

const refused: readonly [query: string, type: string][] = [
  ['limit=0', 'invalid_limit'],
  ['limit=-1', 'invalid_limit'],
  ['limit=1.5', 'invalid_limit'],
  ['limit=', 'invalid_limit'],
  ['limit=all', 'invalid_limit'],
  ['marker=', 'invalid_marker'],
  ['marker=not-a-uuid', 'invalid_marker'],
  ['sort_dir=up', 'invalid_sort_dir'],
  ['sort_key=email', 'invalid_sort_key'],
  ['sort_key=constructor', 'invalid_sort_key'],
  ['color=red', 'bad_request'],
  ['__proto__=x', 'bad_request'],
  ['name=a&name=b', 'bad_request'],
  ['limit=1&limit=2', 'bad_request'],
]

t.test('what is not understood is refused by its own type', async t => {
  for (const [query, type] of refused)
    t.throws(() => parse(query), { name: 'ApiError', type }, query)
})

t.test('a marker may come without dashes and in upper case', async t => {
  const plain = marker.replaceAll('-', '').toUpperCase()
  t.equal(parse(`marker=${plain}`).marker, marker)
})

t.test('parameters that widen the caller are no filters', async t => {
  t.strictSame(parse('all_projects=true&all_tenants=1&edit_managed_records=yes').filters, {})
})

const linksOf = (query: string, isFull: boolean, ...ids: readonly string[]) => {
  const context = { baseUrl: 'http://dns.example/v2', path: '/zones' }
  const rows = ids.map(id => ({ id }))
  return pageLinksOf({ ...context, query: new URLSearchParams(query) }, { rows, isFull })
}

t.test('next is there exactly when the page is full', async t => {
  const self = 'http://dns.example/v2/zones?limit=2&name=*.example.'
  const query = 'limit=2&name=*.example.'
  t.strictSame(linksOf(query, false), { self })
  t.strictSame(linksOf(query, false, 'a'), { self })
  t.strictSame(linksOf(query, true, 'a', 'b'), { self, next: `${self}&marker=b` })
})

t.test('next replaces the marker it came by, and no query makes links without one', async t => {
  const url = 'http://dns.example/v2/zones'
  t.equal(linksOf('marker=a&limit=1', true, 'b').next, `${url}?marker=b&limit=1`)
  t.equal(linksOf('', false).self, url)
})
