import { ApiError } from '../../errors.ts'

/** The filters of a list by name, as far as they are given. What cannot be filtered by is refused: a list that
 *  passed over it would show what nobody asked for.
 *  @throws ApiError bad_request */
export function filtersOf<F extends string>(
  query: URLSearchParams,
  names: readonly F[],
): Readonly<Partial<Record<F, string>>> {
  const known: readonly string[] = names
  const unknown = [...query.keys()].filter(key => !known.includes(key))
  if (unknown.length > 0)
    throw new ApiError('bad_request', `This list cannot be filtered by ${unknown.join(', ')}`)
  const given = names.map(name => [name, query.get(name)] as const)
  const filters: Partial<Record<F, string>> = {}
  for (const [name, value] of given) if (value !== null) filters[name] = value
  return filters
}

const noWords = new Set(['0', 'false', 'no', 'off', 'f', 'n'])

/** A yes or no of a query as Keystone reads it: the name alone is a yes. */
export function flagOf(text: string | undefined): boolean | undefined {
  return text === undefined ? undefined : !noWords.has(text.toLowerCase())
}
