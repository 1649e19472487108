import type { ZoneExports } from '../../service/zone-files/zone-exports.ts'
import { zoneFileAnswer } from '../dns/answers.ts'
import { zoneFileType } from '../dns/zone-exports.ts'
import { type Route, route } from '../route.ts'

/** Zones of any project as text, at once and without an export that is kept. */
export function adminZoneRoutes(exports: ZoneExports): readonly Route[] {
  return [
    route('GET /zones/export/:zone_id', {
      rule: 'all_tenants',
      summary: 'Sends any zone as a zone file',
      answers: { 200: zoneFileAnswer },
      refusals: ['zone_not_found', 'bad_request'],
      produces: zoneFileType,
      async handler(context) {
        const text = await exports.textOfZone(context.caller, context.id('zone_id'))
        return { status: 200, headers: { 'content-type': zoneFileType }, stream: () => text }
      },
    }),
  ]
}
