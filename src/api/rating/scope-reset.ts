import { ApiError } from '../../errors.ts'
import type { Instant } from '../../model/rating.ts'
import type { ScopeFilter } from '../../rating/scopes/scope-state.ts'
import { type Body, flagIn, instantIn, namesIn, requireKeys } from './body.ts'

/** The request in the body of a reset. */
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

/** Reads the body of a reset. It names the scopes, or says explicitly that it means all of them, so that an omission cannot
 *  reset everything.
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

/** `state` is the specification's name, the other that of later clients; the latter wins when both are given. */
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
