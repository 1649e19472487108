import type { ServiceStatus, ServiceStatuses } from '../../service/operations/service-statuses.ts'
import { pageLinksOf } from '../paging.ts'
import { uuidParameter } from '../parameters.ts'
import { type Reply, type RequestContext, type Route, route } from '../route.ts'
import { serviceStatusAnswer, serviceStatusesAnswer } from './answers.ts'
import { type ListAttributes, listQuery, parseScanRequest } from './page-request.ts'
import { serviceStatusView } from './service-statuses.view.ts'

/** How the parts of the server are. Old clients write the path in the singular. */
export function serviceStatusRoutes(statuses: ServiceStatuses): readonly Route[] {
  return ['/service_statuses', '/service_status'].flatMap((path): Route[] => [
    route(`GET ${path}`, {
      rule: 'find_service_statuses',
      summary: 'Lists the parts of the server',
      answers: { 200: serviceStatusesAnswer },
      query: listQuery(statusAttributes),
      handler: async context => listStatuses(statuses, context),
    }),
    route(`GET ${path}/:service_status_id`, {
      rule: 'find_service_statuses',
      summary: 'Shows a part of the server',
      answers: { 200: serviceStatusAnswer },
      refusals: ['service_status_not_found'],
      async handler(context) {
        const row = statuses.get(uuidParameter(context, 'service_status_id'))
        return { status: 200, body: serviceStatusView(row, context) }
      },
    }),
  ])
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

function listStatuses(statuses: ServiceStatuses, context: RequestContext): Reply {
  const { query, dialect } = context
  const request = parseScanRequest(query, statusAttributes)
  const { rows } = statuses.list(dialect.serviceNaming, request)
  return {
    status: 200,
    body: {
      service_statuses: rows.map(row => serviceStatusView(row, context)),
      links: pageLinksOf(context, request, rows),
    },
  }
}
