import { type ListQuery, parseListQuery } from '../paging.ts'
import type { Reply, RequestContext } from '../route.ts'

// Lists of the older group are sent whole, however long: in pieces, so that none of them holds up other requests. A client
// that wants less sets `limit`, and continues after the last item with `marker`.

/** The requested part of a list. */
export type Range = Pick<ListQuery, 'marker'> & {
  /** Infinite if not given. */
  readonly limit: number
}

/** Reads the requested part. Other keys select nothing and are ignored.
 *  @throws ApiError invalid_limit, invalid_marker */
export function parseRange({ query }: Pick<RequestContext, 'query'>): Range {
  const known = [...query].filter(([key]) => key === 'limit' || key === 'marker')
  const rules = { sortKeys: [], filters: [] }
  const { limit, marker } = parseListQuery(new URLSearchParams(known), rules)
  return { limit: query.has('limit') ? limit : Number.POSITIVE_INFINITY, marker }
}

/** A list under its key, or bare without one, sent a page at a time.
 *  @param pages read as fast as the client reads; the first one at once, so that it can still be refused */
export function listReply<T>(
  key: string | undefined,
  pages: Iterable<readonly T[]>,
  viewOf: (item: T) => object,
): Reply {
  const walk = pages[Symbol.iterator]()
  const first = walk.next()
  const [head, end] = key === undefined ? ['[', ']'] : [`{${JSON.stringify(key)}: [`, ']}']
  return {
    status: 200,
    headers: { 'content-type': 'application/json' },
    async *stream() {
      yield head
      let separator = ''
      for (let page = first; page.done !== true; page = walk.next()) {
        if (page.value.length === 0) continue
        yield separator + page.value.map(item => JSON.stringify(viewOf(item))).join(', ')
        separator = ', '
      }
      yield end
    },
  }
}

/** Of pages, the first so many items. */
export function* limited<T>(
  pages: Iterable<readonly T[]>,
  limit: number,
): Generator<readonly T[], undefined> {
  let left = limit
  for (const page of pages) {
    yield page.slice(0, left)
    left -= page.length
    if (left <= 0) return
  }
}
