import { scopeKey } from '../../rating/data-point.ts'
import { nowSeconds } from '../../rating/period.ts'
import { dnsCollector, dnsFetcher } from '../../rating/scopes/scope-state.ts'
import { type Route, route } from '../route.ts'
import { scopeAnswer } from './answers.ts'
import { anyBody, flagIn, instantIn, requiredTextIn, requireKeys, textIn } from './body.ts'
import { scopeView } from './scope.ts'
import type { RatingServices } from './services.ts'

const names = ['scope_id', 'scope_key', 'fetcher', 'collector', 'active']

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
