import { Type } from 'typebox'
import type { Zones } from '../../service/zones/zones.ts'
import { isFlagSet } from '../flag.ts'
import { flag, requestBody, text } from '../openapi/fields.ts'
import { canonicalId } from '../parameters.ts'
import { type Route, route } from '../route.ts'
import { zoneAnswer } from './answers.ts'
import { uuidField } from './field-schemas.ts'
import { zoneView } from './zones.view.ts'

const poolMoveSchema = requestBody(
  'pool_move',
  { pool_id: Type.Optional(Type.Union([uuidField, Type.Null()])) },
  { pool_id: 'a86dba58-0043-4cc6-a1bb-69d5e86f3ca3' },
)

/** What is done to a zone beside changing it. */
export function zoneTaskRoutes(zones: Zones): readonly Route[] {
  return [
    route('POST /zones/:zone_id/tasks/abandon', {
      rule: 'abandon_zone',
      summary: 'Removes a zone from storage without touching its targets',
      answers: { 204: null },
      refusals: ['zone_not_found', 'zone_has_sub_zone', 'bad_request'],
      respond: context => zones.abandon(context.caller, context.id('zone_id')),
    }),
    route('POST /zones/:zone_id/tasks/xfr', {
      rule: 'xfr_zone',
      query: { whole: flag },
      summary:
        'Asks the masters of a SECONDARY zone now; with whole, takes their zone whatever its serial',
      answers: { 202: text('') },
      refusals: ['zone_not_found', 'bad_request'],
      respond(context) {
        const reason = isFlagSet(context.query.get('whole')) ? 'whole' : 'wanted'
        zones.refresh(context.caller, context.id('zone_id'), reason)
        return ''
      },
    }),
    route('POST /zones/:zone_id/tasks/pool_move', {
      rule: 'pool_move_zone',
      summary: 'Moves a zone to another pool',
      answers: { 202: text('') },
      refusals: [
        'zone_not_found',
        'bad_request',
        'duplicate_zone',
        'illegal_child',
        'no_valid_pool_found',
        'no_servers_configured',
      ],
      bodySchema: poolMoveSchema,
      allowsEmptyBody: true,
      async respond({ caller, id, body }) {
        const poolId = body.pool_id ?? undefined
        await zones.movePool(caller, id('zone_id'), poolId && canonicalId(poolId))
        return ''
      },
    }),
  ]
}

/** What Designate has not. */
export function zonePromotionRoute(zones: Zones): Route {
  return route('POST /zones/:zone_id/tasks/promote', {
    rule: 'update_zone',
    summary: 'Makes a SECONDARY zone a PRIMARY with the same content',
    answers: { 200: zoneAnswer },
    refusals: ['zone_not_found', 'bad_request', 'forbidden', 'no_servers_configured'],
    async respond(context) {
      const zone = await zones.promote(context.caller, context.id('zone_id'))
      return zoneView(zones, zone, context)
    },
  })
}
