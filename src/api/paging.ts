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

/** The sort keys and filters of a collection. `created_at` must be among the sort keys. */
type ListRules<K extends string, F extends string> = {
  readonly sortKeys: readonly K[]
  readonly filters: readonly F[]
}

/** A list request, checked. */
export type ListQuery<K extends string = string, F extends string = string> = {
  readonly limit: number
  /** Id of the last item of the previous page. The service checks whether it exists. */
  readonly marker: string | undefined
  readonly sortKey: K | 'created_at'
  readonly isDescending: boolean
  /** Patterns by attribute. */
  readonly filters: Readonly<Partial<Record<F, string>>>
}

/** Keys that every list accepts and that select nothing. */
const pagingKeys = ['limit', 'marker', 'sort_key', 'sort_dir']
const callerKeys = ['all_projects', 'all_tenants', 'edit_managed_records']

/** Reads a list request.
 *  @throws ApiError invalid_limit, invalid_marker, invalid_sort_key, invalid_sort_dir; bad_request for an unknown filter or a
 *  repeated key */
export function parseListQuery<K extends string, F extends string>(
  query: URLSearchParams,
  rules: ListRules<K, F>,
): ListQuery<K, F> {
  requireKnownKeysOnce(query, rules.filters)
  return {
    limit: parseLimit(query.get('limit')),
    marker: parseMarker(query.get('marker')),
    sortKey: parseSortKey(query.get('sort_key'), rules.sortKeys),
    isDescending: parseIsDescending(query.get('sort_dir')),
    filters: filtersOf(query, rules.filters),
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

function parseMarker(text: string | null): string | undefined {
  if (text === null) return undefined
  const marker = parseUuid(text)
  if (marker === undefined) throw new ApiError('invalid_marker', `marker is not a UUID: ${text}`)
  return marker
}

function parseSortKey<K extends string>(
  text: string | null,
  sortKeys: readonly K[],
): K | 'created_at' {
  if (text === null) return 'created_at'
  const sortKey = sortKeys.find(key => key === text)
  if (sortKey !== undefined) return sortKey
  throw new ApiError('invalid_sort_key', `sort_key must be one of ${sortKeys.join(', ')}`)
}

function parseIsDescending(text: string | null): boolean {
  if (text === null || text === 'asc') return false
  if (text === 'desc') return true
  throw new ApiError('invalid_sort_dir', `sort_dir must be asc or desc, not ${text}`)
}

function filtersOf<F extends string>(
  query: URLSearchParams,
  names: readonly F[],
): Readonly<Partial<Record<F, string>>> {
  const filters: Partial<Record<F, string>> = {}
  for (const name of names) {
    const pattern = query.get(name)
    if (pattern !== null) filters[name] = pattern
  }
  return filters
}

function withQuery(url: string, query: URLSearchParams): string {
  return query.size === 0 ? url : `${url}?${query}`
}
