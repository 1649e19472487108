import { type TSchema, Type } from 'typebox'
import type { PageRequest } from '../../service/listing/listing.ts'
import { flag, uuid } from '../openapi/fields.ts'
import { type ListQuery, parseListQuery } from '../paging.ts'
import { patternMatcher } from '../pattern.ts'

/** The query of such a list. */
export function listQuery({
  sortValues,
  filterValues,
}: ListAttributes<never>): Readonly<Record<string, TSchema>> {
  const patterns = Object.keys(filterValues).map(name => [name, pattern])
  return {
    limit: Type.String({ description: 'items of a page, or `max`', examples: ['20'] }),
    marker: uuid,
    sort_key: Type.Enum(['created_at', ...Object.keys(sortValues)]),
    sort_dir: Type.Enum(['asc', 'desc']),
    all_projects: flag,
    ...Object.fromEntries(patterns),
  }
}

const pattern = Type.String({ description: '`*` stands for anything', examples: ['*example*'] })

type Value = string | number | null

/** The sort keys and filters of a list, and how they are read from a row. */
export type ListAttributes<R> = {
  /** Sort keys besides `created_at`, which every list has. */
  readonly sortValues: Readonly<Record<string, (row: R) => Value>>
  /** A row matches a pattern when one of its values does. */
  readonly filterValues: Readonly<Record<string, (row: R) => readonly Value[]>>
}

/** A page of a list whose rows have names. */
type NamedPageRequest<R> = PageRequest<R> & {
  /** The requested name, where it is not a pattern: an index finds it. */
  readonly name: string | undefined
}

/** Reads a list request for a service.
 *  @throws ApiError see `parseListQuery` */
export function parsePageRequest<R>(
  parameters: URLSearchParams,
  attributes: ListAttributes<R>,
): NamedPageRequest<R> {
  const query = parseQuery(parameters, attributes)
  const { name, ...others } = query.filters
  const hasExactName = name !== undefined && !name.includes('*')
  const filters = hasExactName ? others : query.filters
  return {
    ...pageRequest({ ...query, filters }, attributes),
    name: hasExactName ? name : undefined,
  }
}

/** The same for a list without an index of names: all filters are applied to each row.
 *  @throws ApiError see `parseListQuery` */
export function parseScanRequest<R>(
  parameters: URLSearchParams,
  attributes: ListAttributes<R>,
): PageRequest<R> {
  return pageRequest(parseQuery(parameters, attributes), attributes)
}

function parseQuery<R>(
  parameters: URLSearchParams,
  { sortValues, filterValues }: ListAttributes<R>,
): ListQuery {
  return parseListQuery(parameters, {
    sortKeys: ['created_at', ...Object.keys(sortValues)],
    filters: Object.keys(filterValues),
  })
}

function pageRequest<R>(
  query: ListQuery,
  { sortValues, filterValues }: ListAttributes<R>,
): PageRequest<R> {
  const filters = Object.entries(query.filters).map(([filter, pattern]) => {
    const fits = patternMatcher(pattern)
    return (row: R) =>
      filterValues[filter]?.(row).some(value => value !== null && fits(String(value)))
  })
  return {
    limit: query.limit,
    marker: query.marker,
    isDescending: query.isDescending,
    sortBy: sortValues[query.sortKey],
    isByName: query.sortKey === 'name',
    matches: filters.length === 0 ? undefined : row => filters.every(fits => fits(row)),
  }
}
