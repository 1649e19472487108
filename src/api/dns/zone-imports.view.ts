import type {
  ImportChange,
  ImportDifference,
  ImportList,
  ImportReport,
  ZoneImport,
} from '../../model/zone-import.ts'
import { formatTimestamp, formatTimestampOrNull } from '../timestamps.ts'
import { type ViewContext, zoneUrl } from './zones.view.ts'

/** An import as the API shows it. */
export function zoneImportView(row: ZoneImport, context: ViewContext): object {
  return {
    id: row.id,
    status: row.status,
    message: row.message,
    zone_id: row.zoneId,
    ...(context.dialect.showsReports && { report: reportView(row.report) }),
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

/** The content of a file that the zone lacks or has in another form; null before the import has ended. */
function reportView(report: ImportReport | undefined): object | null {
  if (report === undefined) return null
  const { leftOut, changed, difference } = report
  return {
    left_out: leftOut,
    changed,
    difference: difference === undefined ? null : differenceView(difference),
  }
}

function differenceView({ added, changed, removed }: ImportDifference): object {
  return { added: changesView(added), changed: changesView(changed), removed: changesView(removed) }
}

function changesView({ count, named }: ImportList<ImportChange>): object {
  const shown = named.map(({ name, type, before, after }) => ({
    name,
    type,
    before: recordsetView(before),
    after: recordsetView(after),
  }))
  return { count, named: shown }
}

function recordsetView(recordset: ImportChange['before']): object | null {
  if (recordset === null) return null
  const { ttlSeconds, recordCount, records } = recordset
  return { ttl: ttlSeconds, record_count: recordCount, records }
}

/** The address of an import. */
export function zoneImportUrl({ baseUrl }: ViewContext, id: string): string {
  return `${baseUrl}/zones/tasks/imports/${id}`
}
