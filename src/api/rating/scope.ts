import { Type } from 'typebox'
import { ApiError } from '../../errors.ts'
import type { ScopeState } from '../../model/rating.ts'
import type { ScopeFilter } from '../../rating/scopes/scope-state.ts'
import { formatSpaced, formatTimestamp } from '../../rating/timestamp.ts'
import type { Dialect } from '../dialect.ts'
import { anything } from '../openapi/fields.ts'
import { type Route, route } from '../route.ts'
import { scopesAnswer } from './answers.ts'
import { elements, paging, refuseAt, requireKnown } from './parameters.ts'
import { resetFromBody } from './scope-reset.ts'
import type { RatingServices } from './services.ts'

const filterNames = ['scope_id', 'scope_key', 'fetcher', 'collector', 'active']

/** How far each project has been rated. */
export function scopeRoutes({ scopes }: RatingServices): readonly Route[] {
  return [
    route('GET /', {
      rule: 'scope:get_state',
      summary: 'Lists how far scopes have been rated',
      answers: { 200: scopesAnswer },
      refusals: ['bad_request', 'not_found'],
      respond({ query, dialect }) {
        requireKnown(query, ['offset', 'limit', ...filterNames])
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
      // Its keys have error messages of their own.
      bodySchema: Type.Record(Type.String(), Type.Unknown(), {
        title: 'scope reset',
        examples: [{ scope_id: 'alpha', state: '2026-11-01T00:00:00+00:00' }],
      }),
      async respond({ body }) {
        const { filter, instant } = resetFromBody(body)
        if ((await scopes.reset(filter, instant)) === 0) throw nothingFound()
        return {}
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
export function scopeView(state: ScopeState, { spacesScopeState }: Dialect) {
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
