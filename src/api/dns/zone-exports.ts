import type { TaskState } from '../../model/task-state.ts'
import type { ZoneExport } from '../../model/zone-export.ts'
import type { ZoneExports } from '../../service/zone-files/zone-exports.ts'
import type { Dialect } from '../dialect.ts'
import { pageLinksOf } from '../paging.ts'
import { uuidParameter } from '../parameters.ts'
import { type Reply, type RequestContext, type Route, route } from '../route.ts'
import { exportAnswer, exportsAnswer, zoneFileAnswer } from './answers.ts'
import { type ListAttributes, listQuery, parseScanRequest } from './page-request.ts'
import { zoneExportUrl, zoneExportView } from './zone-exports.view.ts'

/** The media type of a zone file (RFC 4027). */
export const zoneFileType = 'text/dns'

/** Zones as text. */
export function zoneExportRoutes(exports: ZoneExports): readonly Route[] {
  return [createRoute(exports), ...exportTaskRoutes(exports, 'exports')]
}

/** The exports that were asked for. openstacksdk writes their path in the singular.
 *  @param spelling the last part of their path */
export function exportTaskRoutes(
  exports: ZoneExports,
  spelling: 'exports' | 'export',
): readonly Route[] {
  const path = `/zones/tasks/${spelling}`
  return [
    route(`GET ${path}`, {
      rule: 'find_zone_exports',
      summary: 'Lists exports',
      answers: { 200: exportsAnswer },
      query: listQuery(exportAttributes(exports)),
      handler: async context => listExports(exports, context),
    }),
    route(`GET ${path}/:export_id`, {
      rule: 'get_zone_export',
      summary: 'Shows an export',
      answers: { 200: exportAnswer },
      refusals: ['zone_export_not_found'],
      async handler(context) {
        const row = exports.get(context.caller, uuidParameter(context, 'export_id'))
        return { status: 200, body: zoneExportView(row, exports.stateOf(row), context) }
      },
    }),
    route(`DELETE ${path}/:export_id`, {
      rule: 'delete_zone_export',
      summary: 'Deletes an export',
      answers: { 204: null },
      refusals: ['zone_export_not_found'],
      async handler(context) {
        await exports.delete(context.caller, uuidParameter(context, 'export_id'))
        return { status: 204 }
      },
    }),
    route(`GET ${path}/:export_id/export`, {
      rule: 'zone_export',
      summary: 'Sends the zone as a zone file',
      answers: { 200: zoneFileAnswer },
      refusals: ['zone_export_not_found', 'bad_request'],
      produces: zoneFileType,
      async handler(context) {
        const text = await exports.text(context.caller, uuidParameter(context, 'export_id'))
        return { status: 200, headers: { 'content-type': zoneFileType }, stream: () => text }
      },
    }),
  ]
}

function createRoute(exports: ZoneExports): Route {
  return route('POST /zones/:zone_id/tasks/export', {
    rule: 'create_zone_export',
    summary: 'Asks for a zone as text',
    answers: { 202: exportAnswer },
    refusals: ['zone_not_found', 'bad_request', 'over_quota'],
    async handler(context) {
      const row = await exports.create(context.caller, uuidParameter(context, 'zone_id'))
      return {
        status: 202,
        headers: { location: zoneExportUrl(context, row.id) },
        body: zoneExportView(row, acceptedState(exports.stateOf(row), context.dialect), context),
      }
    },
  })
}

/** Clients that poll expect the response to their request to show the task in progress. */
function acceptedState(state: TaskState, { showsPending }: Dialect): TaskState {
  return showsPending ? { status: 'PENDING', message: null } : state
}

function listExports(exports: ZoneExports, context: RequestContext): Reply {
  const { caller, query } = context
  const request = parseScanRequest(query, exportAttributes(exports))
  const { rows, totalCount } = exports.list(caller, request)
  return {
    status: 200,
    body: {
      exports: rows.map(row => zoneExportView(row, exports.stateOf(row), context)),
      links: pageLinksOf(context, request, rows),
      metadata: { total_count: totalCount },
    },
  }
}

function exportAttributes(exports: ZoneExports): ListAttributes<ZoneExport> {
  return {
    sortValues: { id: row => row.id, updated_at: row => row.updatedAt, zone_id: row => row.zoneId },
    filterValues: {
      zone_id: row => [row.zoneId],
      status: row => [exports.stateOf(row).status],
      message: row => [exports.stateOf(row).message],
    },
  }
}
