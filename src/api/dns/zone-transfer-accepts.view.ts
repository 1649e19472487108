import type { ZoneTransferAccept } from '../../model/zone-transfer-accept.ts'
import { formatTimestamp, formatTimestampOrNull } from '../timestamps.ts'
import { type ViewContext, zoneUrl } from './zones.view.ts'

/** An acceptance as the API shows it. `key` is repeated only in the response to the request that sent it. */
export function transferAcceptView(
  accept: ZoneTransferAccept,
  context: ViewContext,
  key: string | null = null,
): object {
  return {
    id: accept.id,
    zone_transfer_request_id: accept.zoneTransferRequestId,
    zone_id: accept.zoneId,
    project_id: accept.projectId,
    key,
    // An acceptance is stored in the transaction that hands the zone over.
    status: 'COMPLETE',
    created_at: formatTimestamp(accept.createdAt),
    updated_at: formatTimestampOrNull(accept.updatedAt),
    links: {
      self: transferAcceptUrl(context, accept.id),
      zone: zoneUrl(context, accept.zoneId),
    },
  }
}

/** The address of an acceptance. */
export function transferAcceptUrl({ baseUrl }: ViewContext, id: string): string {
  return `${baseUrl}/zones/tasks/transfer_accepts/${id}`
}
