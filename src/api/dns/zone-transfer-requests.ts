import { Type } from 'typebox'
import type { ZoneTransferRequest } from '../../model/zone-transfer-request.ts'
import type {
  SeenTransferRequest,
  ZoneTransferRequests,
} from '../../service/zones/zone-transfer-requests.ts'
import { requestBody } from '../openapi/fields.ts'
import { type Route, route } from '../route.ts'
import { timesOf } from '../timestamps.ts'
import { transferRequestAnswer, transferRequestsAnswer } from './answers.ts'
import { descriptionField, projectIdField } from './field-schemas.ts'
import { listRoute } from './list-route.ts'
import type { ListAttributes } from './page-request.ts'
import type { ViewContext } from './zones.view.ts'

const targetProjectField = Type.Union([projectIdField, Type.Null()])

/** Body of `POST /zones/<id>/tasks/transfer_requests`. */
const transferRequestCreateSchema = requestBody(
  'zone_transfer_request',
  {
    description: Type.Optional(descriptionField),
    target_project_id: Type.Optional(targetProjectField),
  },
  { target_project_id: '4d74fe0d117340a498e2b00f62f7a520' },
)

/** Body of `PATCH /zones/tasks/transfer_requests/<id>`. What is set once may be sent, but only unchanged. */
const transferRequestPatchSchema = requestBody(
  'zone_transfer_request',
  {
    description: Type.Optional(descriptionField),
    target_project_id: Type.Optional(targetProjectField),
    zone_id: Type.Optional(Type.String()),
  },
  { description: 'for the shop' },
)

/** Offers of zones to other projects. */
export function zoneTransferRequestRoutes(requests: ZoneTransferRequests): readonly Route[] {
  return [
    listRoute('GET /zones/tasks/transfer_requests', {
      rule: 'find_zone_transfer_requests',
      summary: 'Lists transfer requests',
      answer: transferRequestsAnswer,
      key: 'transfer_requests',
      attributes: requestAttributes,
      pageOf: ({ caller }, request) => requests.list(caller, request),
      viewOf(row, context) {
        const seen = requests.seen(context.caller, row)
        return seen && transferRequestView(seen, context)
      },
    }),
    createRoute(requests),
    route('GET /zones/tasks/transfer_requests/:transfer_request_id', {
      rule: 'get_zone_transfer_request',
      summary: 'Shows a transfer request',
      answers: { 200: transferRequestAnswer },
      refusals: ['zone_transfer_request_not_found'],
      respond(context) {
        const id = context.id('transfer_request_id')
        return transferRequestView(requests.get(context.caller, id), context)
      },
    }),
    route('PATCH /zones/tasks/transfer_requests/:transfer_request_id', {
      rule: 'update_zone_transfer_request',
      summary: 'Changes the description of a transfer request',
      answers: { 200: transferRequestAnswer },
      refusals: ['zone_transfer_request_not_found'],
      bodySchema: transferRequestPatchSchema,
      async respond(context) {
        const id = context.id('transfer_request_id')
        const { description, target_project_id: targetProjectId, zone_id: zoneId } = context.body
        const patch = { description, targetProjectId, zoneId }
        const seen = await requests.update(context.caller, id, patch)
        return transferRequestView(seen, context)
      },
    }),
    route('DELETE /zones/tasks/transfer_requests/:transfer_request_id', {
      rule: 'delete_zone_transfer_request',
      summary: 'Takes a transfer request back',
      answers: { 204: null },
      refusals: ['zone_transfer_request_not_found'],
      respond: ({ caller, id }) => requests.delete(caller, id('transfer_request_id')),
    }),
  ]
}

function createRoute(requests: ZoneTransferRequests): Route {
  return route('POST /zones/:zone_id/tasks/transfer_requests', {
    rule: 'create_zone_transfer_request',
    summary: 'Offers a zone to another project',
    answers: { 201: transferRequestAnswer },
    refusals: ['zone_not_found', 'bad_request', 'duplicate_zone_transfer_request'],
    bodySchema: transferRequestCreateSchema,
    allowsEmptyBody: true,
    async respond(context) {
      const zoneId = context.id('zone_id')
      const { description = null, target_project_id: targetProjectId = null } = context.body
      const draft = { description, targetProjectId }
      return transferRequestView(await requests.create(context.caller, zoneId, draft), context)
    },
  })
}

const requestAttributes: ListAttributes<ZoneTransferRequest> = {
  sortValues: { id: request => request.id, updated_at: request => request.updatedAt },
  filterValues: { status: request => [request.status] },
}

/** A transfer request as the API shows it: to other projects than its own with neither key nor projects. */
function transferRequestView(
  { request, zone, isOwn }: SeenTransferRequest,
  { baseUrl }: ViewContext,
): object {
  const seenByAll = {
    id: request.id,
    zone_id: zone.id,
    zone_name: zone.name,
    description: request.description,
    status: request.status,
    links: { self: `${baseUrl}/zones/tasks/transfer_requests/${request.id}` },
  }
  if (!isOwn) return seenByAll
  return {
    ...seenByAll,
    project_id: request.projectId,
    target_project_id: request.targetProjectId,
    key: request.key,
    ...timesOf(request),
  }
}
