import type { TaskState } from '../../model/task-state.ts'
import type { ZoneExport } from '../../model/zone-export.ts'
import type { ZoneExports } from '../../service/zone-files/zone-exports.ts'
import type { Dialect } from '../dialect.ts'
import { type Route, route } from '../route.ts'
import { timesOf } from '../timestamps.ts'
import { exportAnswer, exportsAnswer, zoneFileAnswer } from './answers.ts'
import { listRoute, totalCountOf } from './list-route.ts'
import type { ListAttributes } from './page-request.ts'
import type { ViewContext } from './zones.view.ts'

/** The media type of a zone file (RFC 4027). */
export const zoneFileType = 'text/dns'

const path = '/zones/tasks/exports'

/** Zones as text, and the exports that were asked for. */
export function zoneExportRoutes(exports: ZoneExports): readonly Route[] {
  return [
    createRoute(exports),
    listRoute(`GET ${path}`, {
      rule: 'find_zone_exports',
      summary: 'Lists exports',
      answer: exportsAnswer,
      key: 'exports',
      attributes: exportAttributes(exports),
      pageOf: ({ caller }, request) => exports.list(caller, request),
      viewOf: (row, context) => zoneExportView(row, exports.stateOf(row), context),
      metadataOf: totalCountOf,
    }),
    route(`GET ${path}/:export_id`, {
      rule: 'get_zone_export',
      summary: 'Shows an export',
      answers: { 200: exportAnswer },
      refusals: ['zone_export_not_found'],
      respond(context) {
        const row = exports.get(context.caller, context.id('export_id'))
        return zoneExportView(row, exports.stateOf(row), context)
      },
    }),
    route(`DELETE ${path}/:export_id`, {
      rule: 'delete_zone_export',
      summary: 'Deletes an export',
      answers: { 204: null },
      refusals: ['zone_export_not_found'],
      respond: context => exports.delete(context.caller, context.id('export_id')),
    }),
    route(`GET ${path}/:export_id/export`, {
      rule: 'zone_export',
      summary: 'Sends the zone as a zone file',
      answers: { 200: zoneFileAnswer },
      refusals: ['zone_export_not_found', 'bad_request'],
      produces: zoneFileType,
      async handler(context) {
        const text = await exports.text(context.caller, context.id('export_id'))
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
    async respond(context) {
      const row = await exports.create(context.caller, context.id('zone_id'))
      return zoneExportView(row, acceptedState(exports.stateOf(row), context.dialect), context)
    },
  })
}

/** Clients that poll expect the response to their request to show the task in progress. */
function acceptedState(state: TaskState, { showsPending }: Dialect): TaskState {
  return showsPending ? { status: 'PENDING', message: null } : state
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

/** An export as the API shows it. */
function zoneExportView(
  row: ZoneExport,
  { status, message }: TaskState,
  { baseUrl }: ViewContext,
): object {
  const isComplete = status === 'COMPLETE'
  const url = `${baseUrl}/zones/tasks/exports/${row.id}`
  return {
    id: row.id,
    status,
    message,
    location: isComplete ? `designate://v2/zones/tasks/exports/${row.id}/export` : null,
    zone_id: row.zoneId,
    project_id: row.projectId,
    version: row.version,
    ...timesOf(row),
    links: { self: url, ...(isComplete && { export: `${url}/export` }) },
  }
}
