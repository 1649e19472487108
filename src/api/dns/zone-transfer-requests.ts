import type { ZoneTransferRequest } from '../../model/zone-transfer-request.ts'
import type { ZoneTransferRequests } from '../../service/zones/zone-transfer-requests.ts'
import { pageLinksOf } from '../paging.ts'
import { uuidParameter } from '../parameters.ts'
import { type Reply, type RequestContext, type Route, route } from '../route.ts'
import { transferRequestAnswer, transferRequestsAnswer } from './answers.ts'
import { type ListAttributes, listQuery, parseScanRequest } from './page-request.ts'
import {
  transferRequestCreateSchema,
  transferRequestDraftFromBody,
  transferRequestPatchFromBody,
  transferRequestPatchSchema,
} from './zone-transfer-requests.schema.ts'
import { transferRequestUrl, transferRequestView } from './zone-transfer-requests.view.ts'

/** Offers of zones to other projects. */
export function zoneTransferRequestRoutes(requests: ZoneTransferRequests): readonly Route[] {
  return [
    route('GET /zones/tasks/transfer_requests', {
      rule: 'find_zone_transfer_requests',
      summary: 'Lists transfer requests',
      answers: { 200: transferRequestsAnswer },
      query: listQuery(requestAttributes),
      handler: async context => listRequests(requests, context),
    }),
    createRoute(requests),
    route('GET /zones/tasks/transfer_requests/:transfer_request_id', {
      rule: 'get_zone_transfer_request',
      summary: 'Shows a transfer request',
      answers: { 200: transferRequestAnswer },
      refusals: ['zone_transfer_request_not_found'],
      async handler(context) {
        const id = uuidParameter(context, 'transfer_request_id')
        return {
          status: 200,
          body: transferRequestView(requests.get(context.caller, id), context),
        }
      },
    }),
    route('PATCH /zones/tasks/transfer_requests/:transfer_request_id', {
      rule: 'update_zone_transfer_request',
      summary: 'Changes the description of a transfer request',
      answers: { 200: transferRequestAnswer },
      refusals: ['zone_transfer_request_not_found'],
      bodySchema: transferRequestPatchSchema,
      async handler(context) {
        const id = uuidParameter(context, 'transfer_request_id')
        const patch = transferRequestPatchFromBody(context.body)
        const seen = await requests.update(context.caller, id, patch)
        return { status: 200, body: transferRequestView(seen, context) }
      },
    }),
    route('DELETE /zones/tasks/transfer_requests/:transfer_request_id', {
      rule: 'delete_zone_transfer_request',
      summary: 'Takes a transfer request back',
      answers: { 204: null },
      refusals: ['zone_transfer_request_not_found'],
      async handler(context) {
        await requests.delete(context.caller, uuidParameter(context, 'transfer_request_id'))
        return { status: 204 }
      },
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
    async handler(context) {
      const zoneId = uuidParameter(context, 'zone_id')
      const draft = transferRequestDraftFromBody(context.body)
      const seen = await requests.create(context.caller, zoneId, draft)
      return {
        status: 201,
        headers: { location: transferRequestUrl(context, seen.request.id) },
        body: transferRequestView(seen, context),
      }
    },
  })
}

const requestAttributes: ListAttributes<ZoneTransferRequest> = {
  sortValues: { id: request => request.id, updated_at: request => request.updatedAt },
  filterValues: { status: request => [request.status] },
}

function listRequests(requests: ZoneTransferRequests, context: RequestContext): Reply {
  const { caller, query } = context
  const request = parseScanRequest(query, requestAttributes)
  const { rows } = requests.list(caller, request)
  return {
    status: 200,
    body: {
      transfer_requests: rows
        .flatMap(row => requests.seen(caller, row) ?? [])
        .map(seen => transferRequestView(seen, context)),
      links: pageLinksOf(context, request, rows),
    },
  }
}
