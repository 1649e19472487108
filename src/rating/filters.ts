import { ApiError } from '../errors.ts'
import { calendarValue, isCalendarAttribute } from './calendar.ts'
import { describedBy, scopeKey } from './data-point.ts'
import type { Period } from './period.ts'
import { type Chunk, chunkOf } from './segments/chunk.ts'
import { filterColumns } from './segments/columns.ts'
import type { Range } from './segments/segment.ts'

/** The accepted values of each attribute: a point must have one of them for every attribute. */
export type Filters = ReadonlyMap<string, readonly string[]>

/** Which points are asked for. */
export type Selection = Pick<Range, 'requireWanted'> & {
  readonly period: Period
  readonly filters: Filters
}

/** The filter that looks at the metric. */
export const metricFilter = 'type'

/** Reads `key:value` tokens, of which a parameter may hold several, separated by commas. With `one`, a key may
 *  occur once; otherwise each occurrence adds an accepted value. @throws ApiError bad_request */
export function parseFilters(
  parameters: readonly string[],
  { valuesPerKey }: { readonly valuesPerKey: 'one' | 'many' },
): Filters {
  const filters = new Map<string, readonly string[]>()
  for (const token of parameters.flatMap(parameter => parameter.split(','))) {
    const [key, value, ...rest] = token.split(':')
    if (key === undefined || value === undefined || rest.length > 0) {
      throw new ApiError('bad_request', `invalid key:value association ${token}`)
    }
    const values = filters.get(key) ?? []
    if (valuesPerKey === 'one' && values.length > 0) {
      throw new ApiError('bad_request', `key ${key} already provided`)
    }
    filters.set(key, [...values, value])
  }
  return filters
}

/** Restricts filters to a project's own points, whatever project they ask for. */
export function withinProject(filters: Filters, projectId: string): Filters {
  return new Map([...filters, [scopeKey, [projectId]]])
}

/** The part of the store where matching points can be. */
export function rangeOf({ period, filters, requireWanted }: Selection): Range {
  const projectIds = filters.get(scopeKey)
  return { ...period, projectIds: projectIds && new Set(projectIds), requireWanted }
}

/** Returns a function that returns the matching part of a chunk. A calendar attribute that a series lacks is derived
 *  from the begins of its points; any other attribute that it lacks is the empty text. */
export function chunkMatcher(filters: Filters): (chunk: Chunk) => Chunk | undefined {
  const entries = [...filters]
  return chunk => {
    let matching: Chunk | undefined = chunk
    for (const [name, values] of entries) {
      if (matching === undefined) return undefined
      matching = matchOne(matching, name, values)
    }
    return matching
  }
}

function matchOne(chunk: Chunk, name: string, values: readonly string[]): Chunk | undefined {
  if (name === metricFilter) return values.includes(chunk.series.metric) ? chunk : undefined
  const own = describedBy(chunk.series, name)
  if (own !== undefined || !isCalendarAttribute(name)) {
    return values.includes(own ?? '') ? chunk : undefined
  }
  const columns = chunk.columns()
  const { begins } = columns
  const kept = filterColumns(columns, i => values.includes(calendarValue(name, begins[i] ?? 0)))
  if (kept === columns) return chunk
  return kept.begins.length === 0 ? undefined : chunkOf(chunk.series, kept)
}
