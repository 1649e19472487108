import { ApiError } from '../../errors.ts'
import type { Reprocess } from '../../model/rating.ts'
import type { ReprocessRequest } from '../../rating/scopes/reprocess.ts'
import type { Reprocesses } from '../../rating/scopes/reprocesses.ts'
import { formatTimestamp } from '../../rating/timestamp.ts'
import { anything } from '../openapi/fields.ts'
import { type Route, route } from '../route.ts'
import { reprocessesAnswer } from './answers.ts'
import { anyBody, type Body, instantIn, namesIn, requireKeys, textIn } from './body.ts'
import { elements, paging, refuseAt, requireKnown, single } from './parameters.ts'

/** Orders to rate again what was rated before. */
export function reprocessRoutes(reprocesses: Reprocesses): readonly Route[] {
  const list = (path: string) =>
    route(`GET ${path}`, {
      rule: 'schedule:get_task_reprocesses',
      summary: 'Lists orders to rate again',
      answers: { 200: reprocessesAnswer },
      refusals: ['bad_request'],
      respond({ query, parameters: { scope_id: scopeId } }) {
        requireKnown(query, ['offset', 'limit', 'order', 'scope_ids'])
        const { offset, limit } = paging(query)
        const asked = scopeId === undefined ? elements(query, 'scope_ids') : [scopeId]
        const orders = reprocesses.list(asked)
        const sorted = isNewestFirst(single(query, 'order')) ? orders.toReversed() : orders
        const results = sorted.slice(offset, offset + limit).map(reprocessView)
        return { results }
      },
    })
  // The first of the two is where clients send it that were released before the second was.
  const add = (path: string) =>
    route(`POST ${path}`, {
      rule: 'schedule:task_reprocesses',
      summary: 'Orders that scopes are rated again',
      answers: { 202: anything({}) },
      refusals: ['bad_request'],
      bodySchema: anyBody('reprocess', {
        scope_ids: ['alpha'],
        start_reprocess_time: '2026-11-01T00:00:00+00:00',
        end_reprocess_time: '2026-11-02T00:00:00+00:00',
        reason: 'a price was wrong',
      }),
      async respond({ body }) {
        await reprocesses.schedule(requestFrom(body))
        return {}
      },
    })
  return [
    list('/task/reprocesses'),
    list('/task/reprocesses/:scope_id'),
    add('/task/reprocess'),
    add('/task/reprocesses'),
  ]
}

function requestFrom(body: Body): ReprocessRequest {
  const keys = ['scope_ids', 'start_reprocess_time', 'end_reprocess_time', 'reason']
  requireKeys(body, keys)
  const scopeIds = namesIn(body, 'scope_ids')
  if (scopeIds.length === 0) refuseAt(['scope_ids'], 'required key not provided')
  return {
    scopeIds,
    start: requiredInstantIn(body, 'start_reprocess_time'),
    end: requiredInstantIn(body, 'end_reprocess_time'),
    reason: textIn(body, 'reason') ?? refuseAt(['reason'], 'required key not provided'),
  }
}

function requiredInstantIn(body: Body, key: string) {
  return instantIn(body, key) ?? refuseAt([key], 'required key not provided')
}

function isNewestFirst(order = 'desc'): boolean {
  const word = order.toLowerCase()
  if (word === 'asc' || word === 'desc') return word === 'desc'
  throw new ApiError(
    'bad_request',
    `The order [${order}] is not valid. Accepted values are ['asc', 'desc'].`,
  )
}

function reprocessView({ scopeId, reason, start, end, current }: Reprocess) {
  return {
    scope_id: scopeId,
    reason,
    start_reprocess_time: formatTimestamp(start),
    end_reprocess_time: formatTimestamp(end),
    // Not null: clients print it.
    current_reprocess_time: current === null ? '' : formatTimestamp(current),
  }
}
