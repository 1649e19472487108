import type { Records } from '../../service/recordsets/records.ts'
import type { ZoneSync } from '../../service/targets/zone-sync.ts'
import { type Route, route } from '../route.ts'
import { emptied, emptiedTypes } from './emptied.ts'
import { idParameter } from './id-parameter.ts'

/** Having the servers of the pools take what is stored once more. */
export function syncRoutes(sync: ZoneSync, records: Records): readonly Route[] {
  return [
    route('POST /domains/sync', {
      rule: 'diagnostics_sync_zones',
      summary: 'Has all domains served as they are stored',
      answers: { 200: null },
      refusals: ['not_found'],
      produces: emptiedTypes,
      async handler() {
        await sync.syncAll()
        return emptied
      },
    }),
    route('POST /domains/:domain_id/sync', {
      rule: 'diagnostics_sync_zone',
      summary: 'Has a domain served as it is stored',
      answers: { 200: null },
      refusals: ['zone_not_found'],
      produces: emptiedTypes,
      async handler(context) {
        await sync.syncZone(context.caller, idParameter(context, 'domain_id'))
        return emptied
      },
    }),
    route('POST /domains/:domain_id/records/:record_id/sync', {
      rule: 'diagnostics_sync_record',
      summary: 'Has the recordset of a record served as it is stored',
      answers: { 200: null },
      refusals: ['zone_not_found', 'record_not_found'],
      produces: emptiedTypes,
      async handler(context) {
        const { caller } = context
        const zoneId = idParameter(context, 'domain_id')
        const { recordset } = records.get(caller, { zoneId, id: idParameter(context, 'record_id') })
        sync.syncRecordset(caller, { zoneId, id: recordset.id })
        return emptied
      },
    }),
  ]
}
