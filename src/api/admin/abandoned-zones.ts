import type { Zone } from '../../model/zone.ts'
import type { AbandonedZones } from '../../service/zones/abandoned-zones.ts'
import { listRoute, totalCountOf } from '../dns/list-route.ts'
import type { ListAttributes } from '../dns/page-request.ts'
import { type PublicContext, type Route, route } from '../route.ts'
import { formatTimestampOrNull } from '../timestamps.ts'
import { abandonedZonesAnswer } from './answers.ts'

const attributes: ListAttributes<Zone> = {
  sortValues: { name: zone => zone.name.toLowerCase(), abandoned_at: zone => zone.updatedAt },
  filterValues: { name: zone => [zone.name], pool_id: zone => [zone.poolId] },
}

/** Zones that are abandoned and still answered. */
export function abandonedZoneRoutes(zones: AbandonedZones): readonly Route[] {
  return [
    listRoute('GET /zones/abandoned', {
      rule: 'abandon_zone',
      summary: 'Lists the zones that are abandoned and still answered',
      answer: abandonedZonesAnswer,
      key: 'zones',
      attributes,
      pageOf: (_, request) => zones.list(request),
      viewOf: (zone, context) => abandonedZoneView(zone, zones.recordCountOf(zone), context),
      metadataOf: totalCountOf,
    }),
    route('DELETE /zones/abandoned/:zone_id', {
      rule: 'abandon_zone',
      summary: 'Ends the answers of an abandoned zone',
      answers: { 204: null },
      refusals: ['zone_not_found'],
      respond: context => zones.withdraw(context.id('zone_id')),
    }),
  ]
}

/** An abandoned zone: where its answers come from, and whose it was. */
function abandonedZoneView(
  { id, name, type, serial, poolId, projectId, updatedAt }: Zone,
  recordCount: number,
  { baseUrl }: PublicContext,
): object {
  return {
    id,
    name,
    type,
    serial,
    pool_id: poolId,
    project_id: projectId,
    record_count: recordCount,
    abandoned_at: formatTimestampOrNull(updatedAt),
    links: { self: `${baseUrl}/zones/abandoned/${id}` },
  }
}
