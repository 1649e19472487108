import { ApiError } from '../../errors.ts'

/** The given filters of a list, by name. An unknown filter is refused: a list that ignored it would show rows that the client
 *  did not ask for.
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

/** A boolean of a query as Keystone reads it: the name alone means yes. */
export function flagOf(text: string | undefined): boolean | undefined {
  return text === undefined ? undefined : !noWords.has(text.toLowerCase())
}
