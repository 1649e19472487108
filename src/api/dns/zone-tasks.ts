import { Type } from 'typebox'
import type { Zones } from '../../service/zones.ts'
import { parseUuid, uuidParameter } from '../parameters.ts'
import { type Route, routeWithBody } from '../route.ts'
import { uuidField } from './field-schemas.ts'

const poolMoveSchema = Type.Object(
  { pool_id: Type.Optional(Type.Union([uuidField, Type.Null()])) },
  { title: 'pool_move', additionalProperties: false },
)

/** What is done to a zone beside changing it. */
export function zoneTaskRoutes(zones: Zones): readonly Route[] {
  return [
    {
      method: 'POST',
      path: '/zones/:zone_id/tasks/abandon',
      rule: 'abandon_zone',
      summary: 'Removes a zone from storage without touching its targets',
      async handler(context) {
        await zones.abandon(context.caller, uuidParameter(context, 'zone_id'))
        return { status: 204 }
      },
    },
    {
      method: 'POST',
      path: '/zones/:zone_id/tasks/xfr',
      rule: 'xfr_zone',
      summary: 'Asks the masters of a SECONDARY zone now',
      async handler(context) {
        zones.refresh(context.caller, uuidParameter(context, 'zone_id'))
        return { status: 202, body: '' }
      },
    },
    routeWithBody({
      method: 'POST',
      path: '/zones/:zone_id/tasks/pool_move',
      rule: 'pool_move_zone',
      summary: 'Moves a zone to another pool',
      bodySchema: poolMoveSchema,
      allowsEmptyBody: true,
      async handler({ caller, body, ...context }) {
        const poolId = body.pool_id ?? undefined
        await zones.movePool(caller, uuidParameter(context, 'zone_id'), poolId && parseUuid(poolId))
        return { status: 202, body: '' }
      },
    }),
  ]
}
