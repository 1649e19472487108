import type { ZoneImport } from '../../model/zone-import.ts'
import { formatTimestamp, formatTimestampOrNull } from '../timestamps.ts'
import { type ViewContext, zoneUrl } from './zones.view.ts'

/** An import as the API shows it. */
export function zoneImportView(row: ZoneImport, context: ViewContext): object {
  return {
    id: row.id,
    status: row.status,
    message: row.message,
    zone_id: row.zoneId,
    project_id: row.projectId,
    version: row.version,
    created_at: formatTimestamp(row.createdAt),
    updated_at: formatTimestampOrNull(row.updatedAt),
    links: {
      self: zoneImportUrl(context, row.id),
      ...(row.zoneId !== null && { zone: zoneUrl(context, row.zoneId) }),
    },
  }
}

/** The address of an import. */
export function zoneImportUrl({ baseUrl }: ViewContext, id: string): string {
  return `${baseUrl}/zones/tasks/imports/${id}`
}
