import type { ZoneTransferAccept } from '../../model/zone-transfer-accept.ts'
import type { ZoneTransferAccepts } from '../../service/zones/zone-transfer-accepts.ts'
import { pageLinksOf } from '../paging.ts'
import { uuidParameter } from '../parameters.ts'
import { type Reply, type RequestContext, type Route, route } from '../route.ts'
import { transferAcceptAnswer, transferAcceptsAnswer } from './answers.ts'
import { type ListAttributes, listQuery, parseScanRequest } from './page-request.ts'
import {
  transferAcceptCreateSchema,
  transferAcceptDraftFromBody,
} from './zone-transfer-accepts.schema.ts'
import { transferAcceptUrl, transferAcceptView } from './zone-transfer-accepts.view.ts'

/** The last part of the path: the specification writes it both ways, Designate has the plural alone. */
export type TransferAcceptSpelling = 'transfer_accepts' | 'transfer_accept'

/** Acceptances of offered zones. */
export function zoneTransferAcceptRoutes(
  accepts: ZoneTransferAccepts,
  spelling: TransferAcceptSpelling = 'transfer_accepts',
): readonly Route[] {
  const path = `/zones/tasks/${spelling}`
  return [
    route(`GET ${path}`, {
      rule: 'find_zone_transfer_accepts',
      summary: 'Lists accepted transfers',
      answers: { 200: transferAcceptsAnswer },
      query: listQuery(acceptAttributes),
      handler: async context => listAccepts(accepts, context),
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
      async handler(context) {
        const draft = transferAcceptDraftFromBody(context.body)
        const accept = await accepts.create(context.caller, draft)
        return {
          status: 201,
          headers: { location: transferAcceptUrl(context, accept.id) },
          body: transferAcceptView(accept, context, draft.key),
        }
      },
    }),
    route(`GET ${path}/:transfer_accept_id`, {
      rule: 'get_zone_transfer_accept',
      summary: 'Shows an accepted transfer',
      answers: { 200: transferAcceptAnswer },
      refusals: ['zone_transfer_accept_not_found'],
      async handler(context) {
        const id = uuidParameter(context, 'transfer_accept_id')
        return { status: 200, body: transferAcceptView(accepts.get(context.caller, id), context) }
      },
    }),
  ]
}

const acceptAttributes: ListAttributes<ZoneTransferAccept> = {
  sortValues: { id: accept => accept.id, updated_at: accept => accept.updatedAt },
  filterValues: { status: () => ['COMPLETE'] },
}

function listAccepts(accepts: ZoneTransferAccepts, context: RequestContext): Reply {
  const { caller, query } = context
  const request = parseScanRequest(query, acceptAttributes)
  const { rows, totalCount } = accepts.list(caller, request)
  return {
    status: 200,
    body: {
      transfer_accepts: rows.map(accept => transferAcceptView(accept, context)),
      links: pageLinksOf(context, request, rows),
      metadata: { total_count: totalCount },
    },
  }
}
