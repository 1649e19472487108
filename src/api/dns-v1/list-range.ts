import { parseLimit, parseMarker, requireKnownKeysOnce } from '../paging.ts'
import type { RequestContext } from '../route.ts'

// Lists of the older group are sent whole, however long: in pieces, so that none of them holds up other requests. A client
// that wants less sets `limit`, and continues after the last item with `marker`.

/** Reads the requested part of a list; without a limit it is infinite. Other keys select nothing and are ignored.
 *  @throws ApiError invalid_limit, invalid_marker */
export function parseRange({ query }: Pick<RequestContext, 'query'>) {
  const known = [...query].filter(([key]) => key === 'limit' || key === 'marker')
  requireKnownKeysOnce(new URLSearchParams(known), [])
  const limit = query.get('limit')
  return {
    limit: limit === null ? Number.POSITIVE_INFINITY : parseLimit(limit),
    marker: parseMarker(query.get('marker')),
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
