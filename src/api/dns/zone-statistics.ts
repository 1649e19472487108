import type { Zones } from '../../service/zones/zones.ts'
import { type Route, route } from '../route.ts'
import { formatTimestamp } from '../timestamps.ts'
import { zoneStatisticsAnswer } from './answers.ts'

/** What has been answered for a zone. */
export function zoneStatisticsRoutes(zones: Zones): readonly Route[] {
  return [
    route('GET /zones/:zone_id/statistics', {
      rule: 'get_zone',
      summary: 'Counts what was answered for a zone, by transport, rcode and type',
      answers: { 200: zoneStatisticsAnswer },
      refusals: ['zone_not_found', 'forbidden'],
      respond(context) {
        const zoneId = context.id('zone_id')
        const answers = zones.answersOf(context.caller, zoneId)
        return {
          zone_id: zoneId,
          since: formatTimestamp(answers.sinceMicros),
          responses: answers.responses,
          response_octets: answers.octets,
          by_transport: answers.byTransport,
          by_rcode: answers.byRcode,
          by_type: answers.byType,
        }
      },
    }),
  ]
}
