import type { RecordKey, Records } from '../../service/recordsets/records.ts'
import { type RequestContext, type Route, route } from '../route.ts'
import { recordAnswer, recordsAnswer } from './answers.ts'
import { emptied, emptiedTypes } from './emptied.ts'
import { idParameter } from './id-parameter.ts'
import { listReply, parseStretch } from './list-reply.ts'
import {
  recordCreateSchema,
  recordDraftFromBody,
  recordPatchFromBody,
  recordPutSchema,
} from './records.schema.ts'
import { listedRecordView, recordUrl, recordView } from './records.view.ts'

/** The records of a domain: the values of its recordsets, one by one. */
export function recordRoutes(records: Records): readonly Route[] {
  return [
    route('GET /domains/:domain_id/records', {
      rule: 'find_recordsets',
      summary: 'Lists the records of a domain',
      answers: dialect => ({ 200: recordsAnswer(dialect) }),
      refusals: ['zone_not_found', 'marker_not_found'],
      async handler(context) {
        return listReply('records', listedViews(records, context))
      },
    }),
    route('POST /domains/:domain_id/records', {
      rule: 'create_recordset',
      summary: 'Creates a record',
      answers: { 200: recordAnswer },
      refusals: [
        'zone_not_found',
        'duplicate_record',
        'over_quota',
        'invalid_ttl',
        'invalid_recordset_location',
        'bad_request',
      ],
      bodySchema: recordCreateSchema,
      async handler(context) {
        const { caller, body } = context
        const domainId = idParameter(context, 'domain_id')
        const record = await records.create(caller, domainId, recordDraftFromBody(body))
        const headers = { location: recordUrl(record, context) }
        return { status: 200, headers, body: recordView(record) }
      },
    }),
    route('GET /domains/:domain_id/records/:record_id', {
      rule: 'get_recordset',
      summary: 'Shows a record',
      answers: { 200: recordAnswer },
      refusals: ['zone_not_found', 'record_not_found'],
      respond: context => recordView(records.get(context.caller, keyOf(context))),
    }),
    route('PUT /domains/:domain_id/records/:record_id', {
      rule: 'update_recordset',
      summary: 'Changes a record',
      answers: { 200: recordAnswer },
      refusals: [
        'zone_not_found',
        'duplicate_record',
        'over_quota',
        'invalid_ttl',
        'invalid_recordset_location',
        'bad_request',
        'record_not_found',
      ],
      bodySchema: recordPutSchema,
      async respond(context) {
        const { caller, body } = context
        const record = await records.update(caller, keyOf(context), recordPatchFromBody(body))
        return recordView(record)
      },
    }),
    route('DELETE /domains/:domain_id/records/:record_id', {
      rule: 'delete_recordset',
      summary: 'Deletes a record',
      answers: { 200: null },
      refusals: ['zone_not_found', 'record_not_found', 'bad_request'],
      produces: emptiedTypes,
      async handler(context) {
        await records.delete(context.caller, keyOf(context))
        return emptied
      },
    }),
  ]
}

function keyOf(context: RequestContext): RecordKey {
  return { zoneId: idParameter(context, 'domain_id'), id: idParameter(context, 'record_id') }
}

function* listedViews(
  records: Records,
  context: RequestContext,
): Generator<readonly object[], undefined> {
  const domainId = idParameter(context, 'domain_id')
  const view = context.dialect.showsRecordTenant ? listedRecordView : recordView
  for (const piece of records.list(context.caller, domainId, parseStretch(context))) {
    yield piece.map(view)
  }
}
