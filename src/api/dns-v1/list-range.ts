import { type ListQuery, parseListQuery } from '../paging.ts'
import type { RequestContext } from '../route.ts'

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
