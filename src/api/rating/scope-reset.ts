import { ApiError } from '../../errors.ts'
import type { Instant } from '../../model/rating.ts'
import type { ScopeFilter } from '../../rating/scopes/scope-state.ts'
import { instantFrom, refuseAt, splitList } from './parameters.ts'

/** What the body of a reset asks for. */
export type ResetRequest = { readonly filter: ScopeFilter; readonly instant: Instant }

type Body = Readonly<Record<string, unknown>>

const keys = [
  'all_scopes',
  'scope_id',
  'scope_key',
  'fetcher',
  'collector',
  'state',
  'last_processed_timestamp',
]

/** Reads the body of a reset. The scopes are named, or it is said that all are meant: nobody resets everything
 *  by leaving something out.
 *  @throws ApiError bad_request the first thing wrong */
export function resetFromBody(body: Body): ResetRequest {
  for (const key of Object.keys(body))
    if (!keys.includes(key)) refuseAt([key], 'extra keys not allowed')
  const selectors = [body.all_scopes, body.scope_id].filter(value => value !== undefined)
  if (selectors.length > 1)
    refuse(`two or more values in the same group of exclusion 'scope_selector'`)
  const scopeIds = names(body, 'scope_id')
  if (!isTrue(body.all_scopes) && scopeIds.length === 0)
    refuse('Either all_scopes or a scope_id should be specified.')
  return {
    filter: {
      scopeIds,
      scopeKeys: names(body, 'scope_key'),
      fetchers: names(body, 'fetcher'),
      collectors: names(body, 'collector'),
    },
    instant: instantOf(body),
  }
}

/** `state` is the specification's name, the other that of clients since; it wins when both are given. */
function instantOf({ state, last_processed_timestamp: lastProcessed }: Body): Instant {
  const shown = instantAt(state, 'state')
  const instant = instantAt(lastProcessed, 'last_processed_timestamp') ?? shown
  return (
    instant ??
    refuse(
      `Variables 'state' and 'last_processed_timestamp' cannot be empty/None. We expect at least one of them.`,
    )
  )
}

function instantAt(value: unknown, name: string): Instant | undefined {
  return value === undefined || value === null || value === ''
    ? undefined
    : instantFrom(value, name)
}

/** Names in a list, or in a text with commas between them. */
function names(body: Body, key: string): readonly string[] {
  const value = body[key] ?? []
  const parts: readonly unknown[] = Array.isArray(value) ? value : [value]
  return parts.flatMap(part =>
    typeof part === 'string' ? splitList(part) : refuseAt([key], 'expected str'),
  )
}

const yesWords = ['1', 'true', 'yes', 'on', 'enable']
const noWords = ['0', 'false', 'no', 'off', 'disable']

function isTrue(value: unknown = false): boolean {
  const word = String(value).toLowerCase()
  if (yesWords.includes(word)) return true
  return noWords.includes(word) ? false : refuseAt(['all_scopes'], 'expected boolean')
}

function refuse(message: string): never {
  throw new ApiError('bad_request', message)
}
