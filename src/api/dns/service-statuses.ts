import type { ServiceStatus, ServiceStatuses } from '../../service/operations/service-statuses.ts'
import { type Route, route } from '../route.ts'
import { formatTimestamp, timesOf } from '../timestamps.ts'
import { serviceStatusAnswer, serviceStatusesAnswer } from './answers.ts'
import { listRoute } from './list-route.ts'
import type { ListAttributes } from './page-request.ts'
import type { ViewContext } from './zones.view.ts'

/** How the parts of the server are. */
export function serviceStatusRoutes(statuses: ServiceStatuses): readonly Route[] {
  return [
    listRoute('GET /service_statuses', {
      rule: 'find_service_statuses',
      summary: 'Lists the parts of the server',
      answer: serviceStatusesAnswer,
      key: 'service_statuses',
      attributes: statusAttributes,
      pageOf: ({ dialect }, request) => statuses.list(dialect.serviceNaming, request),
      viewOf: serviceStatusView,
    }),
    route('GET /service_statuses/:service_status_id', {
      rule: 'find_service_statuses',
      summary: 'Shows a part of the server',
      answers: { 200: serviceStatusAnswer },
      refusals: ['service_status_not_found'],
      respond(context) {
        const row = statuses.get(context.id('service_status_id'))
        return serviceStatusView(row, context)
      },
    }),
  ]
}

const statusAttributes: ListAttributes<ServiceStatus> = {
  sortValues: {
    id: row => row.id,
    updated_at: row => row.updatedAt,
    hostname: row => row.hostname,
    service_name: row => row.serviceName,
    status: row => row.status,
  },
  filterValues: {
    hostname: row => [row.hostname],
    service_name: row => [row.serviceName],
    status: row => [row.status],
  },
}

/** A part of the server as the API shows it. */
function serviceStatusView(row: ServiceStatus, { baseUrl }: ViewContext): object {
  return {
    id: row.id,
    hostname: row.hostname,
    service_name: row.serviceName,
    status: row.status,
    stats: row.stats,
    capabilities: {},
    heartbeated_at: formatTimestamp(row.heartbeatedAt),
    ...timesOf(row),
    links: { self: `${baseUrl}/service_statuses/${row.id}` },
  }
}
