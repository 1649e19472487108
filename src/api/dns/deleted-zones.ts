import { Type } from 'typebox'
import type { DeletedZones } from '../../service/history/deleted-zones.ts'
import type { DeletedZone } from '../../service/history/deletions.ts'
import type { Zones } from '../../service/zones/zones.ts'
import { pageOf } from '../openapi/fields.ts'
import { parseLimit, requireKnownKeysOnce } from '../paging.ts'
import { patternMatcher } from '../pattern.ts'
import { type Route, route } from '../route.ts'
import { formatTimestamp } from '../timestamps.ts'
import { zoneCreationRefusals } from '../zone-refusals.ts'
import { deletedZoneAnswer, zoneAnswer } from './answers.ts'
import { taggedReply } from './entity-tags.ts'
import { historyLinksOf, parseEntryMarker } from './history-query.ts'
import { zoneView } from './zones.view.ts'

/** Zones that were deleted and can be restored. */
export function deletedZoneRoutes({
  deletedZones,
  zones,
}: {
  readonly deletedZones: DeletedZones
  readonly zones: Zones
}): readonly Route[] {
  return [
    route('GET /deleted_zones', {
      rule: 'find_zones',
      summary: 'Lists deleted zones that can be restored',
      answers: { 200: pageOf('deleted_zones', deletedZoneAnswer) },
      refusals: ['invalid_limit', 'invalid_marker'],
      query: { limit: Type.String(), marker: Type.String(), name: Type.String() },
      async respond(context) {
        const { caller, query } = context
        requireKnownKeysOnce(query, ['name'])
        const name = query.get('name')
        const { entries, nextLsn } = await deletedZones.page(caller, {
          limit: parseLimit(query.get('limit')),
          beforeLsn: parseEntryMarker(query.get('marker')),
          matchesName: name === null ? undefined : patternMatcher(name),
        })
        return {
          deleted_zones: entries.map(deletedZoneView),
          links: historyLinksOf(context, nextLsn),
        }
      },
    }),
    route('GET /deleted_zones/:deleted_zone_id', {
      rule: 'get_zone',
      summary: 'Shows a deleted zone that can be restored',
      answers: { 200: deletedZoneAnswer },
      refusals: ['zone_not_found'],
      async respond({ caller, id }) {
        return deletedZoneView(await deletedZones.get(caller, id('deleted_zone_id')))
      },
    }),
    route('POST /deleted_zones/:deleted_zone_id/restore', {
      rule: 'create_zone',
      summary: 'Restores a deleted zone with all its recordsets',
      answers: { 200: zoneAnswer },
      refusals: [
        ...zoneCreationRefusals,
        'zone_not_found',
        'bad_request',
        'conflict',
        'invalid_project',
        'invalid_recordset_location',
        'too_many_requests',
      ],
      async handler(context) {
        const { caller } = context
        const zone = await deletedZones.restore(caller, context.id('deleted_zone_id'))
        return taggedReply(context, zone, { status: 200, body: zoneView(zones, zone, context) })
      },
    }),
  ]
}

function deletedZoneView({ zone, deletedAtMicros }: DeletedZone): object {
  return {
    id: zone.id,
    name: zone.name,
    type: zone.type,
    project_id: zone.projectId,
    email: zone.email,
    description: zone.description,
    serial: zone.serial,
    created_at: formatTimestamp(zone.createdAt),
    deleted_at: formatTimestamp(deletedAtMicros),
  }
}
