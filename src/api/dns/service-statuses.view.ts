import type { ServiceStatus } from '../../service/operations/service-statuses.ts'
import { formatTimestamp, formatTimestampOrNull } from '../timestamps.ts'
import type { ViewContext } from './zones.view.ts'

/** A part of the server as the API shows it. */
export function serviceStatusView(row: ServiceStatus, { baseUrl }: ViewContext): object {
  return {
    id: row.id,
    hostname: row.hostname,
    service_name: row.serviceName,
    status: row.status,
    stats: row.stats,
    capabilities: {},
    heartbeated_at: formatTimestamp(row.heartbeatedAt),
    created_at: formatTimestamp(row.createdAt),
    updated_at: formatTimestampOrNull(row.updatedAt),
    links: { self: `${baseUrl}/service_statuses/${row.id}` },
  }
}
