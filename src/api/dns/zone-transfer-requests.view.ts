import type { SeenTransferRequest } from '../../service/zones/zone-transfer-requests.ts'
import { formatTimestamp, formatTimestampOrNull } from '../timestamps.ts'
import type { ViewContext } from './zones.view.ts'

/** A transfer request as the API shows it: to other projects than its own with neither key nor projects. */
export function transferRequestView(
  { request, zone, isOwn }: SeenTransferRequest,
  context: ViewContext,
): object {
  const seenByAll = {
    id: request.id,
    zone_id: zone.id,
    zone_name: zone.name,
    description: request.description,
    status: request.status,
    links: { self: transferRequestUrl(context, request.id) },
  }
  if (!isOwn) return seenByAll
  return {
    ...seenByAll,
    project_id: request.projectId,
    target_project_id: request.targetProjectId,
    key: request.key,
    created_at: formatTimestamp(request.createdAt),
    updated_at: formatTimestampOrNull(request.updatedAt),
  }
}

/** The address of a transfer request. */
export function transferRequestUrl({ baseUrl }: ViewContext, id: string): string {
  return `${baseUrl}/zones/tasks/transfer_requests/${id}`
}
