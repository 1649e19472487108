import { Type } from 'typebox'
import type { ZoneTransferAccept } from '../../model/zone-transfer-accept.ts'
import type { ZoneTransferAccepts } from '../../service/zones/zone-transfer-accepts.ts'
import { requestBody } from '../openapi/fields.ts'
import { canonicalId } from '../parameters.ts'
import { type Route, route } from '../route.ts'
import { timesOf } from '../timestamps.ts'
import { transferAcceptAnswer, transferAcceptsAnswer } from './answers.ts'
import { uuidField } from './field-schemas.ts'
import { listRoute, totalCountOf } from './list-route.ts'
import type { ListAttributes } from './page-request.ts'
import { type ViewContext, zoneUrl } from './zones.view.ts'

/** Body of `POST /zones/tasks/transfer_accepts`. */
const transferAcceptCreateSchema = requestBody(
  'zone_transfer_accept',
  {
    key: Type.String({ maxLength: 160 }),
    zone_transfer_request_id: uuidField,
  },
  { key: 'FF25FIBJ', zone_transfer_request_id: 'a86dba58-0043-4cc6-a1bb-69d5e86f3ca3' },
)

const path = '/zones/tasks/transfer_accepts'

/** Acceptances of offered zones. */
export function zoneTransferAcceptRoutes(accepts: ZoneTransferAccepts): readonly Route[] {
  return [
    listRoute(`GET ${path}`, {
      rule: 'find_zone_transfer_accepts',
      summary: 'Lists accepted transfers',
      answer: transferAcceptsAnswer,
      key: 'transfer_accepts',
      attributes: acceptAttributes,
      pageOf: ({ caller }, request) => accepts.list(caller, request),
      viewOf: (accept, context) => transferAcceptView(accept, context),
      metadataOf: totalCountOf,
    }),
    route(`POST ${path}`, {
      rule: 'create_zone_transfer_accept',
      summary: 'Accepts a zone that is offered',
      answers: { 201: transferAcceptAnswer },
      refusals: [
        'zone_transfer_request_not_found',
        'invalid_zone_transfer_request',
        'invalid_key',
        'over_quota',
        'bad_request',
      ],
      bodySchema: transferAcceptCreateSchema,
      async respond(context) {
        const { key, zone_transfer_request_id: id } = context.body
        const draft = { key, zoneTransferRequestId: canonicalId(id) }
        return transferAcceptView(await accepts.create(context.caller, draft), context, key)
      },
    }),
    route(`GET ${path}/:transfer_accept_id`, {
      rule: 'get_zone_transfer_accept',
      summary: 'Shows an accepted transfer',
      answers: { 200: transferAcceptAnswer },
      refusals: ['zone_transfer_accept_not_found'],
      respond(context) {
        const id = context.id('transfer_accept_id')
        return transferAcceptView(accepts.get(context.caller, id), context)
      },
    }),
  ]
}

const acceptAttributes: ListAttributes<ZoneTransferAccept> = {
  sortValues: { id: accept => accept.id, updated_at: accept => accept.updatedAt },
  filterValues: { status: () => ['COMPLETE'] },
}

/** An acceptance as the API shows it. `key` is repeated only in the response to the request that sent it. */
function transferAcceptView(
  accept: ZoneTransferAccept,
  context: ViewContext,
  key: string | null = null,
): object {
  return {
    id: accept.id,
    zone_transfer_request_id: accept.zoneTransferRequestId,
    zone_id: accept.zoneId,
    project_id: accept.projectId,
    key,
    // An acceptance is stored in the transaction that hands the zone over.
    status: 'COMPLETE',
    ...timesOf(accept),
    links: {
      self: `${context.baseUrl}/zones/tasks/transfer_accepts/${accept.id}`,
      zone: zoneUrl(context, accept.zoneId),
    },
  }
}
