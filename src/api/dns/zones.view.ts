import type { NsRecord } from '../../model/pool.ts'
import type { Action, Zone } from '../../model/zone.ts'
import type { ResourceState } from '../../model/zone-state.ts'
import type { PublicContext } from '../route.ts'
import { formatTimestampOrNull, timesOf } from '../timestamps.ts'
import { shownState } from './shown-state.ts'

/** What of a request a view depends on. */
export type ViewContext = Pick<PublicContext, 'baseUrl' | 'dialect'>

/** The address of a zone. */
export function zoneUrl({ baseUrl }: ViewContext, id: string): string {
  return `${baseUrl}/zones/${id}`
}

/** What is known of a zone beside its row. */
export type ZoneFacts = { readonly state: ResourceState; readonly isShared: boolean }

/** A zone as the API shows it; `change` is what the request did to it. */
export function zoneView(
  zone: Zone,
  { state, isShared }: ZoneFacts,
  context: ViewContext,
  change: Action = 'NONE',
): object {
  const { dialect } = context
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
    shared: isShared,
    version: zone.version,
    ...timesOf(zone),
    transferred_at: formatTimestampOrNull(zone.transferredAt),
    links: { self: zoneUrl(context, zone.id) },
  }
}

export function nameserversView(nsRecords: readonly NsRecord[]): object {
  return { nameservers: nsRecords.map(({ hostname, priority }) => ({ hostname, priority })) }
}
