import { ApiError } from '../errors.ts'
import type { Page } from '../service/listing/listing.ts'
import { ProjectSemaphore } from '../service/rules/project-semaphore.ts'
import { parseUuid } from './parameters.ts'
import type { PublicContext } from './route.ts'

// The collection conventions: limit, marker, sort and filters in the query; `self` and `next` in the answer.

/** Items of a page by default. */
const defaultLimit = 20
/** The most items of a page, and the meaning of `limit=max`. A larger number is reduced to it. */
export const maxLimit = 1000

/** A list request, checked. */
export type ListQuery = ReturnType<typeof parseListQuery>

/** Keys that every list accepts and that select nothing. */
const pagingKeys = ['limit', 'marker', 'sort_key', 'sort_dir']
const callerKeys = ['all_projects', 'all_tenants', 'edit_managed_records']

/** Reads a list request.
 *  @throws ApiError invalid_limit, invalid_marker, invalid_sort_key, invalid_sort_dir; bad_request for an unknown filter or a
 *  repeated key */
export function parseListQuery(
  query: URLSearchParams,
  {
    sortKeys,
    filters,
  }: { readonly sortKeys: readonly string[]; readonly filters: readonly string[] },
) {
  requireKnownKeysOnce(query, filters)
  return {
    limit: parseLimit(query.get('limit')),
    // The service checks whether it exists.
    marker: parseMarker(query.get('marker')),
    sortKey: parseSortKey(query.get('sort_key'), sortKeys),
    isDescending: parseIsDescending(query.get('sort_dir')),
    /** Patterns by attribute. */
    filters: Object.fromEntries([...query].filter(([key]) => filters.includes(key))),
  }
}

/** Bounds the pages of one kind of list that are read and written at once for a project: each may take some megabytes. */
export function newPageTurns(): ProjectSemaphore {
  const maxRunning = Number.POSITIVE_INFINITY
  return new ProjectSemaphore(
    { maxRunning, maxRunningPerKey: 2, maxWaitingPerKey: 1000 },
    'Other pages are being read',
  )
}

export type PageLinks = { readonly self: string; readonly next?: string }

type ListContext = Pick<PublicContext, 'baseUrl' | 'path' | 'query'>

/** The links of a page of the collection that a request asks for. There is a `next` exactly when the page is full: clients
 *  continue until it is missing. */
export function pageLinksOf(
  context: ListContext,
  { rows, isFull }: Pick<Page<{ readonly id: string }>, 'rows' | 'isFull'>,
): PageLinks {
  return linksOf(context, isFull ? rows.at(-1)?.id : undefined)
}

/** The links of a part of a list, where the next part begins behind a marker; undefined where there is none. */
export function linksOf(
  { baseUrl, path, query }: ListContext,
  nextMarker: string | undefined,
): PageLinks {
  const url = baseUrl + path
  const self = withQuery(url, query)
  if (nextMarker === undefined) return { self }
  const next = new URLSearchParams(query)
  next.set('marker', nextMarker)
  return { self, next: withQuery(url, next) }
}

export function requireKnownKeysOnce(query: URLSearchParams, filters: readonly string[]): void {
  const seen = new Set<string>()
  const unknown = new Set<string>()
  for (const key of query.keys()) {
    if (seen.has(key)) throw new ApiError('bad_request', `Query parameter ${key} is given twice`)
    seen.add(key)
    const isKnown = [pagingKeys, callerKeys, filters].some(keys => keys.includes(key))
    if (!isKnown) unknown.add(key)
  }
  if (unknown.size > 0)
    throw new ApiError('bad_request', `Invalid filters ${[...unknown].join(', ')}`)
}

export function parseLimit(text: string | null): number {
  if (text === null) return defaultLimit
  if (text.toLowerCase() === 'max') return maxLimit
  const limit = /^\d+$/.test(text) ? Number(text) : 0
  if (limit > 0) return Math.min(limit, maxLimit)
  throw new ApiError('invalid_limit', `limit must be a positive integer or "max", not ${text}`)
}

/** @throws ApiError invalid_marker */
export function parseMarker(text: string | null): string | undefined {
  if (text === null) return undefined
  const marker = parseUuid(text)
  if (marker === undefined) throw new ApiError('invalid_marker', `marker is not a UUID: ${text}`)
  return marker
}

function parseSortKey(text: string | null, sortKeys: readonly string[]): string {
  if (text === null) return 'created_at'
  if (sortKeys.includes(text)) return text
  throw new ApiError('invalid_sort_key', `sort_key must be one of ${sortKeys.join(', ')}`)
}

function parseIsDescending(text: string | null): boolean {
  if (text === null || text === 'asc') return false
  if (text === 'desc') return true
  throw new ApiError('invalid_sort_dir', `sort_dir must be asc or desc, not ${text}`)
}

function withQuery(url: string, query: URLSearchParams): string {
  return query.size === 0 ? url : `${url}?${query}`
}
