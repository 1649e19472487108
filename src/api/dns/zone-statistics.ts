import { Type } from 'typebox'
import type { ZoneStatistics } from '../../service/zones/zone-statistics.ts'
import { timestamp, uuid, whole } from '../openapi/fields.ts'
import { uuidParameter } from '../parameters.ts'
import { type Route, route } from '../route.ts'
import { formatTimestamp } from '../timestamps.ts'

const counts = (example: Readonly<Record<string, number>>) =>
  Type.Record(Type.String(), Type.Integer(), { examples: [example] })

const zoneStatisticsAnswer = Type.Object(
  {
    zone_id: uuid,
    since: timestamp,
    responses: whole(1234),
    response_octets: whole(123_400),
    by_transport: counts({ udp: 1200, tcp: 34 }),
    by_rcode: counts({ NOERROR: 1200, NXDOMAIN: 34 }),
    by_type: counts({ A: 800, AAAA: 400, other: 34 }),
  },
  { title: 'ZoneStatistics' },
)

/** What has been answered for a zone. */
export function zoneStatisticsRoutes(statistics: ZoneStatistics): readonly Route[] {
  return [
    route('GET /zones/:zone_id/statistics', {
      rule: 'get_zone',
      summary: 'Counts what was answered for a zone, by transport, rcode and type',
      answers: { 200: zoneStatisticsAnswer },
      refusals: ['zone_not_found', 'forbidden'],
      respond(context) {
        const zoneId = uuidParameter(context, 'zone_id')
        const answers = statistics.get(context.caller, zoneId)
        const body = {
          zone_id: zoneId,
          since: formatTimestamp(answers.sinceMicros),
          responses: answers.responses,
          response_octets: answers.octets,
          by_transport: answers.byTransport,
          by_rcode: answers.byRcode,
          by_type: answers.byType,
        }
        return body
      },
    }),
  ]
}
