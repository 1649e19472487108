import { isAdmin } from '../../identity/caller.ts'
import type { NsRecord } from '../../model/pool.ts'
import type { Action, Zone } from '../../model/zone.ts'
import type { Zones } from '../../service/zones/zones.ts'
import type { PublicContext, RequestContext } from '../route.ts'
import { formatTimestampOrNull, timesOf } from '../timestamps.ts'
import { shownState } from './shown-state.ts'

/** What of a request a view depends on. */
export type ViewContext = Pick<PublicContext, 'baseUrl' | 'dialect'>

/** The address of a zone. */
export function zoneUrl({ baseUrl }: ViewContext, id: string): string {
  return `${baseUrl}/zones/${id}`
}

/** A zone as the API shows it to the caller; `change` is what the request did to it. */
export function zoneView(
  zones: Pick<Zones, 'stateOf' | 'isShared'>,
  zone: Zone,
  context: ViewContext & Pick<RequestContext, 'caller'>,
  change: Action = 'NONE',
): object {
  const { caller, dialect } = context
  const state = zones.stateOf(zone, isAdmin(caller) ? 'operator' : 'project')
  return {
    id: zone.id,
    pool_id: zone.poolId,
    project_id: zone.projectId,
    name: zone.name,
    email: zone.email,
    description: zone.description,
    ttl: zone.ttlSeconds,
    serial: zone.serial,
    ...shownState(state, dialect, change),
    type: zone.type,
    masters: zone.masters.length === 0 ? dialect.noMasters : zone.masters,
    attributes: zone.attributes,
    shared: zones.isShared(zone),
    version: zone.version,
    ...timesOf(zone),
    transferred_at: formatTimestampOrNull(zone.transferredAt),
    links: { self: zoneUrl(context, zone.id) },
  }
}

export function nameserversView(nsRecords: readonly NsRecord[]): object {
  return { nameservers: nsRecords.map(({ hostname, priority }) => ({ hostname, priority })) }
}
