import { ApiError } from '../../errors.ts'
import type { Instant } from '../../model/rating.ts'
import type { ScopeFilter } from '../../rating/scopes/scope-state.ts'
import { type Body, flagIn, instantIn, namesIn, requireKeys } from './body.ts'

/** What the body of a reset asks for. */
export type ResetRequest = { readonly filter: ScopeFilter; readonly instant: Instant }

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
  requireKeys(body, keys)
  const selectors = [body.all_scopes, body.scope_id].filter(value => value !== undefined)
  if (selectors.length > 1)
    refuse(`two or more values in the same group of exclusion 'scope_selector'`)
  const scopeIds = namesIn(body, 'scope_id')
  if (flagIn(body, 'all_scopes') !== true && scopeIds.length === 0)
    refuse('Either all_scopes or a scope_id should be specified.')
  return {
    filter: {
      scopeIds,
      scopeKeys: namesIn(body, 'scope_key'),
      fetchers: namesIn(body, 'fetcher'),
      collectors: namesIn(body, 'collector'),
    },
    instant: instantOf(body),
  }
}

/** `state` is the specification's name, the other that of clients since; it wins when both are given. */
function instantOf(body: Body): Instant {
  const shown = instantIn(body, 'state')
  const instant = instantIn(body, 'last_processed_timestamp') ?? shown
  return (
    instant ??
    refuse(
      `Variables 'state' and 'last_processed_timestamp' cannot be empty/None. We expect at least one of them.`,
    )
  )
}

function refuse(message: string): never {
  throw new ApiError('bad_request', message)
}
