import t from 'tap'
import {
  type ListAttributes,
  parsePageRequest,
  parseScanRequest,
} from '../../../src/api/dns/page-request.ts'
import { refusal } from '../../helpers/refusal.ts'

type Thing = {
  readonly name: string
  readonly size: number | null
  readonly tags: readonly string[]
}

const attributes: ListAttributes<Thing> = {
  sortValues: { size: thing => thing.size },
  filterValues: {
    name: thing => [thing.name],
    size: thing => [thing.size],
    tag: thing => thing.tags,
  },
}

function request(query: string) {
  return parsePageRequest(new URLSearchParams(query), attributes)
}

const thing: Thing = { name: 'a.example.', size: 60, tags: ['red', 'green'] }

t.test('a list without filters asks no row', async t => {
  t.same(request('limit=5&sort_dir=desc'), {
    limit: 5,
    marker: undefined,
    isDescending: true,
    sortBy: undefined,
    isByName: false,
    matches: undefined,
    name: undefined,
  })
})

t.test('one name is a question to an index, a pattern to each row', async t => {
  t.match(request('name=a.example.'), { name: 'a.example.', matches: undefined })
  t.equal(request('name=*.example.').name, undefined)
  t.equal(request('name=*.example.').matches?.(thing), true)
  t.equal(request('name=b*').matches?.(thing), false)
})

t.test('where no index finds names, one name is a question to each row as well', async t => {
  const { matches } = parseScanRequest(new URLSearchParams('name=A.example.'), attributes)
  t.equal(matches?.(thing), true)
  t.equal(matches?.({ ...thing, name: 'b.example.' }), false)
})

t.test('all filters must fit, each by one of its values', async t => {
  t.equal(request('tag=green&size=60').matches?.(thing), true)
  t.equal(request('tag=blue&size=60').matches?.(thing), false)
  t.equal(request('tag=green&size=6').matches?.(thing), false)
  t.equal(request('size=*').matches?.({ ...thing, size: null }), false, 'null fits nothing')
  t.equal(request('name=b.example.&tag=red').matches?.(thing), true, 'an exact name is the index’s')
})

t.test('every list can be sorted by creation, and by its own attributes', async t => {
  t.equal(request('sort_key=created_at').sortBy, undefined)
  t.equal(request('sort_key=size').sortBy?.(thing), 60)
  t.throws(() => request('sort_key=name'), refusal('invalid_sort_key'))
  t.throws(() => request('colour=red'), refusal('bad_request'))
})
