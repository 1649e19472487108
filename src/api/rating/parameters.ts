import { ApiError } from '../../errors.ts'
import type { Instant } from '../../model/rating.ts'
import { parseTimestamp } from '../../rating/timestamp.ts'
import { isFlagSet } from '../flag.ts'
import { requireAcceptable } from '../middleware/accept.ts'
import type { RequestContext } from '../route.ts'

// Query parameters as CloudKitty reads them: all names are known, and each parameter is either given once or a list, repeated
// or separated by commas. The first error is reported with its place.

/** @throws ApiError bad_request, always */
export function refuseAt(path: readonly (string | number)[], message: string): never {
  const pathText = path.map(key => (typeof key === 'number' ? key : `'${key}'`)).join(', ')
  throw new ApiError('bad_request', `${message} (path: '[${pathText}]')`)
}

/** @throws ApiError bad_request a parameter that means nothing here */
export function requireKnown(query: URLSearchParams, names: readonly string[]): void {
  for (const name of query.keys())
    if (!names.includes(name)) refuseAt([name], 'extra keys not allowed')
}

/** @throws ApiError bad_request it is given more than once */
export function single(query: URLSearchParams, name: string): string | undefined {
  const values = query.getAll(name)
  if (values.length > 1) refuseAt([name], 'length of value must be 1')
  return values[0]
}

/** Whether money is to be shown with all its digits.
 *  @throws ApiError bad_request it is given more than once */
export function isExactAskedFor(query: URLSearchParams): boolean {
  return isFlagSet(single(query, 'exact'))
}

/** The format that the query names, since a link cannot say what it accepts; else the first that is accepted.
 *  @throws ApiError bad_request, unsupported_accept */
export function requestedFormat<F extends { readonly name: string; readonly mediaType: string }>(
  formats: readonly F[],
  { query, header }: Pick<RequestContext, 'query' | 'header'>,
): F {
  const mediaTypes = formats.map(format => format.mediaType)
  const accepted = requireAcceptable(header('accept'), mediaTypes)
  const name = single(query, 'format')
  const format = formats.find(each =>
    name === undefined ? each.mediaType === accepted : each.name === name,
  )
  if (format !== undefined) return format
  const names = formats.map(each => `'${each.name}'`).join(', ')
  throw new ApiError('bad_request', `Invalid format [${name}]. Valid formats are [${names}].`)
}

/** The elements of a list. */
export function elements(query: URLSearchParams, name: string): readonly string[] {
  return query.getAll(name).flatMap(splitList)
}

/** The elements of a text with commas between them. */
export function splitList(text: string): readonly string[] {
  return text.split(',').filter(element => element !== '')
}

/** @throws ApiError bad_request */
export function instantFrom(value: unknown, name: string): Instant {
  const parsed = typeof value === 'string' ? parseTimestamp(value) : undefined
  return parsed ?? refuseAt([name], 'expected dt_from_iso')
}

/** The requested period, as far as given.
 *  @throws ApiError bad_request one of them is no timestamp, or given more than once */
export function askedPeriod(query: URLSearchParams) {
  const instant = (name: string) => {
    const text = single(query, name)
    return text === undefined ? undefined : instantFrom(text, name)
  }
  return { begin: instant('begin'), end: instant('end') }
}

/** @throws ApiError bad_request */
export function paging(query: URLSearchParams) {
  return {
    offset: integerFrom(query, 'offset', 0) ?? 0,
    limit: integerFrom(query, 'limit', 1) ?? 100,
  }
}

function integerFrom(query: URLSearchParams, name: string, least: number): number | undefined {
  const text = single(query, name)
  if (text === undefined) return undefined
  if (!/^[+-]?\d+$/.test(text)) refuseAt([name], 'expected int')
  const value = Number(text)
  return value < least ? refuseAt([name], `value must be at least ${least}`) : value
}
