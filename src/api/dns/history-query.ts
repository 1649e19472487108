import type { Actor } from '../../actor.ts'
import { ApiError } from '../../errors.ts'
import { parseTimestamp } from '../../rating/timestamp.ts'
import type { HistoryRequest } from '../../service/history/history.ts'
import type { Moment } from '../../service/history/past-zones.ts'
import { linksOf, type PageLinks, parseLimit, requireKnownKeysOnce } from '../paging.ts'
import { patternMatcher } from '../pattern.ts'
import type { RequestContext } from '../route.ts'

const filters = ['actor', 'name', 'begin', 'end', 'format']

/** Reads the query of a history: `limit`, `marker` (the id of an entry), `actor`, `name`, `begin`, `end`.
 *  @throws ApiError invalid_limit, invalid_marker; bad_request */
export function parseHistoryRequest(query: URLSearchParams): HistoryRequest {
  requireKnownKeysOnce(query, filters)
  const [actor, name] = [query.get('actor'), query.get('name')]
  return {
    limit: parseLimit(query.get('limit')),
    beforeLsn: parseEntryMarker(query.get('marker')),
    beginMicros: microsOf(query, 'begin') ?? 0,
    endMicros: microsOf(query, 'end') ?? Number.POSITIVE_INFINITY,
    matchesActor: actor === null ? undefined : actorMatcher(actor),
    matchesName: name === null ? undefined : patternMatcher(name),
  }
}

/** Tests whether any identifier of an actor matches a pattern. */
function actorMatcher(pattern: string): (actor: Actor) => boolean {
  const fits = patternMatcher(pattern)
  return ({ road, user, projectId, credential, key, job, requestId }) => {
    const words = [user?.name, user?.id, projectId, credential?.name, credential?.id, key, job]
    return [road, requestId, ...words].some(word => word !== undefined && fits(word))
  }
}

/** @throws ApiError invalid_marker */
export function parseEntryMarker(text: string | null): number | undefined {
  if (text === null) return undefined
  const marker = /^\d{1,15}$/.test(text) ? Number(text) : 0
  if (marker > 0) return marker
  throw new ApiError('invalid_marker', `marker is not the id of an entry: ${text}`)
}

function microsOf(query: URLSearchParams, name: string): number | undefined {
  const text = query.get(name)
  if (text === null) return undefined
  const seconds = parseTimestamp(text)
  if (seconds !== undefined) return seconds * 1_000_000
  throw new ApiError('bad_request', `${name} is not a time: ${text}`)
}

/** Reads a parameter that names a moment: the serial that the zone had, or a time.
 *  @throws ApiError bad_request */
export function parseMoment(query: URLSearchParams, name: string): Moment | undefined {
  const text = query.get(name)
  if (text === null) return undefined
  if (/^\d{1,10}$/.test(text)) return { serial: Number(text) }
  const atMicros = microsOf(query, name)
  if (atMicros === undefined) return undefined
  const [, fraction = ''] = /[.,](\d{1,6})/.exec(text) ?? []
  return { atMicros: atMicros + Number(fraction.padEnd(6, '0')) }
}

/** The links of a page of entries. It may have few or none and still be followed by another: each one reads only a bounded part of
 *  the log. */
export function historyLinksOf(context: RequestContext, nextLsn: number | undefined): PageLinks {
  return linksOf(context, nextLsn === undefined ? undefined : String(nextLsn))
}
