import type { TaskState } from '../../model/task-state.ts'
import type { ZoneExport } from '../../model/zone-export.ts'
import { formatTimestamp, formatTimestampOrNull } from '../timestamps.ts'
import type { ViewContext } from './zones.view.ts'

/** An export as the API shows it. */
export function zoneExportView(
  row: ZoneExport,
  { status, message }: TaskState,
  context: ViewContext,
): object {
  const isComplete = status === 'COMPLETE'
  return {
    id: row.id,
    status,
    message,
    location: isComplete ? `designate://v2/zones/tasks/exports/${row.id}/export` : null,
    zone_id: row.zoneId,
    project_id: row.projectId,
    version: row.version,
    created_at: formatTimestamp(row.createdAt),
    updated_at: formatTimestampOrNull(row.updatedAt),
    links: {
      self: zoneExportUrl(context, row.id),
      ...(isComplete && { export: `${zoneExportUrl(context, row.id)}/export` }),
    },
  }
}

/** The address of an export. */
export function zoneExportUrl({ baseUrl }: ViewContext, id: string): string {
  return `${baseUrl}/zones/tasks/exports/${id}`
}
