import type { ShareOfZone } from '../../service/zones/zone-shares.ts'
import { formatTimestamp, formatTimestampOrNull } from '../timestamps.ts'
import { type ViewContext, zoneUrl } from './zones.view.ts'

/** A share as the API shows it. */
export function zoneShareView({ share, zone }: ShareOfZone, context: ViewContext): object {
  return {
    id: share.id,
    zone_id: zone.id,
    project_id: zone.projectId,
    target_project_id: share.targetProjectId,
    created_at: formatTimestamp(share.createdAt),
    updated_at: formatTimestampOrNull(share.updatedAt),
    links: { self: zoneShareUrl({ share, zone }, context), zone: zoneUrl(context, zone.id) },
  }
}

/** The address of a share. */
export function zoneShareUrl({ share, zone }: ShareOfZone, context: ViewContext): string {
  return `${zoneUrl(context, zone.id)}/shares/${share.id}`
}
