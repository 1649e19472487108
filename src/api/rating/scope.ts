import { ApiError } from '../../errors.ts'
import type { Instant, ScopeState } from '../../model/rating.ts'
import { scopeKey } from '../../rating/data-point.ts'
import { nowSeconds } from '../../rating/period.ts'
import { dnsCollector, dnsFetcher, type ScopeFilter } from '../../rating/scopes/scope-state.ts'
import { formatSpaced, formatTimestamp } from '../../rating/timestamp.ts'
import type { Dialect } from '../dialect.ts'
import { anything } from '../openapi/fields.ts'
import { type Route, route } from '../route.ts'
import { scopeAnswer, scopesAnswer } from './answers.ts'
import {
  anyBody,
  type Body,
  flagIn,
  instantIn,
  namesIn,
  requiredTextIn,
  requireKeys,
  textIn,
} from './body.ts'
import { elements, paging, refuseAt, requireKnown } from './parameters.ts'
import type { RatingServices } from './services.ts'

/** The request in the body of a reset. */
type ResetRequest = { readonly filter: ScopeFilter; readonly instant: Instant }

const keys = [
  'all_scopes',
  'scope_id',
  'scope_key',
  'fetcher',
  'collector',
  'state',
  'last_processed_timestamp',
]

const names = ['scope_id', 'scope_key', 'fetcher', 'collector', 'active']

/** How far each project has been rated. */
export function scopeRoutes({ scopes }: RatingServices): readonly Route[] {
  return [
    route('GET /', {
      rule: 'scope:get_state',
      summary: 'Lists how far scopes have been rated',
      answers: { 200: scopesAnswer },
      refusals: ['bad_request', 'not_found'],
      respond({ query, dialect }) {
        requireKnown(query, ['offset', 'limit', ...names])
        const { offset, limit } = paging(query)
        const states = scopes.list(filterFrom(query)).slice(offset, offset + limit)
        if (states.length === 0) throw nothingFound()
        return { results: states.map(state => scopeView(state, dialect)) }
      },
    }),
    route('PUT /', {
      rule: 'scope:reset_state',
      summary: 'Sets scopes back to be rated again',
      answers: { 202: anything({}) },
      refusals: ['bad_request', 'not_found'],
      bodySchema: anyBody('scope reset', { scope_id: 'alpha', state: '2026-11-01T00:00:00+00:00' }),
      async respond({ body }) {
        const { filter, instant } = resetFromBody(body)
        if ((await scopes.reset(filter, instant)) === 0) throw nothingFound()
        return {}
      },
    }),
  ]
}

/** Scopes made and changed by hand, which only CloudKitty knows. */
export function scopeEditRoutes({ administration, clock }: RatingServices): readonly Route[] {
  const { scopeEdits } = administration
  const bodySchema = anyBody('scope', { scope_id: 'alpha', active: true })
  return [
    route('POST /', {
      rule: 'scope:post_state',
      summary: 'Makes a scope before it is first rated',
      answers: { 200: scopeAnswer },
      refusals: ['bad_request', 'not_found'],
      bodySchema,
      async respond({ body, dialect }) {
        requireKeys(body, [...names, 'last_processed_timestamp'])
        const state = await scopeEdits.create({
          scopeId: requiredTextIn(body, 'scope_id'),
          scopeKey: textIn(body, 'scope_key') ?? scopeKey,
          fetcher: textIn(body, 'fetcher') ?? dnsFetcher,
          collector: textIn(body, 'collector') ?? dnsCollector,
          isActive: flagIn(body, 'active') ?? true,
          lastProcessed: instantIn(body, 'last_processed_timestamp') ?? null,
        })
        return scopeView(state, dialect)
      },
    }),
    route('PATCH /', {
      rule: 'scope:patch_state',
      summary: 'Switches a scope on or off, or renames what it is rated by',
      answers: { 200: scopeAnswer },
      refusals: ['bad_request', 'not_found'],
      bodySchema,
      async respond({ body, dialect }) {
        requireKeys(body, names)
        const changes = {
          scopeKey: textIn(body, 'scope_key'),
          fetcher: textIn(body, 'fetcher'),
          collector: textIn(body, 'collector'),
          isActive: flagIn(body, 'active'),
        }
        const scopeId = requiredTextIn(body, 'scope_id')
        const state = await scopeEdits.edit(scopeId, changes, nowSeconds(clock))
        return scopeView(state, dialect)
      },
    }),
  ]
}

function filterFrom(query: URLSearchParams): ScopeFilter {
  return {
    scopeIds: elements(query, 'scope_id'),
    scopeKeys: elements(query, 'scope_key'),
    fetchers: elements(query, 'fetcher'),
    collectors: elements(query, 'collector'),
    isActive: elements(query, 'active').map(isActiveFrom),
  }
}

function isActiveFrom(text: string): boolean {
  if (text !== '0' && text !== '1') refuseAt(['active'], 'expected 0 or 1')
  return text === '1'
}

/** The state under the specification's name, and under that of later clients. */
function scopeView(state: ScopeState, { spacesScopeState }: Dialect) {
  const { lastProcessed, activationToggled } = state
  const formatState = spacesScopeState ? formatSpaced : formatTimestamp
  return {
    scope_id: state.scopeId,
    scope_key: state.scopeKey,
    fetcher: state.fetcher,
    collector: state.collector,
    state: lastProcessed === null ? null : formatState(lastProcessed),
    last_processed_timestamp: lastProcessed === null ? null : formatTimestamp(lastProcessed),
    active: state.isActive,
    scope_activation_toggle_date:
      activationToggled === null ? null : formatTimestamp(activationToggled),
  }
}

function nothingFound(): ApiError {
  return new ApiError('not_found', 'No resource found for provided filters.')
}

/** Reads the body of a reset. It names the scopes, or says explicitly that it means all of them, so that an omission cannot
 *  reset everything.
 *  @throws ApiError bad_request the first thing wrong */
function resetFromBody(body: Body): ResetRequest {
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
