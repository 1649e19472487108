import type { Action } from '../../model/zone.ts'
import type { ResourceState } from '../../model/zone-state.ts'
import type { RecordsetOfZone } from '../../service/recordsets/recordsets.ts'
import { timesOf } from '../timestamps.ts'
import { shownState } from './shown-state.ts'
import { type ViewContext, zoneUrl } from './zones.view.ts'

/** A recordset as the API shows it; `change` is what the request did to it. */
export function recordsetView(
  { recordset, zone, projectId }: RecordsetOfZone,
  state: ResourceState,
  context: ViewContext,
  change: Action = 'NONE',
): object {
  return {
    id: recordset.id,
    zone_id: zone.id,
    zone_name: zone.name,
    project_id: projectId,
    name: recordset.name,
    type: recordset.type,
    ttl: recordset.ttlSeconds,
    description: recordset.description,
    records: recordset.records,
    ...shownState(state, context.dialect, change),
    version: recordset.version,
    ...timesOf(recordset),
    links: { self: recordsetUrl({ recordset, zone }, context) },
  }
}

/** The address of a recordset. */
export function recordsetUrl(
  { recordset, zone }: Pick<RecordsetOfZone, 'recordset' | 'zone'>,
  context: ViewContext,
): string {
  return `${zoneUrl(context, zone.id)}/recordsets/${recordset.id}`
}
