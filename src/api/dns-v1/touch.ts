import type { Zones } from '../../service/zones/zones.ts'
import { type Route, route } from '../route.ts'
import { emptied, emptiedTypes } from './emptied.ts'
import { idParameter } from './id-parameter.ts'

/** A new serial without a change. */
export function touchRoutes(zones: Zones): readonly Route[] {
  return [
    route('POST /domains/:domain_id/touch', {
      rule: 'touch_zone',
      summary: 'Gives a domain the next serial',
      answers: { 200: null },
      refusals: ['zone_not_found', 'not_found'],
      produces: emptiedTypes,
      async handler(context) {
        await zones.touch(context.caller, idParameter(context, 'domain_id'))
        return emptied
      },
    }),
  ]
}
